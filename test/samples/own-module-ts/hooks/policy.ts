enum Word {
  No = "typescript says no",
}

export function guard(): { deny: string } {
  return { deny: Word.No };
}

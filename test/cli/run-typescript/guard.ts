interface Call {
  readonly tool: { readonly args: { readonly command: string } };
}

export function refuse({ tool }: Call): false | undefined {
  return tool.args.command.startsWith("shutdown") ? false : undefined;
}

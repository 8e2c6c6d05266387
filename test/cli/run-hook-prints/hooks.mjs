console.log("while it loads");

export function prints() {
  console.log("a line of its own");
  process.stdout.write("and another\n");
}

console.log("while it loads");

export function prints() {
  console.log("a line of its own");
  process.stdout.write("and another\n");
}

export function exits() {
  process.exit(0);
}

export async function failsLater() {
  Promise.reject(new Error("nobody waits for this"));
  await new Promise((resolve) => setTimeout(resolve, 50));
}

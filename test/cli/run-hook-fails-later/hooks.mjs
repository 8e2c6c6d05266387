export async function failsLater() {
  Promise.reject(new Error("nobody waits for this"));
  await new Promise((resolve) => setTimeout(resolve, 50));
}

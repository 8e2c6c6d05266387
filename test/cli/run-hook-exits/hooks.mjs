export function exits() {
  process.exit(0);
}

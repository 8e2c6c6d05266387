import { crash } from "./crash.js";

const kills = Number(process.argv[2] ?? 300);
const { acknowledged, torn, failures } = await crash(kills, Math.random);
console.log(`${kills} kills, ${acknowledged} outcomes acknowledged, ${torn} torn tails, ${failures.length} failures`);
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

import { explain } from "@hooks/command-guard";
import { guardShapes } from "./guard-commands.js";

// What a process has when its first command arrives: everything loaded, nothing compiled.
explain("git status");
const start = process.cpuUsage();
explain(guardShapes[process.argv[2] ?? ""] ?? "", { cwd: "/home/me/project" });
const { user, system } = process.cpuUsage(start);
console.log((user + system) / 1_000);

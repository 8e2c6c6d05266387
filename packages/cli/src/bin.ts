#!/usr/bin/env node
import { EXIT } from "./exit.js";
import { main } from "./main.js";
import { processHost } from "./terminal.js";

// A reader that has seen enough, such as `head`, is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? EXIT.fine : EXIT.internal);
});

const code = await main(process.argv.slice(2), processHost());
// A hook may have left a timer or a socket behind; what is written goes out first.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));

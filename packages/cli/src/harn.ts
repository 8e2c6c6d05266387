import { main } from "./main.js";
import { processHost } from "./terminal.js";

// A hook may have left a timer or a socket behind; what was written is out already.
main(process.argv.slice(2), processHost()).then((code) => process.exit(code));

import { end, guardProcess } from "./ending.js";
import { main } from "./main.js";
import { processHost } from "./terminal.js";

const host = processHost();
guardProcess(host);
// A hook may have left a timer or a socket behind; what was written is out already.
main(process.argv.slice(2), host).then(end);

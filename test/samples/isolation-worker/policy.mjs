import { isMainThread } from "node:worker_threads";

export const guard = ({ tool }) => ({ deny: `${tool.name}, main thread: ${isMainThread}` });

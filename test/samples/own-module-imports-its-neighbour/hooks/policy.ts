import { reason } from "./reason.js";

export const guard = (): { deny: string } => ({ deny: reason });

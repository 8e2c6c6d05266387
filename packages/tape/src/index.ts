export {
  type Backtest,
  type BacktestOptions,
  backtest,
  type Change,
  type Count,
  type Example,
  type Ruling,
} from "./backtest.js";
export type { TapeProblem } from "./chain.js";
export { type Dispatched, type DispatchedHook, readDispatches } from "./dispatches.js";
export { TapeError, type TapeErrorCode, tapeErrorCodes } from "./errors.js";
export { ensurePrivateDirectory, stateDirectory } from "./home.js";
export { createMask, MASKED, type Mask, type MaskOptions } from "./mask.js";
export { type ReadRecord, readTape } from "./read.js";
export {
  type ClosedRecord,
  isEntry,
  type MaskRecord,
  type PolicyRecord,
  type ResumedRecord,
  type SessionRecord,
  type TapeLine,
} from "./records.js";
export { type Divergence, type Replay, type ReplayOptions, replayTape } from "./replay.js";
export { openSessionTapes, type SessionTapes, type SessionTapesOptions } from "./session-tapes.js";
export { recoverTape, type Tail } from "./tail.js";
export { openTape, type ResumeOptions, resumeTape, type SyncPolicy, type Tape, type TapeOptions } from "./tape.js";
export { listTapes, type TapeFile } from "./tapes.js";
export { teeSink } from "./tee.js";
export { type Verification, type VerifyOptions, verifyTape } from "./verify.js";

export { type Backtest, type BacktestOptions, backtest, type Change, type Example, type Ruling } from "./backtest.js";
export type { TapeProblem } from "./chain.js";
export { TapeError, type TapeErrorCode, tapeErrorCodes } from "./errors.js";
export { stateDirectory } from "./home.js";
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
export { recoverTape, type Tail } from "./tail.js";
export { openTape, type ResumeOptions, resumeTape, type SyncPolicy, type Tape, type TapeOptions } from "./tape.js";
export { teeSink } from "./tee.js";
export { type Verification, type VerifyOptions, verifyTape } from "./verify.js";

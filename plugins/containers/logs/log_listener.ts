/** The listener to a log: its lines, its gaps, and how reading it stands. */
import type { ServiceError } from "../../../core/error.ts";
import type { LineSink } from "./lines.ts";
import type { Gap } from "./log_position.ts";

export interface LogListener extends LineSink {
  gap(gap: Gap): void;
  /** Called right after the lines of one read, before any other code runs. */
  taken?(): void;
  /** Called when the engine cannot be asked for now; reading is tried again. */
  waits?(reason: ServiceError): void;
  /** Called when the log is read again after `waits`. */
  resumes?(): void;
}

export type LogEnd = "complete" | "removed";

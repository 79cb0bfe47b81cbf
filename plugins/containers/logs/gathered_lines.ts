/** The contract of a collector, which keeps lines of several logs until they are sent in the order of their times. */
import type { LiveContainer } from "../backends/live_container.ts";
import type { Line } from "./lines.ts";
import type { Gap, LogPosition } from "./log_position.ts";

/** The lines and gaps of all sources that wait. */
export interface GatheredLines {
  /** The characters or bytes that wait. */
  readonly size: number;
  /** Returns the collector of a source's lines. It is given each line once `position` is at it. */
  of(source: string, target: LiveContainer, position: LogPosition, isResumed: boolean): SourceLines;
  /** Sends what was collected, each part of it once the reader has room. */
  tell(): Promise<void>;
  /** Sends how far these sources were read, of those that have been read further than their last line that was sent. */
  tellPlaces?(sources: readonly string[]): Promise<void>;
  /** Forgets the place of a source that is not read any more. */
  forget?(source: string): void;
}

export interface SourceLines {
  line(line: Line): void;
  gap(gap: Gap): void;
}

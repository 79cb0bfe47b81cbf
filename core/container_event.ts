/** Events of containers, for those who look for evidence of what happened. */
import type { RunningContainer } from "./runtime.ts";

/** An event of a container as its engine told it: evidence of what happened, and never who did it. */
export interface ContainerEvent {
  readonly engine: string;
  /** The container's id. */
  readonly id: string;
  readonly name: string;
  /** The engine's word, as `die`, `kill` or `update`. */
  readonly action: string;
  /** When berth heard it, in milliseconds since 1970: the engine's clock may be another one. */
  readonly heardAt: number;
  readonly exitCode: number | null;
  /** Only of `kill`, and only where the engine says it. */
  readonly signal: string | null;
  /** The project, service and files that it is of, as its labels say. */
  readonly compose: RunningContainer["compose"];
}

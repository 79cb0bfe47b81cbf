/** Refuses calls while an engine does not answer, and ends what is open over connections that are in doubt. */
import type { ServiceError } from "../../core/error.ts";
import { engineError } from "./errors.ts";

export class Silence {
  #since: string | null = null;
  #answering = new AbortController();

  constructor(private readonly engine: string) {}

  /** Aborts when the connections that are open now are in doubt: reads and streams over them must end. */
  get signal(): AbortSignal {
    return this.#answering.signal;
  }

  begin(since: string): void {
    this.#since = since;
    this.#answering.abort(this.#unanswered(`reach engine "${this.engine}"`, since));
  }

  end(): void {
    this.#since = null;
    this.#answering = new AbortController();
  }

  /** Ends the reads and streams that are open; later ones are asked. */
  interrupt(): void {
    this.#answering.abort(engineError(
      "runtime_unavailable",
      `Cannot reach engine "${this.engine}": the connection to it was lost`,
    ));
    this.#answering = new AbortController();
  }

  /** Throws `runtime_unavailable` while it lasts. `doing` follows "Cannot". */
  mustBeOver(doing: string): void {
    if (this.#since !== null) throw this.#unanswered(doing, this.#since);
  }

  #unanswered(doing: string, since: string): ServiceError {
    return engineError(
      "runtime_unavailable",
      `Cannot ${doing}: engine "${this.engine}" has not answered since ${since}`,
    );
  }
}

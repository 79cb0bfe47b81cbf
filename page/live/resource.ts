/**
 * A reading of the service for a screen: repeated when it may have changed, and never emptied by a failure.
 */
import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { changes } from "./changes.ts";
import { type Problem, problemOf } from "./problem.ts";
import { who } from "./session.ts";

export interface Resource<T> {
  readonly value: ReadonlySignal<T | undefined>;
  /** The reason for which the last reading failed; the value is then an older one. */
  readonly problem: ReadonlySignal<Problem | null>;
  /** When it was read. */
  readonly at: ReadonlySignal<number>;
  readonly reload: () => void;
}

class Reader<T> implements Resource<T> {
  readonly value: Signal<T | undefined> = signal(undefined);
  readonly problem: Signal<Problem | null> = signal(null);
  readonly at: Signal<number> = signal(0);
  readonly #load: (signal: AbortSignal) => Promise<T>;
  readonly #ending = new AbortController();
  #revision: unknown;
  #running = false;
  #again = false;

  constructor(load: (signal: AbortSignal) => Promise<T>, revision: unknown) {
    this.#load = load;
    this.#revision = revision;
  }

  /** Reads again unless what it read, or reads, is of this revision. */
  want(revision: unknown): void {
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.reload();
  }

  /** Reads; while a reading is under way there will be one more after it. */
  readonly reload = (): void => {
    if (this.#running) this.#again = true;
    else void this.#read();
  };

  async #read(): Promise<void> {
    this.#running = true;
    do {
      this.#again = false;
      try {
        const value = await this.#load(this.#ending.signal);
        if (this.#ending.signal.aborted) return;
        this.value.value = value;
        this.problem.value = null;
        this.at.value = Date.now();
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        this.problem.value = problemOf(error);
      }
    } while (this.#again);
    this.#running = false;
  }

  end(): void {
    this.#ending.abort();
  }
}

/**
 * Reads `load` anew for every key; a null key reads nothing. With another `revision` it is read again too, and keeps its
 * value until then: a form or a question below it stays as it is.
 */
export function useResource<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  { live = true, revision }: { readonly live?: boolean; readonly revision?: unknown } = {},
): Resource<T> {
  const reader = useMemo(() => new Reader(load, revision), [key]);
  useEffect(() => {
    if (key === null) return;
    const unwatch = effect(() => {
      if (live) changes.value;
      if (who.value) reader.reload();
    });
    return () => {
      unwatch();
      reader.end();
    };
  }, [reader]);
  useEffect(() => {
    if (key !== null) reader.want(revision);
  }, [reader, revision]);
  return reader;
}

/** Hears the hints of other replicas on a connection of its own, which is opened again whenever it is lost. */
import { pause } from "../../core/pause.ts";
import { Latch } from "../../core/signal.ts";
import type { Client } from "./connection.ts";

const RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;
/** A connection that is half open says nothing, so it is asked. */
const ASK_MS = 10_000;

type Heard = (hint: string | null) => void;

export class Listener implements AsyncDisposable {
  readonly #connect: () => Client;
  readonly #channel: string;
  readonly #heard = new Set<Heard>();
  readonly #over = new AbortController();
  #running: Promise<void> | null = null;

  /** `connect` makes a client that is not connected yet. */
  constructor(connect: () => Client, channel: string) {
    this.#connect = connect;
    this.#channel = channel;
  }

  /** Connects with the first who listens. */
  add(heard: Heard): Disposable {
    this.#heard.add(heard);
    this.#running ??= this.#run();
    return { [Symbol.dispose]: () => void this.#heard.delete(heard) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let retryMs = RETRY_MS;
    while (!this.#over.signal.aborted) {
      const lost = new Latch();
      const client = this.#connect();
      client.on("error", () => lost.open());
      client.on("end", () => lost.open());
      client.on("notification", ({ payload }) => this.#tell(payload ?? null));
      try {
        await client.connect();
        await client.query({ text: `LISTEN ${this.#channel}` });
        retryMs = RETRY_MS;
        this.#tell(null); // what was told before is lost
        await this.#askUntil(client, lost);
      } catch {
        // Every other use of the database says why; here it is only tried again.
      }
      await client.end().catch(() => {});
      await pause(retryMs, this.#over.signal);
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
    }
  }

  async #askUntil(client: Client, lost: Latch): Promise<void> {
    while (!lost.isOpen && !this.#over.signal.aborted) {
      await pause(ASK_MS, this.#over.signal, lost.opened);
      if (!lost.isOpen && !this.#over.signal.aborted) await client.query({ text: "SELECT 1" });
    }
  }

  #tell(hint: string | null): void {
    for (const heard of this.#heard) heard(hint);
  }
}

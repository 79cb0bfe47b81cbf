/** Work on one folder at a time, in this replica and among all. */
import { ServiceError } from "../core/error.ts";
import { pause } from "../core/pause.ts";

const LEASE_MS = 30_000;
/** Another replica's lease is asked for again after this. */
const WAIT_MS = 1_000;

interface LeasesOptions {
  /** As of `Replicas`. */
  readonly turn: (what: string, ms: number) => Promise<boolean>;
  readonly signal: AbortSignal;
}

export class Leases {
  readonly #options: LeasesOptions;
  /** The last in line for each folder. */
  readonly #working = new Map<string, Promise<void>>();

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** Takes the lease, and renews it until it is disposed of. Throws `source_conflict` where another replica keeps it. */
  async take(workspace: string): Promise<AsyncDisposable> {
    const { turn, signal } = this.#options;
    const before = this.#working.get(workspace) ?? Promise.resolve();
    const { promise, resolve: leave } = Promise.withResolvers<void>();
    const own = before.then(() => promise);
    this.#working.set(workspace, own);
    await before;
    const end = () => {
      if (this.#working.get(workspace) === own) this.#working.delete(workspace);
      leave();
    };
    const ask = (ms = LEASE_MS) => turn(`git ${workspace}`, ms);
    try {
      for (let waited = 0; !await ask(); waited += WAIT_MS) {
        if (waited > 2 * LEASE_MS || signal.aborted) {
          throw new ServiceError(
            "source_conflict",
            "Cannot change the source: another replica is at work on the folder; try again",
          );
        }
        await pause(WAIT_MS, signal);
      }
    } catch (error) {
      end();
      throw error;
    }
    const renewing = setInterval(() => void ask().catch(() => {}), LEASE_MS / 3);
    return {
      [Symbol.asyncDispose]: async () => {
        clearInterval(renewing);
        await ask(0).catch(() => {}); // it ends by itself
        end();
      },
    };
  }
}

/** Work on one folder at a time, in this replica and among all. */
import { ServiceError } from "../core/error.ts";
import { pause } from "../core/pause.ts";

/** Shorter than the silence after which a replica counts as dead, less the time between two of its heartbeats. */
const LEASE_MS = 15_000;
/** Another replica's lease is asked for again after this. */
const WAIT_MS = 1_000;
/** Another replica's lease is waited for this long. */
const LONGEST_WAIT_MS = 60_000;

export interface Lease extends AsyncDisposable {
  /** False once another replica may be at work on the folder: this one stood still for longer than its lease. */
  isHeld(): boolean;
  /** Throws `LostLease`. */
  mustHold(): void;
}

/** Thrown where another replica may have continued a work: that one says how it ends. */
export class LostLease extends ServiceError {
  constructor() {
    super(
      "source_conflict",
      "Cannot sync: this replica stood still, so that another one may have continued; check the source",
    );
  }
}

interface LeasesOptions {
  /** As of `Replicas`. */
  readonly turn: (what: string, ms: number) => Promise<boolean>;
  readonly signal: AbortSignal;
  /** Another time for a lease. */
  readonly leaseMs?: number;
}

/** A moment on the steady clock, which stands still while the machine sleeps, and on that of the wall. */
type Moment = readonly [steady: number, wall: number];

const now = (): Moment => [performance.now(), Date.now()];

/** Returns the milliseconds since then by the clock on which more have passed. */
function since([steady, wall]: Moment): number {
  return Math.max(performance.now() - steady, Date.now() - wall);
}

export class Leases {
  readonly #options: LeasesOptions;
  /** The last in line for each folder. */
  readonly #working = new Map<string, Promise<void>>();

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** Takes the lease, and renews it until it is disposed of. Throws `source_conflict` where another replica keeps it. */
  async take(workspace: string): Promise<Lease> {
    const { turn, signal, leaseMs = LEASE_MS } = this.#options;
    const before = this.#working.get(workspace) ?? Promise.resolve();
    const { promise, resolve: leave } = Promise.withResolvers<void>();
    const own = before.then(() => promise);
    this.#working.set(workspace, own);
    await before;
    const end = () => {
      if (this.#working.get(workspace) === own) this.#working.delete(workspace);
      leave();
    };
    let takenAt: Moment | null = null;
    let isLost = false;
    const isOver = () => takenAt !== null && since(takenAt) > leaseMs;
    const ask = async (): Promise<boolean> => {
      const asked = now();
      isLost ||= isOver();
      const isTaken = !isLost && await turn(`git ${workspace}`, leaseMs);
      if (isTaken) takenAt = asked;
      return isTaken;
    };
    const renew = async () => {
      isLost = !await ask() || isLost; // refused: another replica has it
    };
    try {
      for (let waited = 0; !await ask(); waited += WAIT_MS) {
        if (waited > LONGEST_WAIT_MS || signal.aborted) {
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
    const renewing = setInterval(() => void renew().catch(() => {}), leaseMs / 3);
    const isHeld = () => !isLost && !isOver();
    return {
      isHeld,
      mustHold: () => {
        if (!isHeld()) throw new LostLease();
      },
      [Symbol.asyncDispose]: async () => {
        clearInterval(renewing);
        if (!isLost) await turn(`git ${workspace}`, 0).catch(() => {}); // it ends by itself
        end();
      },
    };
  }
}

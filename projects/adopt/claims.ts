/** The claims as this replica knows them: asked for every row of a container, so they are in memory. */
import type { Claim, Claimed, ClaimLookup, ClaimStore } from "../../core/claims.ts";
import { ServiceError } from "../../core/error.ts";
import type { Log } from "../../core/log.ts";
import { pause } from "../../core/pause.ts";
import type { ContainerRuntime, RunningContainer } from "../../core/runtime.ts";
import type { ReplicaStore } from "../../core/store.ts";

/** The interval at which replicas ask the store: a hint is lost now and then. */
const ASK_MS = 5_000;
/** The interval at which one replica looks for claims that are over. */
const TIDY_MS = 60_000;
/** A claim of a container that is gone for longer ends. */
const KEEP_GONE_MS = 30 * 24 * 60 * 60_000;

interface ClaimsOptions {
  readonly store: ClaimStore;
  /** Null where one process has the store for itself. */
  readonly replicas: Pick<ReplicaStore, "listen"> | null;
  readonly runtime: () => ContainerRuntime | null;
  /** Takes a lease on the look for claims that are over. */
  readonly isOurTurn: (ms: number) => Promise<boolean>;
  readonly now: () => number;
  readonly log: Log;
  readonly tidyMs?: number;
}

type Changed = Parameters<ClaimLookup["onChange"]>[0];

export class Claims implements ClaimLookup, AsyncDisposable {
  readonly #options: ClaimsOptions;
  readonly #over = new AbortController();
  readonly #listeners = new Set<Changed>();
  readonly #stack = new DisposableStack();
  #byContainer = new Map<string, Claim>();
  #byName = new Map<string, Claim>();
  #reading: Promise<void> = Promise.resolve();
  #running: Promise<unknown> = Promise.resolve();

  private constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** Resolves once they are known. Throws `store_unavailable`. */
  static async open(options: ClaimsOptions): Promise<Claims> {
    const claims = new Claims(options);
    await claims.reload();
    const { replicas } = options;
    if (replicas !== null) {
      const heard = replicas.listen((hint) => {
        if (hint === null || hint === "claims") claims.reload().catch(() => {}); // asked again soon
      });
      claims.#stack.use(heard);
    }
    claims.#running = Promise.all([
      replicas === null ? undefined : claims.#every(ASK_MS, () => claims.reload()),
      claims.#every(options.tidyMs ?? TIDY_MS, () => claims.#tidy()),
    ]);
    return claims;
  }

  of({ engine, id, name, isLabelled }: Claimed): ReturnType<ClaimLookup["of"]> {
    const own = this.#byContainer.get(`${engine} ${id}`);
    if (own !== undefined) return composeOf(own, "certain");
    const other = isLabelled ? undefined : this.#byName.get(`${engine} ${name}`);
    return other === undefined ? null : composeOf(other, "likely");
  }

  onChange(changed: Changed): Disposable {
    this.#listeners.add(changed);
    return { [Symbol.dispose]: () => void this.#listeners.delete(changed) };
  }

  /** Reads them from the store, and tells what is new. Throws `store_unavailable`. */
  async reload(): Promise<void> {
    // One after the other: an older answer must not come last.
    const reading = this.#reading.catch(() => {}).then(() => this.#read());
    this.#reading = reading;
    await reading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#stack.dispose();
    await this.#running;
    await this.#reading.catch(() => {}); // whoever asked was told
  }

  async #read(): Promise<void> {
    const before = this.#byContainer;
    const claims = await this.#options.store.list();
    this.#byContainer = new Map(claims.map((one) => [`${one.engine} ${one.container}`, one]));
    this.#byName = new Map(claims.map((one) => [`${one.engine} ${one.name}`, one]));
    const changed = [
      ...claims.filter((one) => before.get(`${one.engine} ${one.container}`)?.id !== one.id),
      ...[...before.values()].filter((one) =>
        this.#byContainer.get(`${one.engine} ${one.container}`)?.id !== one.id
      ),
    ];
    if (changed.length > 0) { for (const listener of this.#listeners) listener(changed); }
  }

  async #every(ms: number, work: () => Promise<void>): Promise<void> {
    while (!this.#over.signal.aborted) {
      await pause(ms, this.#over.signal);
      if (this.#over.signal.aborted) return;
      try {
        await work();
      } catch (error) {
        if (!(error instanceof ServiceError)) {
          this.#options.log.error("Claims cannot be looked after", { error });
        }
      }
    }
  }

  /** Ends the claims of containers that an apply has replaced, and of those that are gone for long. */
  async #tidy(): Promise<void> {
    const { runtime, store, now, isOurTurn } = this.#options;
    const engines = runtime();
    if (this.#byContainer.size === 0 || engines === null || !await isOurTurn(TIDY_MS)) return;
    const containers = await engines.containers();
    const unheard = engines.unheard();
    const up = new Set(
      engines.backends().flatMap(({ name, state }) => state === "up" && !unheard.has(name) ? [name] : []),
    );
    const there = new Set(containers.map(({ backend, id }) => `${backend} ${id}`));
    const goneAt = new Map<string, number | null>();
    const over: string[] = [];
    for (const [key, claim] of this.#byContainer) {
      if (!up.has(claim.engine)) continue;
      if (there.has(key)) {
        if (claim.goneAt !== null) goneAt.set(claim.id, null);
      } else if (containers.some((one) => isSuccessor(one, claim))) over.push(claim.id);
      else if (claim.goneAt === null) goneAt.set(claim.id, now());
      else if (now() - claim.goneAt > KEEP_GONE_MS) over.push(claim.id);
    }
    if (goneAt.size > 0) await store.note(goneAt);
    if (over.length > 0) await store.forget(over);
    if (goneAt.size + over.length > 0) await this.reload();
  }
}

const composeOf = ({ project, service, folder, file }: Claim, claim: "certain" | "likely") => ({
  project,
  service,
  workingDir: folder,
  configFiles: [file],
  claim,
});

/** Returns true for the container that an apply made in place of the claimed one: its own labels say where it belongs. */
function isSuccessor({ backend, compose }: RunningContainer, claim: Claim): boolean {
  return backend === claim.engine && compose !== null && compose.claim === undefined &&
    compose.project === claim.project && compose.service === claim.service &&
    compose.workingDir === claim.folder;
}

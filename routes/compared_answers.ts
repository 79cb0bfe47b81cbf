/** Results of comparing files with engines: each is kept while neither changes. */
import type { Registry } from "../artifacts/registry/registry.ts";
import { type Principal, type Reach, reachOf } from "../core/access.ts";
import { Lru } from "../core/lru.ts";
import { reachOfRunning, type RunningContainer } from "../core/runtime.ts";
import { reachOfServices } from "../core/running_services.ts";
import { runtimeSeen } from "../core/sight.ts";
import type { ComparedOptions } from "./compared.ts";

/** One result for each reach and question. */
const MOST_REMEMBERED = 32;
/** A link on the disk that leads elsewhere, or a file that is only mounted, tells nobody. */
const REMEMBERED_MS = 10_000;

interface Remembered<Result> {
  readonly from: readonly unknown[];
  readonly at: number;
  readonly result: Result;
}

interface Asked {
  readonly principal: Principal;
  readonly reach: Reach;
  /** The route and its query. */
  readonly question: readonly unknown[];
  /** Further things that the result depends on, compared by identity. */
  readonly also?: unknown;
}

/** The surroundings of a result: all workspaces, and the containers in the caller's scope. */
export interface Seen {
  readonly models: Awaited<ReturnType<Registry["models"]>>;
  readonly shown: readonly RunningContainer[];
}

/** Returns a text that is equal for callers who are answered the same. */
export function keyOf({ principal, reach, question }: Omit<Asked, "also">): string {
  const system = reachOf(principal, "system:read");
  const services = reachOfServices(principal);
  return JSON.stringify([question, reach.key, reachOfRunning(principal).key, system.key, services.key]);
}

export class ComparedAnswers<Result> {
  readonly #remembered = new Lru<Remembered<Result>>(MOST_REMEMBERED);

  constructor(private readonly options: ComparedOptions) {}

  /** Returns the result that is known, or else makes it; `before` is the one that it replaces. */
  async of(asked: Asked, make: (seen: Seen, before: Result | undefined) => Promise<Result>): Promise<Result> {
    const { registry, runtime, sights } = this.options;
    const engines = runtime();
    const running = sights.of(reachOfRunning(asked.principal));
    const isBlind = engines === null || running.reach.nowhere;
    // Waits for what engines have told and was not read yet, so that the stamp holds for it.
    const shown = isBlind ? [] : await runtimeSeen(engines, running).containers();
    const models = await registry.models();
    const from = [
      ...models.flatMap(({ workspace, model }) => [workspace.name, model]),
      await registry.list(),
      asked.also,
      await this.options.incidents.current(),
      isBlind ? "" : `${sights.ownership.revision} ${engines.stamp}`,
    ];
    const key = keyOf(asked);
    const known = this.#remembered.get(key);
    const isSame = known !== undefined && performance.now() - known.at < REMEMBERED_MS &&
      known.from.length === from.length && known.from.every((one, index) => one === from[index]);
    if (isSame) return known.result;
    const at = performance.now();
    const result = await make({ models, shown }, known?.result);
    this.#remembered.set(key, { from, at, result });
    return result;
  }
}

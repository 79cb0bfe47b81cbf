/** The containers of a subscription: found by what was asked for, joined later, and let go when they may not be seen. */
import * as z from "../../../core/schema.ts";
import type { Reach } from "../../../core/access.ts";
import type { ServiceError } from "../../../core/error.ts";
import { isOfProject, mayBeOfProject } from "../../../core/ownership.ts";
import { Lru } from "../../../core/lru.ts";
import type { RunningContainer } from "../../../core/runtime.ts";
import type { Sight } from "../../../core/sight.ts";
import { asServiceError, statusOf } from "../../../http/declare/problem.ts";
import { findContainer } from "../backends/find_container.ts";
import { type LiveContainer, readLive } from "../backends/live_container.ts";
import { type Engines, inMirrors, swarmOf } from "../backends/seen.ts";
import { type Retry, retryAfter } from "../logs/retry.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import type { EngineEvent } from "../../../engines/mirror/event_feed.ts";
import { type JsonMembers, jsonMembers, jsonText } from "../../../core/json_text.ts";

/** The most containers of one subscription: with all their cursors it fits into a message. */
const MOST = 128;
/** States that are remembered, so that none is told twice in a row. */
const MOST_SAID = 1_024;
const PROJECT = "com.docker.compose.project";
/** The interval at which scopes are checked again and missing containers are looked for. */
const CLOCK_MS = 2_000;

/** As the engines' command lines show them; a shorter text may as well be a name. */
const SHORT_ID = 12;

const Name = z.string().min(1).max(256);
/** A name, `<group>@<workspace>` or `<project>@engine:<name>`. */
export const ProjectAsked = z.string().min(1).max(500);

/** The parameters of a feed about containers. */
export const SOURCES_ASKED = {
  containers: z.array(z.string().min(1).max(384)).max(MOST).optional().describe(
    "By id or name, with the engine before it where several have it: `docker/web`",
  ),
  project: ProjectAsked.optional().describe(
    "All containers of this project, by its id; by Compose's name, of every project of that name",
  ),
  workspace: Name.optional().describe("All containers of this workspace, by its id"),
  all: z.literal(true).optional().describe("All containers in sight"),
};

interface AskedSources {
  readonly containers?: readonly string[] | undefined;
  readonly project?: string | undefined;
  readonly workspace?: string | undefined;
  readonly all?: true | undefined;
}

export const Source = z.string().describe("The container, by its engine and id: `docker/0f1e…`");

/** The state of one source. */
const LiveSource = z.object({
  source: z.string().describe(
    "The container, by its engine and id; as it was asked for where it was not found",
  ),
  name: z.string().optional().describe("The container's name"),
  state: z.enum(["following", "waiting", "ended"]).describe(
    "`waiting`: it cannot be read for now, and is tried again by itself",
  ),
  reason: z.string().optional().describe(
    "The reason why it is not followed: `removed`, `not_asked` where it belongs to another project by now, or a code " +
      "for programs",
  ),
}).meta({ id: "LiveSource" });

/** The message that says how the sources of a subscription are. */
export const SourcesMessage = z.object({
  items: z.array(LiveSource).describe("The sources that are others than before"),
  leftOut: z.int().describe("Number of containers in scope that may not be followed, or are too many"),
});
type SourceState = z.input<typeof LiveSource>;

/** Writes the message of the states that are others than before. */
export function sourcesTold(items: readonly SourceState[], leftOut: number): JsonMembers {
  return jsonMembers({ items: jsonText(items), leftOut: jsonText(leftOut) });
}

export const sourceOf = ({ engine, id }: Pick<LiveContainer, "engine" | "id">): string =>
  `${engine.name}/${id}`;

/**
 * The way in which a container came to be followed: it was there, it was made while others were followed, or it is an
 * old one that started then.
 */
export type Joined = "listed" | "made" | { readonly startedAt: string };

interface SourcesOptions {
  readonly engines: Engines;
  /** All of them must have what is followed. */
  readonly reaches: readonly Reach[];
  readonly asked: AskedSources;
  /** Follows "Cannot" in errors. */
  readonly doing: string;
  readonly signal: AbortSignal;
  /** Begins to follow a container. `isAgain`: it could not be read before, and `resumes` has to tell that it is. */
  readonly begin: (target: LiveContainer, joined: Joined, isAgain: boolean) => void;
  readonly stop: (source: string) => void;
  /** The engine says that it removed a container; for readers that would not notice. */
  readonly removed?: (source: string) => void;
  readonly tell: (states: readonly SourceState[], leftOut: number) => void;
  readonly clockMs?: number;
}

export class Sources implements Disposable {
  readonly #options: SourcesOptions;
  readonly #sights: readonly Sight[];
  /** Followed containers, by source. */
  readonly #followed = new Map<string, { readonly name: string }>();
  /** The last message about each source, and about each name that was not found. */
  readonly #said = new Map<string, string>();
  /** Containers that were made since the begin. */
  readonly #made = new Lru<true>(MOST_SAID);
  /** Followed containers that cannot be read for now, by source. */
  readonly #waiting = new Map<string, { readonly name: string }>();
  /** Sources that could not be read, until they are: each is tried ever more rarely. */
  readonly #failed = new Lru<Retry>(MOST_SAID);
  /** True if a requested container cannot be read for now. */
  #isWaiting = false;
  readonly #stack = new DisposableStack();
  #leftOut = 0;
  /** The revision of owners by which containers were last chosen. */
  #owners = -1;
  #isListed = false;

  constructor(options: SourcesOptions) {
    const { containers, project, workspace, all } = options.asked;
    if ([containers, project, workspace, all].every((one) => one === undefined)) {
      throw engineError(
        "invalid_request",
        `Cannot ${options.doing} containers: expected "containers", a "project", a "workspace" or "all"`,
      );
    }
    this.#options = options;
    this.#sights = options.reaches.map((reach) => options.engines.sights.of(reach));
  }

  /** Finds what there is; from here on what is made, or comes back, is found by itself. */
  async begin(onFailure: (error: unknown) => void): Promise<void> {
    const { feed } = this.#options.engines.backends;
    const again = () => void this.#look().catch(onFailure);
    // Subscribed before the list, so that a start in between is not missed
    this.#stack.use(feed.subscribe({ event: (event) => this.#hear(event, onFailure), resync: again }));
    const clock = setInterval(() => {
      this.#judge();
      const hasOtherOwners = this.#hasOtherOwners();
      if (hasOtherOwners) this.#leaveOthers();
      if (hasOtherOwners || this.#isWaiting || this.#waiting.size > 0) again();
    }, this.#clockMs);
    this.#stack.defer(() => clearInterval(clock));
    await this.#look();
    this.#isListed = true;
  }

  get #clockMs(): number {
    return this.#options.clockMs ?? CLOCK_MS;
  }

  /** Tells that a source cannot be read for now, and that its follower tries again. */
  waits(source: string, { code: reason }: ServiceError): void {
    const known = this.#followed.get(source);
    if (known !== undefined) this.#tell({ source, name: known.name, state: "waiting", reason });
  }

  /** Tells that a source is read again after `waits`, or after it could not be read. */
  resumes(source: string): void {
    this.#failed.delete(source);
    const known = this.#followed.get(source);
    if (known !== undefined) this.#tell({ source, name: known.name, state: "following" });
  }

  /** Says that a source is over. */
  over(source: string, reason: ServiceError | "removed"): void {
    const known = this.#followed.get(source);
    if (known === undefined || !this.#followed.delete(source)) return;
    const state = reason === "removed" ? { state: "ended", reason } as const : refusal(reason);
    this.#fail(source, state.state === "waiting" ? known : null);
    this.#tell({ source, name: known.name, ...state });
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }

  /** Has a source tried again later; null for one that is over. */
  #fail(source: string, known: { readonly name: string } | null): void {
    const before = this.#failed.get(source);
    this.#failed.delete(source);
    if (known === null) return;
    this.#failed.set(source, retryAfter(before, this.#clockMs));
    this.#waiting.set(source, known);
  }

  /** Returns true where the source could not be read a moment ago. */
  #isHeld(source: string): boolean {
    return (this.#failed.get(source)?.nextAt ?? 0) > performance.now();
  }

  #hear(event: EngineEvent, onFailure: (error: unknown) => void): void {
    if (event.type !== "container") return;
    const { backend, id, attributes, action, time } = event;
    const source = `${backend}/${id}`;
    if (action === "destroy" && this.#followed.has(source)) return this.#options.removed?.(source);
    if (!BEGINNINGS.has(action) || this.#followed.has(source)) return;
    const { project, workspace, all } = this.#options.asked;
    const of = this.#rowOf(source)?.compose?.project ?? attributes[PROJECT];
    const isAsked = all === true || this.#isMeant({ backend, id, name: attributes["name"] ?? "" }) ||
      of !== undefined &&
        (project === undefined ? workspace !== undefined : mayBeOfProject(of, project));
    if (!isAsked) return;
    this.#failed.delete(source);
    if (action === "create") this.#made.set(source, true);
    void this.#add([source], this.#isListed ? this.#joined(source, time) : "listed").catch(onFailure);
  }

  #joined(source: string, time: string): Joined {
    return this.#made.get(source) === true ? "made" : { startedAt: time };
  }

  /** Finds what was asked for and is not followed. */
  async #look(): Promise<void> {
    const { engines: { backends, sights: { ownership } }, asked, signal } = this.#options;
    const { containers = [], project, workspace, all } = asked;
    this.#isWaiting = false;
    const wanted = [...this.#waiting.keys(), ...containers];
    let leftOut = 0;
    if (project !== undefined || workspace !== undefined || all === true) {
      const { up } = await backends.fresh("containers");
      const rows = up.flatMap(({ mirror }) => [...mirror.containers.rows.values()]);
      rows.forEach((row) => this.#wants(row));
      await ownership.settle();
      const found = rows.filter((row) => this.#wants(row));
      const shown = found.filter((row) => this.#sees(row));
      leftOut = found.filter((row) => this.#sights.at(-1)!.sees(row)).length - shown.length; // one at least
      for (const { backend, id } of shown) wanted.push(`${backend}/${id}`);
    }
    if (signal.aborted) return;
    leftOut += Math.max(0, wanted.length - MOST);
    const isOther = leftOut !== this.#leftOut;
    this.#leftOut = leftOut;
    if (isOther) this.#tell();
    await this.#add(wanted.slice(0, MOST), "listed");
  }

  /** Together, so that the pasts of all are sorted into each other. */
  async #add(wanted: readonly string[], joined: Joined): Promise<void> {
    const { asked: { containers = [] }, signal, begin } = this.#options;
    const missing = wanted.filter((asked) => !this.#followed.has(asked) && !this.#isHeld(asked));
    const found = await Promise.all(
      missing.map((asked) =>
        this.#find(asked, containers.includes(asked) || this.#waiting.has(asked)).then(
          (target) => ({ asked, target }),
          (error) => ({ asked, error: asServiceError(error) }),
        )
      ),
    );
    if (signal.aborted) return;
    const states: SourceState[] = [];
    for (const one of found) {
      if ("error" in one) {
        const state = refusal(one.error);
        const known = this.#waiting.get(one.asked);
        if (state.state === "ended") this.#waiting.delete(one.asked);
        else this.#isWaiting = true;
        // A container that an event or a list named, and that is gone again, was not asked for.
        if (known !== undefined || containers.includes(one.asked)) {
          states.push({ source: one.asked, ...known, ...state });
        }
        continue;
      }
      const source = sourceOf(one.target);
      if (this.#isHeld(source)) continue; // it was asked for by its name
      this.#waiting.delete(source);
      if (this.#followed.has(source) || this.#followed.size >= MOST) continue;
      this.#followed.set(source, { name: one.target.name });
      const isAgain = this.#failed.get(source) !== undefined;
      if (!isAgain) states.push({ source, name: one.target.name, state: "following" });
      begin(one.target, joined, isAgain);
    }
    if (states.length > 0) this.#tell(...states);
  }

  async #find(asked: string, isNamed: boolean): Promise<LiveContainer> {
    const { engines, reaches, doing, signal } = this.#options;
    const slash = asked.lastIndexOf("/");
    const [backend, id] = slash < 0 ? [undefined, asked] : [asked.slice(0, slash), asked.slice(slash + 1)];
    const wish = `${doing} container "${id}"`;
    const [found] = await Promise.all(
      reaches.map((reach) => findContainer(engines, reach, id, backend, wish)),
    );
    const { link, row } = found!; // there is one reach at least
    if (!isNamed && !this.#isMeant(row)) {
      this.#wants(row); // asks whose it is
      await engines.sights.ownership.settle();
      if (!this.#wants(row)) throw engineError("container_not_found", `Cannot ${wish}: it was not asked for`);
    }
    return await readLive(link.engine, row.id, wish, signal);
  }

  /** Returns true if it was asked for by its name or its id. */
  #isMeant({ backend, id, name }: Pick<RunningContainer, "backend" | "id" | "name">): boolean {
    return this.#options.asked.containers?.some((asked) => {
      const slash = asked.lastIndexOf("/");
      const wanted = asked.slice(slash + 1);
      const isThere = slash < 0 || asked.slice(0, slash) === backend;
      return isThere && (wanted === name || wanted.length >= SHORT_ID && id.startsWith(wanted));
    }) ?? false;
  }

  /** Labels and owners change, and with them what may be seen. */
  #judge(): void {
    if (this.#sights.every(({ reach }) => reach.everywhere)) return;
    for (const [source, { name }] of this.#followed) {
      const row = this.#rowOf(source);
      if (row !== undefined && !this.#sees(row)) this.#leave(source, name, "not_allowed");
    }
  }

  /** Returns true once after files or labels may have given containers to other projects. */
  #hasOtherOwners(): boolean {
    const { revision } = this.#options.engines.sights.ownership;
    const isOther = this.#owners !== revision;
    this.#owners = revision;
    const { project, workspace } = this.#options.asked;
    return isOther && (project !== undefined || workspace !== undefined);
  }

  /** Lets go of what belongs to another project by now. */
  #leaveOthers(): void {
    for (const [source, { name }] of this.#followed) {
      const row = this.#rowOf(source);
      if (row === undefined || this.#isMeant(row) || this.#wants(row)) continue;
      this.#leave(source, name, "not_asked");
    }
  }

  #rowOf(source: string): RunningContainer | undefined {
    const slash = source.lastIndexOf("/");
    return inMirrors(this.#options.engines, source.slice(0, slash), source.slice(slash + 1));
  }

  #leave(source: string, name: string, reason: "not_allowed" | "not_asked"): void {
    this.#followed.delete(source);
    this.#options.stop(source);
    this.#tell({ source, name, state: "ended", reason });
  }

  #wants(row: RunningContainer): boolean {
    const { asked: { project, workspace, all }, engines } = this.#options;
    const { ownership } = engines.sights;
    return all === true || (project !== undefined || workspace !== undefined) &&
        (project === undefined || isOfProject(row, project, ownership, (one) => swarmOf(engines, one))) &&
        (workspace === undefined || ownership.ownerOf(row)?.id === workspace);
  }

  #sees(row: RunningContainer): boolean {
    return this.#sights.every((sight) => sight.sees(row));
  }

  #tell(...states: readonly SourceState[]): void {
    const others = states.filter((state) => {
      const { source, state: is, reason = "" } = state;
      const isOther = this.#said.get(source) !== `${is} ${reason}`;
      this.#said.delete(source);
      this.#said.set(source, `${is} ${reason}`);
      return isOther;
    });
    for (const [source] of this.#said) { // those that were told of longest ago first
      if (this.#said.size <= MOST_SAID) break;
      this.#said.delete(source);
    }
    if (others.length > 0 || states.length === 0) this.#options.tell(others, this.#leftOut);
  }
}

/** The events with which a container's life may begin. */
const BEGINNINGS: ReadonlySet<string> = new Set(["create", "start", "restart"]);

function refusal(error: ServiceError): { readonly state: "waiting" | "ended"; readonly reason: string } {
  return { state: statusOf(error) >= 500 ? "waiting" : "ended", reason: error.code };
}

/** The evidence of what happened to a container: events of its engine, and acts that people asked berth for. */
import type { AuditEntry } from "../../core/audit_store.ts";
import type { ContainerEvent } from "../../core/container_event.ts";

/** Events of all engines that are remembered. */
const MOST_EVENTS = 4_096;
/** An act without an end in the audit log counts for this long. */
const OPEN_ACT_MS = 60_000;
/** Its effects may be heard this much later than its end. */
const LATE_MS = 2_000;

export const UNHEALTHY = "health_status: unhealthy";

/** The events that may explain anything. */
const ACTIONS = new Set([
  "create",
  "start",
  "die",
  "oom",
  "kill",
  "stop",
  "update",
  "rename",
  "connect",
  "disconnect",
  "destroy",
  UNHEALTHY,
]);

/** The latest events of containers, in the order in which berth heard them. */
export class HeardEvents {
  readonly #events: ContainerEvent[] = [];
  #oldest = 0;
  /** The endings of containers since the last `takeEndings`, by engine and id. */
  #endings = new Map<string, number>();

  hear(event: ContainerEvent): void {
    if (!ACTIONS.has(event.action)) return;
    if (event.action === "die") {
      const key = containerKey(event);
      this.#endings.set(key, (this.#endings.get(key) ?? 0) + 1);
    }
    if (this.#events.length < MOST_EVENTS) this.#events.push(event);
    else {
      this.#events[this.#oldest] = event;
      this.#oldest = (this.#oldest + 1) % MOST_EVENTS;
    }
  }

  /** Returns the events of these containers from a time on, the oldest first. */
  of(keys: ReadonlySet<string>, from: number): ContainerEvent[] {
    const inOrder = this.#events.slice(this.#oldest).concat(this.#events.slice(0, this.#oldest));
    return inOrder.filter((event) => event.heardAt >= from && keys.has(containerKey(event)));
  }

  /** Returns how often each container ended since the last call. */
  takeEndings(): ReadonlyMap<string, number> {
    const taken = this.#endings;
    this.#endings = new Map();
    return taken;
  }
}

interface OnEngine {
  readonly engine?: string;
  readonly backend?: string;
  readonly id: string;
}

/** By container or event: each look asks for the key of every container. */
const keys = new WeakMap<OnEngine, string>();

export function containerKey(of: OnEngine): string {
  let key = keys.get(of);
  if (key === undefined) keys.set(of, key = `${of.engine ?? of.backend} ${of.id}`);
  return key;
}

/** An act on a container through berth: a person's, or a step of an apply. */
export interface RecordedAct {
  /** As `stop`, `kill`, `remove`, `rename`, `connect` or `disconnect`. */
  readonly verb: string;
  /** The id of the apply that it is a step of. */
  readonly apply: string | null;
  /** The container as it was named; null for a prune, which names none. */
  readonly container: string | null;
  readonly engine: string | null;
  readonly from: number;
  readonly to: number;
  readonly by: AuditEntry["actor"];
}

const ON_CONTAINER = /^\/api\/containers\/([^/]+)(?:\/([a-z]+))?$/;
const ON_NETWORK = /^\/api\/networks\/[^/]+\/((?:dis)?connect)$/;

/** Returns the acts on containers among entries of the audit log. */
export function actsIn(entries: readonly AuditEntry[]): RecordedAct[] {
  const ends = new Map<string, number>();
  for (const entry of entries) if (entry.result !== "begun") ends.set(keyOf(entry), entry.at);
  return entries.filter(({ result }) => result === "begun").flatMap((entry) => {
    const named = namedIn(entry);
    if (named === null) return [];
    const end = ends.get(keyOf(entry)) ?? entry.at + OPEN_ACT_MS;
    return [{ ...named, from: entry.at, to: end + LATE_MS, by: entry.actor }];
  });
}

/** Returns a text that the beginning and the end of one act have in common. */
const keyOf = ({ requestId, action, target, particulars: { apply, step } }: AuditEntry): string =>
  requestId ?? JSON.stringify([action, target, apply, step]);

const STEP = /^apply container\.([a-z]+)$/;

function namedIn(
  { action, target, particulars }: AuditEntry,
): Pick<RecordedAct, "verb" | "apply" | "container" | "engine"> | null {
  const engine = particulars.backend ?? null;
  const [, step] = STEP.exec(action) ?? [];
  if (step !== undefined && target !== null) {
    return { verb: step, apply: particulars.apply ?? null, container: target, engine };
  }
  const apply = null;
  if (action === "POST /api/system/prune") return { verb: "remove", apply, container: null, engine };
  const [, typed, verb] = ON_CONTAINER.exec(target ?? "") ?? [];
  if (typed !== undefined) {
    const isRemoval = action.startsWith("DELETE ");
    if (!isRemoval && verb === undefined) return null;
    return { verb: isRemoval ? "remove" : verb!, apply, container: decodeURIComponent(typed), engine };
  }
  const [, onNetwork] = ON_NETWORK.exec(target ?? "") ?? [];
  const { container } = particulars;
  return onNetwork === undefined || container === undefined
    ? null
    : { verb: onNetwork, apply, container, engine };
}

/** Returns true if the act was on this container: people name one by its name, its id, or the beginning of that. */
export function isActOn(
  { container, engine, apply }: RecordedAct,
  on: { readonly id: string; readonly name: string; readonly engine: string },
): boolean {
  if (engine !== null && engine !== on.engine) return false;
  if (container === null || container === on.name) return true;
  return apply === null && /^[0-9a-f]+$/.test(container) && on.id.startsWith(container);
}

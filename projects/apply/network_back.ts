/**
 * The way back of networks that are replaced: the definition and the members of each are noted before it is removed.
 * Where the apply ends before the containers of the new one run again, the old one is made once more, and the containers
 * that were stopped for it run in it. The journal and the engine alone decide.
 */

import type { EngineActs, Labelled, NetworkSpec } from "../../core/engine_acts.ts";
import { isStoreAway, ServiceError } from "../../core/error.ts";
import type { ContainerSpec } from "../../core/runtime.ts";
import type { TextSeal } from "../../core/text_seal.ts";
import { projectOf } from "../hash/labels.ts";
import type { Step } from "../plan/plan_shape.ts";
import { failed, graceOf, type Hand, isUp, touched, unlessDone } from "./hand.ts";
import { type Journal, lineOf, type Noted, type StepProgress } from "./journal.ts";
import { allSharers, strandedBy } from "./sharers.ts";
import { MARK, markOf, stepsOf, type Work } from "./work.ts";

type Membership = ContainerSpec["networks"][number];

/** A container's membership in the network. */
interface Member {
  readonly id: string;
  readonly network: Membership;
  /** The membership as declared, which is tried first; null where the engine tells all of it. */
  readonly declared: Membership | null;
}

/** A network and its members before it was removed. */
interface Held {
  readonly network: NetworkSpec | null;
  readonly joined: readonly Member[];
}

/** The steps that replace one network. */
interface Replacement {
  readonly removal: Step;
  readonly made: Step;
  readonly stops: readonly Step[];
  /** All but the stops. */
  readonly rest: readonly Step[];
}

function replacementsOf(work: Work): Replacement[] {
  if (work.cluster !== undefined) return [];
  const steps = stepsOf(work);
  return steps.flatMap((removal) => {
    if (removal.kind !== "network.remove") return [];
    const made = steps.find(({ kind, after }) => kind === "network.create" && after.includes(removal.n));
    if (made === undefined) return [];
    const stops = steps.filter(({ n, kind }) => kind === "container.stop" && removal.after.includes(n));
    const joins = steps.filter(({ kind, after }) => kind === "network.connect" && after.includes(made.n));
    // Others in it did not run before.
    const starts = steps.filter(({ kind, target, after }) =>
      kind === "container.start" && stops.some((stop) => stop.target === target) &&
      joins.some((join) => join.target === target && after.includes(join.n))
    );
    return [{ removal, made, stops, rest: [removal, made, ...joins, ...starts] }];
  });
}

/** Returns the replacements that were begun, whose containers do not run in the new network yet. */
function replacing(work: Work, progress: ReadonlyMap<number, StepProgress>): Replacement[] {
  const stateOf = ({ n }: Step) => progress.get(n)?.state ?? "waiting";
  return replacementsOf(work).filter(({ removal, stops, rest }) =>
    [removal, ...stops].some((step) => !["waiting", "skipped", "undone"].includes(stateOf(step))) &&
    !rest.every((step) => ["done", "skipped"].includes(stateOf(step)))
  );
}

/** Returns the names of the networks whose replacement is in hand. */
export const networksInHand = (work: Work, progress: ReadonlyMap<number, StepProgress>): readonly string[] =>
  replacing(work, progress).map(({ removal }) => removal.target);

/** Returns why nothing goes forward, where a way back was begun; null where none was. */
export function failureOfBack(work: Work, progress: ReadonlyMap<number, StepProgress>): string | null {
  const isBegun = replacementsOf(work).some(({ removal, stops }) =>
    [removal, ...stops].some(({ n }) => {
      const at = progress.get(n);
      return at?.state === "undone" || at?.noted["back"] === true;
    })
  );
  if (!isBegun) return null;
  const why = replacementsOf(work).map(({ removal }) => progress.get(removal.n)?.noted["why"])
    .find((one) => typeof one === "string");
  return why ?? titleOfFailure(progress) ?? "It was ended before its network was replaced";
}

const titleOfFailure = (progress: ReadonlyMap<number, StepProgress>): string | null =>
  [...progress.values()].find(({ state }) => state === "failed")?.error?.title ?? null;

/** Returns what became of the networks that came back; null where none had to. */
export function wordsOfBack(work: Work, progress: ReadonlyMap<number, StepProgress>): string | null {
  const words = replacementsOf(work).flatMap(({ removal, stops }) =>
    [removal, ...stops].map(({ n }) => progress.get(n)?.noted["words"]).filter((one) =>
      typeof one === "string"
    )
  );
  return words.length === 0 ? null : words.join(". ");
}

/** Options of a network may be secret. */
const placeOf = (apply: string, { n }: Step): string => `apply ${apply} step ${n}`;

/** Notes the network and its members, before anything of them changes. */
export async function noteNetwork(hand: Hand, members: readonly { readonly id: string }[]): Promise<void> {
  const { acts, orders, step, noted, work } = hand;
  const { n, target } = step;
  if (noted["held"] !== undefined || !replacementsOf(work).some(({ removal }) => removal.n === n)) return;
  const joined: Member[] = [];
  for (const { id } of members) {
    const found = await acts.find(id);
    const network = found?.networks.find(({ name }) => name === target);
    if (!found || network === undefined) continue;
    // Podman tells no address that was asked for.
    const declared = orders.kind === "podman" ? orders.membership(found, target) : null;
    const { ipv4Address, ipv6Address } = declared ?? network;
    joined.push({ id, network, declared: declared && { ...network, ipv4Address, ipv6Address } });
  }
  const held: Held = { network: await acts.networkNow(target), joined };
  const sealed = await hand.seal.seal(JSON.stringify(held), placeOf(hand.apply, step));
  await hand.note({ held: sealed.toBase64() });
}

export interface BackOptions {
  readonly apply: string;
  readonly work: Work;
  readonly journal: Journal;
  readonly seal: TextSeal;
  readonly progress: () => Promise<ReadonlyMap<number, StepProgress>>;
  readonly actsOf: (step: Step) => EngineActs;
  readonly siblings: Hand["siblings"];
  readonly isAway: (error: ServiceError) => boolean;
}

/** Brings all of them back. Throws what the engine answers that is away, and what the store throws. */
export async function networksBack(options: BackOptions): Promise<void> {
  const before = await options.progress();
  const back = replacing(options.work, before).map((one) => new NetworkBack(options, one, before));
  for (const one of back) await one.network();
  // After all of them: a container may be in several.
  for (const one of back) await one.containers();
}

class NetworkBack {
  #refusal: ServiceError | null = null;
  /** Returns true if nothing is known of what was asked. */
  readonly #isOpen = (error: unknown) =>
    !(error instanceof ServiceError) || isStoreAway(error) || this.options.isAway(error);

  constructor(
    private readonly options: BackOptions,
    private readonly of: Replacement,
    private readonly before: ReadonlyMap<number, StepProgress>,
  ) {}

  /** Makes the network again and connects its members. */
  async network(): Promise<void> {
    const { removal } = this.of;
    const at = this.before.get(removal.n);
    if (at === undefined || at.state === "undone") return; // it is there as it was
    const { journal, actsOf } = this.options;
    const acts = actsOf(removal);
    const why = at.noted["why"] ?? titleOfFailure(this.before);
    await journal.note(removal, { back: true, why }, lineOf(at));
    const held = await this.#heldIn(at.noted);
    const there = await acts.network(removal.target);
    const kind = there === null || this.#isNew(there) ? "network.create" : null;
    const work = () => this.#makeAgain(acts, held);
    await this.#attempt(() => journal.undo(removal, kind, work, this.#isOpen));
  }

  /** Starts the containers that were stopped, and anew those that share their namespaces; notes how it went. */
  async containers(): Promise<void> {
    const { journal, work, actsOf, progress, siblings } = this.options;
    const { removal, stops } = this.of;
    const sharers = await allSharers({ acts: actsOf(removal), siblings });
    for (const stop of stops) {
      const at = this.before.get(stop.n);
      if (at === undefined || at.state === "undone" || at.state === "skipped") continue;
      const acts = actsOf(stop);
      const found = await acts.find(work.subjects[stop.n]?.id ?? stop.target);
      if (found === null) this.#refusal ??= touched(stop.target, "removed");
      else {
        const stranded = () => strandedBy({ acts, siblings: () => Promise.resolve(sharers) }, found.id);
        const kind = isUp(found) && (await stranded()).length === 0 ? null : "container.start";
        const start = async () => {
          if (!isUp(found)) await acts.start(found.id);
          for (const one of await stranded()) await acts.restart(one.id, graceOf(one));
        };
        await this.#attempt(() => journal.undo(stop, kind, start, this.#isOpen));
      }
    }
    const now = await progress();
    const told = [removal, ...stops].find(({ n }) => now.has(n));
    if (told !== undefined) await journal.note(told, { words: this.#words() }, lineOf(now.get(told.n)!)); // it is there
  }

  #words(): string {
    const name = this.of.removal.target;
    return this.#refusal === null
      ? `The network "${name}" is what it was, and its containers run again`
      : `The network "${name}" did not come back as it was: ${this.#refusal.discreet}`;
  }

  /** Returns true if this apply made it. */
  #isNew({ labels }: Labelled): boolean {
    return labels[MARK] === markOf(this.options.apply, this.of.made.n);
  }

  /** Nothing is known of what cannot be opened. */
  async #heldIn({ held }: Noted): Promise<Held> {
    const { apply, seal } = this.options;
    const place = placeOf(apply, this.of.removal);
    const none: Held = { network: null, joined: [] };
    if (typeof held !== "string") return none;
    try {
      const text = await seal.open(Uint8Array.fromBase64(held), place);
      return text === null ? none : JSON.parse(text);
    } catch (error) {
      if (error instanceof SyntaxError) return none;
      throw error;
    }
  }

  async #makeAgain(acts: EngineActs, { network, joined }: Held): Promise<void> {
    const { removal: { target: name } } = this.of;
    const { work } = this.options;
    const found = await acts.network(name);
    const isNew = found !== null && this.#isNew(found);
    if (isNew && network !== null) await this.#removeNew(acts, joined);
    if (network !== null && (found === null || isNew)) {
      await unlessDone(
        acts,
        () => acts.recreateNetwork(network),
        async () => await acts.network(name) !== null,
      );
    }
    const there = await acts.network(name);
    if (there === null || projectOf(there.labels) !== work.plan.project) {
      throw failed(`nothing could bring the network "${name}" back`);
    }
    for (const member of joined) {
      const found = await acts.find(member.id);
      if (found === null || found.networks.some((one) => one.name === name)) continue;
      await this.#attempt(() => this.#joinAgain(acts, member));
    }
    if (this.#refusal !== null) throw this.#refusal;
    if (isNew && network === null) throw failed("nobody knows how it was made");
  }

  /** Removes the new network, which its members leave. Those that were stopped for it stand still meanwhile. */
  async #removeNew(acts: EngineActs, joined: readonly Member[]): Promise<void> {
    const { removal: { target: name }, stops } = this.of;
    const { subjects } = this.options.work;
    const users = await acts.usersOf(name);
    const found = await Promise.all(users.map(({ id }) => acts.find(id)));
    const members = found.filter((one) => one !== null);
    const isMember = (id: string) => joined.some((one) => one.id === id);
    const others = members.filter(({ id, networkMode }) =>
      !isMember(id) && !networkMode.startsWith("container:")
    );
    if (others.length > 0) {
      throw failed(`"${others.map((one) => one.name).join('", "')}" is in the new one already`);
    }
    for (const one of members) {
      if (isUp(one) && stops.some(({ n }) => subjects[n]?.id === one.id)) {
        await acts.stop(one.id, graceOf(one));
      }
      if (isMember(one.id)) await acts.disconnect(one.id, name);
    }
    await unlessDone(acts, () => acts.removeNetwork(name), async () => await acts.network(name) === null);
  }

  /** Keeps the first refusal: the rest is brought back all the same. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof ServiceError) || this.#isOpen(error)) throw error;
      this.#refusal ??= error;
    }
  }

  /** Connects a container as it was. */
  async #joinAgain(acts: EngineActs, { id, network, declared }: Member): Promise<void> {
    if (declared !== null) {
      try {
        return await acts.connect(id, declared);
      } catch (error) {
        if (this.#isOpen(error)) throw error;
      }
    }
    await acts.connect(id, network);
  }
}

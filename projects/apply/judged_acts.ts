/** The acts of an apply, each judged by the rights of its applier on the very object that the engine receives. */

import type { Place } from "../../artifacts/artifact.ts";
import { isBelow, isInside } from "../../artifacts/files/inside.ts";
import { pinned } from "../../artifacts/files/pinned.ts";
import { rootOf, sentAs, sentFor } from "../../artifacts/live/mapped_paths.ts";
import { containerNeeds, joinedBy, joinNeeds } from "../../core/container_needs.ts";
import type { EngineActs } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import { buildNeeds, commandNeeds, networkNeeds, volumeNeeds } from "../../core/object_needs.ts";
import type { ContainerSpec, Holdings, InspectedContainer } from "../../core/runtime.ts";
import type { SpecFacts, SpecNeed } from "../../core/spec_rows.ts";
import { needOf, placeOfField } from "../plan/needs.ts";
import type { Need, Step } from "../plan/plan_shape.ts";
import { bindsIn, placesOf } from "../specs/bind_sources.ts";
import { specFacts } from "../specs/facts.ts";
import type { Placed } from "../specs/host_places.ts";
import { failed } from "./hand.ts";
import { holdingsWith, unheardOn } from "./heard.ts";
import { lenderOf } from "./lender.ts";
import { mountedElsewhere } from "./mounted.ts";
import type { Orders } from "./orders.ts";

interface JudgeOptions {
  readonly orders: Orders;
  readonly step: Step;
  readonly workspace: string;
  /** Returns the needs that the applier does not hold now. */
  readonly lackingOf: (needs: readonly Need[]) => Promise<readonly Need[]>;
  /** The permissions that the steps of the apply ask for: those were proved, or refused to nobody present. */
  readonly named: ReadonlySet<Need["permission"]>;
}

export function judgedActs(acts: EngineActs, options: JudgeOptions): EngineActs {
  const judge = new ActJudge(acts, options);
  return {
    ...acts,
    create: async (name, spec) => acts.create(name, await judge.container(spec)),
    start: (id) => judge.starting(id, () => acts.start(id)),
    restart: (id, graceSeconds) => judge.starting(id, () => acts.restart(id, graceSeconds)),
    update: async (id, spec) => {
      await judge.refuse(containerNeeds(spec, await judge.facts()));
      await acts.update(id, spec);
    },
    connect: async (id, network) => {
      await judge.refuse(joinNeeds(network, await judge.facts()));
      await acts.connect(id, network);
    },
    run: async (id, order) => {
      await judge.refuse(commandNeeds({ privileged: order.privileged }));
      return await acts.run(id, order);
    },
    build: async (order) => {
      await judge.refuse(buildNeeds(order.spec, order.place, options.orders.kind));
      await acts.build(order);
    },
    createNetwork: async (spec) => {
      await judge.refuse(networkNeeds(spec));
      await acts.createNetwork(spec);
    },
    createVolume: async (spec) => {
      await judge.refuse(volumeNeeds(spec));
      await acts.createVolume(spec);
    },
  };
}

class ActJudge {
  constructor(private readonly acts: EngineActs, private readonly options: JudgeOptions) {}

  /** Returns the spec with the links of its sources followed. Throws `apply_failed` for a right that is missing. */
  async container(spec: Partial<ContainerSpec>): Promise<Partial<ContainerSpec>> {
    const { model } = this.#ground;
    const lent = await this.#joinedBy(spec);
    const sources = [spec, ...lent.values()].flatMap((one) => bindsIn(one).map(({ source }) => source));
    const holdings = await this.#heldNow(sources);
    const placed = await this.#placesOf(holdings, sources);
    await this.#refuseUnnamed(containerNeeds(spec, await this.facts(holdings, placed, lent)));
    if (spec.mounts === undefined) return spec;
    return {
      ...spec,
      mounts: spec.mounts.map((mount) => {
        const found = mount.type === "bind" ? placed.get(mount.source) : undefined;
        if (found === undefined) return mount;
        // Another host's paths are not this disk's: only the workspace is the same on both.
        const source = isInside(found.path, model.root) ? sentFor(model, found.path) : mount.source;
        // An engine that does not have it must not make an empty folder in its place.
        return found.identity === null
          ? { ...mount, source }
          : { ...mount, source, mustExist: true as const };
      }),
    };
  }

  /** Returns the containers that one with this spec joins, and those that they join, as they are now. */
  async #joinedBy(spec: Partial<ContainerSpec>): Promise<ReadonlyMap<string, Partial<ContainerSpec>>> {
    const found = new Map<string, Partial<ContainerSpec>>();
    const open = [...joinedBy(spec)];
    for (let container = open.pop(); container !== undefined; container = open.pop()) {
      if (found.has(container)) continue;
      const now = this.#here(await this.acts.find(container));
      if (now === null) continue;
      found.set(container, lenderOf(now, this.#kind));
      open.push(...joinedBy(now));
    }
    return found;
  }

  /**
   * Starts a container whose sources still lead where they did: engines follow its links anew at every start. Stops it
   * if the engine mounted others, and removes it if it had never run: an older one has data, and may be what comes back.
   */
  async starting(id: string, start: () => Promise<void>): Promise<void> {
    const { acts } = this;
    const found = this.#here(await acts.find(id));
    const sources = found === null ? [] : this.#ownSources(found);
    if (found === null || sources.length === 0) return await start();
    const holdings = await this.#holdings();
    const placed = await this.#settled(found, holdings, sources);
    await start();
    const seen = await this.#withMade(holdings, placed);
    const elsewhere = await mountedElsewhere(this.#here(await acts.find(id)), seen);
    const isNamed = this.options.named.has("projects:host");
    if (elsewhere === null || (isNamed && (await this.#lacking([hostNeed(elsewhere)])).length === 0)) return;
    await acts.kill(id).catch(() => {}); // It may have ended by itself, and the stop says what is wrong.
    await acts.stop(id, 0);
    if (found.state === "created") await acts.remove(id);
    throw failed(`Container "${found.name}" was ended: "${elsewhere}" was exchanged while it started`);
  }

  /**
   * Returns the places of the sources, which lead nowhere that the applier may not mount in any of several looks. Nobody
   * waits between the last ones and the start, so that an exchange that goes on all the time shows itself in one of them.
   */
  async #settled(
    found: InspectedContainer,
    holdings: Holdings,
    sources: readonly string[],
  ): Promise<ReadonlyMap<string, Placed>> {
    for (let tries = 0; tries < TRIES; tries++) {
      const placed = await this.#placesOf(holdings, sources);
      await this.#refuseMoved(found, await this.facts(holdings, placed), placed);
      if (isStill(placed)) return placed;
    }
    throw failed(`Cannot start "${found.name}": its folders are exchanged all the time`);
  }

  /** Looks again at sources that were not there before the start: the engine makes some, and others may have, too. */
  async #withMade(
    holdings: Holdings,
    placed: ReadonlyMap<string, Placed>,
  ): Promise<ReadonlyMap<string, Placed>> {
    const missing = [...placed].filter(([, { identity }]) => identity === null).map(([source]) => source);
    const now = await this.#placesOf(holdings, missing);
    return new Map([...placed, ...[...now].filter(([source, { path }]) => path === source)]);
  }

  /** The container with the sources of its mounts as paths of this machine: each under every path that they may have. */
  #here(found: InspectedContainer | null): InspectedContainer | null {
    const { model } = this.#ground;
    return found && {
      ...found,
      mounts: found.mounts.flatMap((mount) =>
        mount.type === "bind" ? sentAs(model, mount.source).map((source) => ({ ...mount, source })) : [mount]
      ),
    };
  }

  /** Throws `apply_failed` with the first need that the applier does not hold. */
  async refuse(needs: readonly SpecNeed[]): Promise<void> {
    const [first] = await this.#lacking(needs);
    if (first === undefined) return;
    const { permission } = first;
    throw this.#refused(
      first,
      `needs the permission "${permission}". Ask somebody who holds it to apply a new plan`,
    );
  }

  /** Of an engine that cannot be asked nobody knows what it has, and so not what is refused. */
  #refused({ field, why, at }: Need, reason: string): ServiceError {
    const { step: { kind, target } } = this.options;
    const away = unheardOn(this.#ground.runtime, this.#ground.backend);
    if (away !== null) return away;
    const where = at === undefined ? "" : ` (${at.file}:${at.range.start.line})`;
    return failed(`Cannot carry out ${kind} of "${target}": ${field} ${why}${where}, which ${reason}`);
  }

  /**
   * Refuses, besides, rights over the host that no step named, whoever holds them: they were neither proved by a recent
   * sign-in, nor refused to a plan that is carried out with nobody present.
   */
  async #refuseUnnamed(needs: readonly SpecNeed[]): Promise<void> {
    await this.refuse(needs);
    if (this.options.named.has("projects:host")) return;
    const unnamed = this.#needsOf(needs, await this.#holdings()).find(({ permission }) =>
      permission === "projects:host"
    );
    if (unnamed !== undefined) throw this.#refused(unnamed, "the plan did not say. Make a new plan");
  }

  async facts(
    holdings?: Holdings,
    placed: ReadonlyMap<string, Placed> = new Map(),
    lent: ReadonlyMap<string, Partial<ContainerSpec>> = new Map(),
  ): Promise<SpecFacts> {
    const { group, backend } = this.#ground;
    const own = new Set((await this.options.orders.containers()).flatMap(({ id, name }) => [id, name]));
    const known = holdings ?? await this.#holdings();
    const facts = specFacts({
      group,
      engine: backend,
      holdings: known,
      places: placed,
      isOwnContainer: (container) => own.has(container),
      specOf: (container) => lent.get(container) ?? null,
    });
    return {
      ...facts,
      // A volume without a name goes from the old container to the new one.
      volumeOwner: (name) =>
        /^[0-9a-f]{64}$/.test(name) && isUsedBy(known, name, own) ? "own" : facts.volumeOwner(name),
    };
  }

  get #ground() {
    return this.options.orders.ground;
  }

  get #kind() {
    const { runtime, backend } = this.#ground;
    return runtime.backends().find(({ name }) => name === backend)?.kind;
  }

  /** Returns the holdings with containers that were made a moment ago: they may write to the folders of these sources. */
  async #heldNow(sources: readonly string[]): Promise<Holdings> {
    const { runtime, backend, model } = this.#ground;
    if (this.#kind === "podman" && sources.some((source) => isBelow(source, model.root))) {
      await runtime.relist(backend, "containers");
    }
    return await this.#holdings();
  }

  async #holdings(): Promise<Holdings> {
    const { runtime, backend } = this.#ground;
    return await holdingsWith(runtime, backend);
  }

  #placesOf(holdings: Holdings, sources: readonly string[]) {
    const { model, group, backend: engine, runtime } = this.#ground;
    // Asked anew: a link on the way to it can lead elsewhere by now.
    const sight = () => runtime.sightOf(rootOf(model), engine, 0);
    return placesOf({ model, group, engine, holdings, sight }, sources);
  }

  /** Returns the bind sources that lay in the workspace when the container was made. */
  #ownSources(found: InspectedContainer): readonly string[] {
    const { root } = this.#ground.model;
    return bindsIn(found).map(({ source }) => source).filter((source) => isBelow(source, root));
  }

  /** Judges the sources that lead elsewhere by now. One that was made as it is stays with whoever made it. */
  async #refuseMoved(
    found: InspectedContainer,
    facts: SpecFacts,
    placed: ReadonlyMap<string, Placed>,
  ): Promise<void> {
    const moved = bindsIn(found).filter(({ source }) => {
      const path = placed.get(source)?.path;
      return path !== undefined && path !== source;
    });
    try {
      const needs = containerNeeds({ mounts: moved }, facts);
      // One that others made may have had its links from the beginning, and no plan says so.
      await (found.state === "created" ? this.#refuseUnnamed(needs) : this.refuse(needs));
    } catch (error) {
      if (found.state === "created" && isRefusal(error)) await this.acts.remove(found.id);
      throw error;
    }
  }

  async #lacking(needs: readonly SpecNeed[]): Promise<readonly Need[]> {
    return needs.length === 0
      ? []
      : await this.options.lackingOf(this.#needsOf(needs, await this.#holdings()));
  }

  #needsOf(needs: readonly SpecNeed[], held: Holdings): Need[] {
    const { orders, step, workspace } = this.options;
    const { group, backend, runtime } = this.#ground;
    const scene = { group, runtime, backend: { name: backend }, workspace: { id: workspace } };
    return needs.map((one) => {
      const list = one.right === "network" ? held.networks : held.volumes;
      const owner = list?.find(({ name, backend: on }) => name === one.name && on === backend);
      return needOf(scene, one, placeIn(orders, step, one.field), owner?.labels[PROJECT] ?? null);
    });
  }
}

const PROJECT = "com.docker.compose.project";

/** Looks right before a start. Each finds one that exchanges a folder all the time with the chance of a half. */
const LOOKS = 16;
/** Somebody with the right to both folders may exchange them now and then. */
const TRIES = 5;

/** Returns true if each source leads to the same folder in every look. */
const isStill = (placed: ReadonlyMap<string, Placed>): boolean =>
  [...placed].every(([source, { identity }]) =>
    Array.from({ length: LOOKS }, () => pinned(source)?.identity ?? null).every((now) => now === identity)
  );

/** Returns true if it was judged: an engine or a store that is away says nothing of its rights. */
const isRefusal = (error: unknown): boolean => error instanceof ServiceError && error.code === "apply_failed";

const hostNeed = (source: string): SpecNeed => ({
  right: "host",
  field: "mounts",
  why: `mounts "${source}", which leads out of the workspace`,
});

const isUsedBy = ({ volumes }: Holdings, name: string, own: ReadonlySet<string>): boolean =>
  volumes?.some((one) => one.name === name && one.users.some(({ id }) => own.has(id))) === true;

/** Returns where the field is written; the group itself for a unit that is not in the files any more. */
function placeIn(orders: Orders, step: Step, field: string): Place {
  const { group } = orders.ground;
  const isThere = step.unit !== null && group.units.some(({ id }) => id === step.unit);
  return isThere ? placeOfField(orders.declared(step), field) : group.source;
}

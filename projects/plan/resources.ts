/** Images, networks and volumes: what the units of a plan need before their containers. */

import type { Place, Resource, Unit } from "../../artifacts/artifact.ts";
import { textOf, valueAt, writtenOr } from "../../artifacts/yaml/values.ts";
import type { HeldNetwork } from "../../core/held_objects.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { buildOf } from "../builds/build_spec.ts";
import type { Declared } from "../fields/field.ts";
import { platformOf } from "../fields/identity.ts";
import { mountedImages } from "../fields/mount_sources.ts";
import { fullImage, imageNames } from "../fields/process.ts";
import { projectOf } from "../hash/labels.ts";
import { isRedefined } from "../hash/resource_labels.ts";
import { NO_REMEDY, planWith } from "../../core/remedy.ts";
import { buildersOf } from "./builders.ts";
import { type Draft, edited } from "./draft.ts";
import { type HooksWanted, planHooks } from "./hooks.ts";
import { acting, applying, building, makingResource } from "./needs.ts";
import type { PlanRequest, Reason } from "./plan_shape.ts";
import { blockByOthers } from "./network_users.ts";
import { networkDifferences, redefinedNetworks } from "./network_differences.ts";
import { policyOf, pullEveryMs } from "./pull_policy.ts";
import { declaredOf, type Scene } from "./scene.ts";
import { blockByOwnRemoval } from "./removal.ts";
import { blockBySubnet } from "./taken_subnets.ts";

const BUILT_ELSEWHERE = NO_REMEDY("berth cannot build it");
const NOT_OURS = NO_REMEDY("berth changes nothing that others use");

const reasonOf = (isThere: boolean, pull: PlanRequest["pull"]) =>
  !isThere ? "absent" : pull === "policy" ? "policy" : "asked";

/** The steps that bring what a unit needs, by what they bring. */
export class Resources {
  readonly #steps = new Map<string, number[]>();
  readonly #refreshes = new Set<number>();
  readonly #pull: PlanRequest["pull"];
  readonly #build: boolean;
  /** The wish for containers whose service is not in the files; null where the plan could not remove them. */
  readonly #orphans: PlanRequest["orphans"] | null;
  /** The newer digests that are pulled, by unit. */
  readonly #newer: ReadonlyMap<string, string>;
  /** The images that the engine has. */
  readonly #held: ReadonlySet<string>;
  /** The units that build, by the image that they build. */
  readonly #builders: ReadonlyMap<string, Unit>;

  constructor(
    readonly scene: Scene,
    readonly draft: Draft,
    { pull, build, newer, orphans, action }: Pick<PlanRequest, "pull" | "build" | "orphans" | "action"> & {
      readonly newer: ReadonlyMap<string, string>;
    },
  ) {
    this.#pull = pull;
    this.#build = build;
    this.#orphans = action === "up" ? orphans : null;
    this.#newer = newer;
    const { holdings, backend, model, group } = scene;
    this.#builders = buildersOf(model, group);
    this.#held = new Set(
      holdings.images.filter((one) => one.backend === backend.name).map(({ name }) => fullImage(name)),
    );
  }

  /** Steps that start a container again, because a network of it is replaced, and its hooks behind them. */
  readonly startedAgain = new Map<string, readonly number[]>();
  /** The same, and those that only connect a container which did not run: what else becomes of it comes after. */
  readonly reconnected = new Map<string, readonly number[]>();

  /** The ids of units that only follow others: nothing is replaced, built or pulled anew for them. */
  readonly followers = new Set<string>();

  /** The steps that bring its image. */
  image(unit: Unit): number[] {
    const mounted = this.#once(`mounted ${unit.id}`, () => this.#mounted(unit));
    return [...new Set([...this.#once(`image ${unit.id}`, () => this.#image(unit)), ...mounted])];
  }

  /** The steps that bring the images that it mounts: only those that are not there, as for Compose. */
  #mounted(unit: Unit): number[] {
    const { scene, draft } = this;
    return (unit.service === null ? [] : mountedImages(unit.service)).flatMap(({ name, written, at }) => {
      if (this.#held.has(fullImage(name))) return [];
      const builder = this.#builders.get(name);
      if (builder !== undefined) return this.#once(`image ${builder.id}`, () => this.#image(builder));
      if (this.#pull === "never") {
        const message = `The image "${written}", which is mounted, is not there, and is not to be pulled`;
        draft.block("project/image-absent", message, at, unit.id, [planWith("pull", null)]);
        return [];
      }
      return this.#once(`image.pull ${name}  `, () => [
        draft.add({
          kind: "image.pull",
          target: written,
          unit: unit.id,
          why: [{ code: "absent" }],
          after: [],
          needs: [acting(scene, "pullImage", null)],
        }),
      ]);
    });
  }

  /** Returns those steps that may bring another image in place of one that is there. */
  refreshed(unit: Unit): number[] {
    return this.image(unit).filter((step) => this.#refreshes.has(step));
  }

  /** Replaces those of its networks that the files define anew. */
  replaced(unit: Unit): void {
    for (const resource of redefinedNetworks(this.scene, this.#usedBy(unit))) {
      this.#once(resource.id, () => this.#network(resource));
    }
  }

  #usedBy(unit: Unit): readonly Resource[] {
    const names = new Set(
      unit.references.flatMap(({ kind, target }) => kind === "uses" && target ? [target] : []),
    );
    return this.scene.group.resources.filter(({ id }) => names.has(id));
  }

  /** The steps that bring its networks and volumes. */
  shared(unit: Unit): number[] {
    const used = this.#usedBy(unit);
    const kept = this.followers.has(unit.id) ? redefinedNetworks(this.scene, used) : [];
    return used.filter((one) => !kept.includes(one) || this.#steps.has(one.id)).flatMap((resource) =>
      resource.kind === "network"
        ? this.#once(resource.id, () => this.#network(resource))
        : resource.kind === "volume"
        ? this.#once(resource.id, () => this.#volume(resource))
        : []
    );
  }

  #once(key: string, make: () => number[]): number[] {
    const known = this.#steps.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.#steps.set(key, made);
    return made;
  }

  #image(unit: Unit, isFollower = this.followers.has(unit.id)): number[] {
    const { scene, draft } = this;
    const of = declaredOf(scene.model, scene.group, unit);
    if (of === null) return [];
    const names = imageNames(of);
    const isHeld = names.some((name) => this.#held.has(fullImage(name)));
    // An image for another platform is not the one that is asked for.
    const isThere = isHeld && !scene.foreign.has(unit.id);
    if (isThere && isFollower) return [];
    const builder = this.#builderOf(of, names[0]!); // there is one at least
    if (builder !== null) return this.#once(`image ${builder.id}`, () => this.#image(builder, false));
    const at = of.service.imageAt ?? unit.source;
    const target = writtenOr(of.service.imageAt, names[0]!); // there is one at least
    const digest = this.#newer.get(unit.id);
    const how = digest === undefined ? this.#bring(of, isThere) : "image.pull";
    if (how === null) return [];
    if (how === "never") {
      const message = `The image "${target}" is not there, and is not to be pulled`;
      const isAsked = this.#pull === "never" && policyOf(of) !== "never";
      const remedies = isAsked ? [planWith("pull", null)] as const : edited(at);
      draft.block("project/image-absent", message, at, unit.id, remedies);
      return [];
    }
    if (how === "image.build") return this.#built(of, { target, at, isThere, isHeld });
    return this.#once(`${how} ${names[0]} ${digest ?? ""} ${platformOf(of)}`, () => {
      const step = draft.add({
        kind: how,
        target,
        unit: unit.id,
        why: [{ code: digest !== undefined ? "newerImage" : reasonOf(isThere, this.#pull) }],
        ...(digest !== undefined && { digest }),
        after: [],
        needs: [acting(scene, "pullImage", null)],
      });
      if (isHeld) this.#refreshes.add(step);
      return [step];
    });
  }

  /** Returns the unit of the group that builds the image which this one only uses. */
  #builderOf({ service }: Declared, name: string): Unit | null {
    return service.build !== null ? null : this.#builders.get(name) ?? null;
  }

  #built(
    of: Declared,
    { target, at, isThere, isHeld }: {
      readonly target: string;
      readonly at: Place;
      readonly isThere: boolean;
      readonly isHeld: boolean;
    },
  ): number[] {
    const { scene, draft } = this;
    const { unit } = of;
    const build = buildOf(of);
    if (build === null) return [];
    if ("refused" in build) {
      const command = `type "docker compose build ${unit.label}" in its folder, and ask for a new plan`;
      const report = isThere ? "warn" : "block";
      const state = isThere ? "is used as it is" : "is not there, and cannot be built";
      const message = `The image "${target}" ${state}, for ${build.refused}: ${command}`;
      draft[report]("project/build-refused", message, build.at, unit.id, BUILT_ELSEWHERE);
      return [];
    }
    return this.#once(`image.build ${build.spec.tags[0]}`, () => {
      const step = draft.add({
        kind: "image.build",
        target,
        unit: unit.id,
        why: [{ code: !isThere ? "absent" : this.#build ? "asked" : "policy" }],
        after: [],
        needs: building(scene, of, build, at),
      });
      if (isHeld) this.#refreshes.add(step);
      return [step];
    });
  }

  /** Returns the step that brings an image; null where it is there and is left as it is. */
  #bring(of: Declared, isThere: boolean): "image.pull" | "image.build" | "never" | null {
    const policy = policyOf(of);
    const isBuilt = of.service.build !== null && policy !== "always";
    if (isBuilt) return !isThere || this.#build || policy === "build" ? "image.build" : null;
    if (this.#pull === "never" || policy === "never") return isThere ? null : "never";
    if (!isThere || this.#pull === "always" || policy === "always") return "image.pull";
    const every = pullEveryMs(of);
    if (every === null) return null;
    const last = this.scene.pulledAt.get(fullImage(imageNames(of)[0]!)); // there is one at least
    return last === undefined || last + every <= Date.now() ? "image.pull" : null;
  }

  #network(resource: Resource): number[] {
    const { scene, draft } = this;
    const { name } = resource;
    if (name === null) return [];
    const [held, twin] = scene.holdings.networks.filter((one) =>
      one.name === name && one.backend === scene.backend.name
    );
    if (twin !== undefined) {
      const message = `Several networks are called "${resource.written ?? name}" on engine ` +
        `"${scene.backend.name}", and nobody knows which is meant: remove the others`;
      draft.block("project/network-twice", message, resource.at, resource.id, NOT_OURS);
      return [];
    }
    if (resource.external) {
      if (held === undefined || !scene.sees.resource(held.labels)) this.#missing("network", resource, name);
      return [];
    }
    const create = (why: readonly Reason[], after: readonly number[]) =>
      draft.add({
        kind: "network.create",
        target: resource.written ?? name,
        unit: null,
        why,
        after,
        needs: makingResource(scene, "network", resource, name),
      });
    if (held === undefined) {
      blockBySubnet(scene, resource, null, draft);
      return [create([{ code: "absent" }], [])];
    }
    this.#warnOfOwner("network", resource, name, held.labels);
    // Objects that others made are never replaced.
    if (projectOf(held.labels) !== scene.group.project) return [];
    const why = networkDifferences(resource, held);
    if (why.length === 0) return [];
    if (blockBySubnet(scene, resource, held, draft)) return [];
    return this.#replace(resource, held, why, create);
  }

  /** A new one cannot have the old one's name, so everybody is cut off while it is replaced. */
  #replace(
    resource: Resource,
    held: HeldNetwork,
    why: readonly Reason[],
    create: (why: readonly Reason[], after: readonly number[]) => number,
  ): number[] {
    const { scene, draft } = this;
    const containers = [...scene.members.values()].flat().map(({ container }) => container);
    if (blockByOthers(scene, { resource, held, members: containers, orphans: this.#orphans }, draft)) {
      return [];
    }
    // Podman lists those too that only share another container's network.
    const users = held.users.flatMap(({ id }) => containers.find((one) => one.id === id) ?? [])
      .filter(({ networkMode }) => !networkMode.startsWith("container:"))
      .sort((a, b) => a.name < b.name ? -1 : 1);
    if (blockByOwnRemoval(draft, resource, held.name, users)) return [];
    const needs = [applying(scene)];
    const act = (
      kind: "container.stop" | "network.connect" | "container.start",
      target: string,
      after: readonly number[],
    ) =>
      draft.add({
        kind,
        target,
        unit: null,
        why: kind === "container.stop" ? why : [{ code: "followsFrom", step: made, how: "network" }],
        after,
        needs,
        risk: kind === "container.stop" ? "interruption" : "none",
      });
    let made = 0;
    const running = users.filter(({ state }) => state === "running");
    const hooks = (
      { name, compose }: InspectedContainer,
      when: HooksWanted["when"],
      after: readonly number[],
    ) => {
      const unit = scene.group.units.find(({ label }) => label === compose?.service);
      const of = declaredOf(scene.model, scene.group, unit);
      return planHooks(scene, draft, of, { when, container: name, after });
    };
    const stops = running.map((one) => act("container.stop", one.name, hooks(one, "preStop", [])));
    const removed = draft.add({
      kind: "network.remove",
      target: held.name,
      unit: null,
      why,
      after: stops,
      needs,
      risk: "interruption",
    });
    made = create(why, [removed]);
    const connected = users.map(({ name }) => act("network.connect", name, [made]));
    for (const one of running) {
      const start = act("container.start", one.name, connected);
      this.startedAgain.set(one.id, [...new Set([start, ...hooks(one, "postStart", [start])])]);
    }
    for (const [i, { id }] of users.entries()) {
      const earlier = this.reconnected.get(id) ?? [];
      this.reconnected.set(id, [...earlier, connected[i]!, ...this.startedAgain.get(id) ?? []]); // one for each
    }
    return [made, ...connected, ...[...this.startedAgain.values()].flat()];
  }

  #volume(resource: Resource): number[] {
    const { scene, draft } = this;
    const { name } = resource;
    if (name === null) return [];
    const held = scene.holdings.volumes.find((one) =>
      one.name === name && one.backend === scene.backend.name
    );
    if (resource.external) {
      if (held === undefined || !scene.sees.resource(held.labels)) this.#missing("volume", resource, name);
      return [];
    }
    if (held === undefined) {
      const needs = makingResource(scene, "volume", resource, name);
      const why = [{ code: "absent" }] as const;
      return [draft.add({ kind: "volume.create", target: name, unit: null, why, after: [], needs })];
    }
    this.#warnOfOwner("volume", resource, name, held.labels);
    const shown = resource.written ?? name;
    const driver = textOf(valueAt(resource.value, "driver"));
    if (driver !== null && driver !== held.driver) {
      const message =
        `The volume "${shown}" has the driver "${held.driver}", not "${driver}": it is never replaced, ` +
        "for its data would go with it";
      const at = valueAt(resource.value, "driver");
      draft.warn("project/volume-changed", message, at, resource.id, edited(at));
    } else if (projectOf(held.labels) === scene.group.project && isRedefined(resource, held.labels)) {
      const message = `The volume "${shown}" was made of another definition (options or ` +
        `labels): it is never replaced, for its data would go with it`;
      draft.warn("project/volume-changed", message, resource.at, resource.id, edited(resource.at));
    }
    return [];
  }

  #missing(kind: string, resource: Resource, name: string): void {
    const shown = resource.written ?? name;
    const message = `The external ${kind} "${shown}" was not found on engine "${this.scene.backend.name}"`;
    this.draft.block("project/external-missing", message, resource.at, resource.id, edited(resource.at));
  }

  #warnOfOwner(
    kind: string,
    resource: Resource,
    name: string,
    labels: Readonly<Record<string, string>>,
  ): void {
    const owner = projectOf(labels);
    if (owner === this.scene.group.project) return;
    const whose = owner === null
      ? "nobody's project"
      : this.scene.sees.resource(labels)
      ? `the project "${owner}"`
      : "another project";
    const message = `The ${kind} "${resource.written ?? name}" belongs to ${whose}: it is used as it is`;
    this.draft.warn("project/not-own", message, resource.at, resource.id, edited(resource.at));
  }
}

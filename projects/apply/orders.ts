/** The orders of each step for the engine, made from the files as they are now: a journal holds none. */

import type { Group, Model, Resource, Unit } from "../../artifacts/artifact.ts";
import { writtenOr } from "../../artifacts/yaml/values.ts";
import { asideFor, nameWithoutAside } from "../../core/applies.ts";
import type { Command, EngineActs, NetworkSpec, VolumeSpec } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { ContainerSpec, InspectedContainer, RunningContainer } from "../../core/runtime.ts";
import type { ActingSwarmRuntime } from "../../core/stack_acts.ts";
import { prepareBuild, type PreparedBuild, type Reading } from "../builds/prepared.ts";
import { type Asked, type Declared, UNKNOWN } from "../fields/field.ts";
import { hooksOf } from "../fields/hooks.ts";
import { platformOf } from "../fields/identity.ts";
import { mountedImages } from "../fields/mount_sources.ts";
import { fullImage, imageNames } from "../fields/process.ts";
import { FIELDS } from "../fields/table.ts";
import type { Digest } from "../fields/engine_view.ts";
import { composeLabels, declaredLabels } from "../hash/labels.ts";
import { resourceLabels } from "../hash/resource_labels.ts";
import { keyOfHook } from "../plan/hooks.ts";
import type { Step } from "../plan/plan_shape.ts";
import { declaredOf } from "../plan/scene.ts";
import { containerSpec, unknownsOf } from "../specs/container_spec.ts";
import { networkSpec, volumeSpec } from "../specs/resource_specs.ts";
import { containersOn } from "./heard.ts";
import { MARK, markOf } from "./work.ts";

type NamedResource = Resource & { readonly kind: "network" | "volume" };

/** The files as they are now. */
export interface Sources {
  readonly model: Model;
  readonly group: Group;
  readonly digest: Digest;
  /** Digests of secrets and configs, by their ids. */
  readonly contents: ReadonlyMap<string, string>;
  /** Returns the ids of configs, each with the hash of its content: a swarm tells the contents that it has. */
  readonly hashes: () => Promise<ReadonlyMap<string, string>>;
  readonly reading: Reading;
}

export interface Ground extends Sources {
  readonly apply: string;
  readonly backend: string;
  readonly runtime: ActingSwarmRuntime;
  /** The version of Compose that labels name where nothing on the engine tells one. */
  readonly composeVersion: string;
}

export class Orders {
  readonly #units: ReadonlyMap<string, Unit>;

  constructor(readonly ground: Ground) {
    this.#units = new Map(ground.group.units.map((unit) => [unit.id, unit]));
  }

  declared({ unit }: Step): Declared {
    const { model, group } = this.ground;
    const of = declaredOf(model, group, unit === null ? undefined : this.#units.get(unit));
    if (of === null) throw gone(`the unit "${unit}"`);
    return of;
  }

  /** The name that the container of a step has, or will have: a plan shows a variable instead of its value. */
  containerName(step: Step): string {
    if (step.unit === null || !this.#units.has(step.unit)) return step.target;
    const { service } = this.declared(step);
    if (service.containerName === null) return step.target;
    return step.target === writtenOr(service.containerNameAt, service.containerName)
      ? service.containerName
      : step.target;
  }

  /** The name that a container has when it was made anew: a file may give it another one. */
  nameAfter(step: Step, before: string): string {
    const { service, unit, group } = this.declared(step);
    if (service.containerName !== null) return service.containerName;
    const own = nameWithoutAside(before);
    const number = numberOf(own);
    // A name that a file gave before may end in a number, too.
    const isGiven = ["-", "_"].every((sign) => !own.endsWith([group.project, unit.label, number].join(sign)));
    return isGiven ? `${group.project}-${unit.label}-1` : own;
  }

  /** Returns true if the engine chooses among ports when a container of the step starts. */
  hasPortRange(step: Step): boolean {
    if (step.unit === null || !this.#units.has(step.unit)) return false;
    const asking = { name: "", containerOf: () => undefined, nameOf: () => undefined };
    const asked = containerSpec(this.declared(step), asking, (key) => key === "ports");
    return asked.ports?.some(({ hostLast }) => hostLast !== undefined) === true;
  }

  get kind(): "docker" | "podman" {
    const { backend, runtime } = this.ground;
    return runtime.backends().find(({ name }) => name === backend)?.kind ?? "docker";
  }

  /** The reference that is pulled for a step. */
  reference(step: Step): string {
    return this.#mounted(step) ?? imageNames(this.declared(step))[0]!; // there is one at least
  }

  /** The platform that is pulled for a step; empty for the engine's own. */
  platform(step: Step): string {
    return this.#mounted(step) === null ? platformOf(this.declared(step)) : "";
  }

  /** The image of a step that its unit only mounts. */
  #mounted(step: Step): string | null {
    const of = this.declared(step);
    if (step.target === writtenOr(of.service.imageAt, imageNames(of)[0]!)) return null; // there is one at least
    return mountedImages(of.service).find(({ written }) => written === step.target)?.name ?? null;
  }

  /** The image of a step as it is built now. Throws `apply_failed` with what is in the way. */
  async build(step: Step): Promise<PreparedBuild> {
    const version = this.#composeVersion(await this.#running());
    return await prepareBuild(this.declared(step), this.ground.reading, version);
  }

  /** All that the container of a step is made with, and the engine's id of its image. */
  async container(step: Step, acts: EngineActs): Promise<Asked> {
    const of = this.declared(step);
    const name = this.nameAfter(step, this.containerName(step));
    const running = await this.#running();
    const standing = (service: string) => {
      const found = standingFor(this.#own(running), service);
      // A name as it is written would be taken for that of something else.
      if (found === undefined) throw notSeen(service);
      return found;
    };
    const containerOf = (service: string) => standing(service).id;
    const [unknown] = unknownsOf(of);
    if (unknown !== undefined) throw gone(`the value of "${unknown.field}"`);
    const asked = containerSpec(of, { name, containerOf, nameOf: (service) => standing(service).name });
    const { image, imageId } = await this.#image(of, acts);
    const labels = composeLabels({
      of,
      number: of.service.containerName === null ? Number(numberOf(name) ?? "1") : 1,
      imageId,
      version: this.#composeVersion(running),
      containerOf,
    });
    return {
      ...asked,
      image,
      labels: {
        ...asked.labels,
        ...labels,
        ...declaredLabels(of, this.ground.digest, this.ground.contents),
        [MARK]: markOf(this.ground.apply, step.n),
      },
    };
  }

  /** The command of a step that runs one. */
  hook({ hook, ...step }: Step): Command {
    const found = hook === undefined ? null : hooksOf(this.declared(step), keyOfHook(hook));
    const one = found === null || found === UNKNOWN ? undefined : found.value[hook!.index]; // it was found by it
    if (one === undefined) throw gone(`the hook of "${step.target}"`);
    return one;
  }

  /** Only what is changed in place. */
  limits(step: Step, container: InspectedContainer): Partial<ContainerSpec> {
    const of = this.declared(step);
    const fields = new Set(step.why.flatMap((reason) => reason.code === "field" ? [reason.field] : []));
    const asking = { name: container.name, containerOf: () => undefined, nameOf: () => undefined };
    const inPlace = new Set(FIELDS.filter(({ change }) => change === "update").map(({ key }) => key));
    const asked = containerSpec(
      of,
      asking,
      (key) => inPlace.has(key) && [...fields].some((field) => isOf(field, key)),
    );
    const { memoryLimitBytes: memory } = asked;
    // An engine gives a new container twice the memory as swap, and refuses a limit beyond the swap of one that is there.
    if (memory !== undefined && memory !== null && !isDeclared("limits.memorySwap", of)) {
      asked.memorySwapBytes = 2 * memory;
    }
    return asked;
  }

  /** Returns the membership of a container in a network; null where its unit is not in it. */
  membership(
    { compose, name }: InspectedContainer,
    network: string,
  ): ContainerSpec["networks"][number] | null {
    const { model, group } = this.ground;
    const unit = group.units.find(({ label }) => label === compose?.service);
    const of = declaredOf(model, group, unit);
    if (of === null) return null;
    const asking = { name, containerOf: () => undefined, nameOf: () => undefined };
    const asked = containerSpec(of, asking, (key) => key === "networks");
    return asked.networks?.find((one) => one.name === network) ?? null;
  }

  async network(step: Step): Promise<NetworkSpec> {
    const { resource, name } = this.resource("network", step);
    return networkSpec(resource, name, await this.#labels(resource, step));
  }

  async volume(step: Step): Promise<VolumeSpec> {
    const { resource, name } = this.resource("volume", step);
    return volumeSpec(resource, name, await this.#labels(resource, step));
  }

  /** The network or volume of a step, and the engine's name of it. */
  resource(kind: "network" | "volume", { target }: Step): { resource: NamedResource; name: string } {
    const resource = this.ground.group.resources.find((one): one is NamedResource =>
      one.kind === kind && !one.external && (one.name === target || one.written === target)
    );
    if (resource === undefined || resource.name === null) throw gone(`the ${kind} "${target}"`);
    return { resource, name: resource.name };
  }

  /** The containers of the project that are there now. Throws `engine_unavailable` while the engine cannot be asked. */
  async containers(): Promise<readonly RunningContainer[]> {
    return this.#own(await this.#running());
  }

  /** Lists them anew on the engine, which may not have announced all of them yet. */
  async relist(): Promise<void> {
    const { backend, runtime } = this.ground;
    await runtime.relist(backend, "containers").catch(() => {}); // then the engine cannot be asked, as the next look says
  }

  /** Returns the containers of one service, without those of a swap. */
  async containersOf(service: string): Promise<readonly RunningContainer[]> {
    return (await this.containers()).filter(({ compose, name }) =>
      compose?.service === service && asideFor(name) === null
    );
  }

  #running(): Promise<readonly RunningContainer[]> {
    return containersOn(this.ground.runtime, this.ground.backend);
  }

  #own(here: readonly RunningContainer[]): RunningContainer[] {
    const { group } = this.ground;
    return here.filter((one) =>
      one.compose?.project === group.project &&
      !/^true$/i.test(one.labels["com.docker.compose.oneoff"] ?? "")
    );
  }

  async #labels(resource: NamedResource, step: Step): Promise<Record<string, string>> {
    const { group, apply } = this.ground;
    const version = this.#composeVersion(await this.#running());
    return { ...resourceLabels(group, resource, version), [MARK]: markOf(apply, step.n) };
  }

  async #image(of: Declared, acts: EngineActs): Promise<{ image: string; imageId: string }> {
    const names = imageNames(of);
    for (const name of names) {
      const imageId = await acts.imageId(fullImage(name)) ?? await acts.imageId(name);
      if (imageId !== null) return { image: name, imageId };
    }
    throw new ServiceError("apply_failed", `Cannot create a container: the image "${names[0]}" is not there`);
  }

  /** Of the project's containers the newest version; else of all on the engine. */
  #composeVersion(here: readonly RunningContainer[]): string {
    const { composeVersion } = this.ground;
    for (const among of [this.#own(here), here]) {
      const versions = among.flatMap(({ labels }) => labels["com.docker.compose.version"] ?? []);
      const newest = versions.sort(byVersion).at(-1);
      if (newest !== undefined) return newest;
    }
    return composeVersion;
  }
}

/** The container that stands for a service: of several the one with the smallest number. */
function standingFor(own: readonly RunningContainer[], service: string): RunningContainer | undefined {
  const number = ({ labels }: RunningContainer) =>
    Number(labels["com.docker.compose.container-number"] ?? "1");
  return own.filter(({ compose, name }) => compose?.service === service && asideFor(name) === null)
    .sort((a, b) => number(a) - number(b))[0];
}

/** Returns the number at the end of the name that Compose gives a container. */
const numberOf = (name: string): string | undefined => /[-_](\d+)$/.exec(name)?.[1];

const isOf = (field: string, key: string): boolean => field === key || field.startsWith(`${key}.`);

const isDeclared = (key: string, of: Declared): boolean =>
  FIELDS.some((row) => row.key === key && row.at(of) !== null);

function byVersion(a: string, b: string): number {
  const parts = (text: string) => text.replace(/^v/, "").split(/[.+-]/).map((part) => Number(part) || 0);
  const [one, other] = [parts(a), parts(b)];
  const at = one.findIndex((part, index) => part !== (other[index] ?? 0));
  return at < 0 ? 0 : one[at]! - (other[at] ?? 0);
}

const gone = (what: string): ServiceError =>
  new ServiceError("apply_failed", `Cannot go on: ${what} is no longer in the files; ask for a new plan`);

const notSeen = (service: string): ServiceError =>
  new ServiceError("engine_unavailable", `Cannot go on: no container of the service "${service}" is seen`);

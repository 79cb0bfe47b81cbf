/** Works out what would be done about a stack of a swarm, and changes nothing. */

import type { Group, Resource, Unit } from "../../artifacts/artifact.ts";
import { locationOf } from "../../artifacts/position.ts";
import { diagnosticOf } from "../../artifacts/report/report.ts";
import { resolvedAt } from "../../artifacts/report/values.ts";
import { ServiceError } from "../../core/error.ts";
import { NO_REMEDY, planWith } from "../../core/remedy.ts";
import type { ServiceSpec } from "../../core/service_spec.ts";
import type { SpecDifference, StackFile, StackService } from "../../core/stacks.ts";
import type { Declared } from "../fields/field.ts";
import { FIELDS, isOpenRow, maskedAt } from "../fields/table.ts";
import { ownNetworks, serviceSpec, stackName, stackNetworkSpec } from "../specs/service_spec.ts";
import { blockByErrors, blockByFiles } from "./blocked.ts";
import { Draft, edited } from "./draft.ts";
import { digestOf, type Looked, type Moved, movedBetween } from "./looked.ts";
import { linksOf, ordered } from "./order.ts";
import type { PlanBody, Reason } from "./plan_shape.ts";
import type { MadePlan } from "./plans.ts";
import { type Asked, declaredOf } from "./scene.ts";
import { blockByResources, blockByService, commandOf } from "./stack_blocked.ts";
import { type FileVersion, unusedVersions, versionOf } from "./stack_files.ts";
import {
  applyingToStack,
  makingFile,
  makingNetwork,
  makingService,
  placeOfServiceField,
  removingFromStack,
} from "./stack_needs.ts";
import { digestsOf, PINNING_MS } from "./stack_images.ts";
import { warnOfVolumes } from "./stack_volumes.ts";
import { lookAtStack, resourceOf, stackLookedAt, type StackScene } from "./stack_scene.ts";

/** `pinningMs`: the milliseconds that registries may take. Throws as `makePlan` does. */
export async function makeStackPlan(asked: Asked, pinningMs = PINNING_MS): Promise<MadePlan> {
  const { group, workspace, request } = asked;
  const { action } = request;
  if (action !== "up" && action !== "down") {
    const message = `Cannot plan: a stack is brought "up" or taken "down", and its services are ` +
      "restarted and scaled one by one";
    throw new ServiceError("invalid_request", message, { remedies: [planWith("action", "up")] });
  }
  const draft = new Draft();
  blockByFiles(asked, draft);
  const scene = await lookAtStack(asked, draft);
  const work = new StackWork(asked, scene, draft);
  const units = work.units();
  if (action === "up") {
    blockByErrors(asked, units, draft);
    await work.up(units, pinningMs);
  } else work.down(units);
  const looked = stackLookedAt(scene);
  const plan: PlanBody = {
    workspace: workspace.id,
    group: group.name,
    project: group.project,
    backend: scene.backend.name,
    action,
    units: units.map(({ id }) => id),
    steps: draft.steps,
    unchanged: work.unchanged,
    blocked: draft.blocked.map(diagnosticOf),
    warnings: draft.warnings.map(diagnosticOf),
    basis: {
      revision: asked.revision,
      declared: digestOf(looked.declared, scene.digest),
      observed: digestOf(looked.observed, scene.digest),
    },
  };
  return { plan, request, looked };
}

/** Returns what moved since the plan of a stack was made. Throws as `makePlan` does. */
export async function stackMovedSince(asked: Asked, looked: Looked): Promise<Moved[]> {
  const draft = new Draft();
  blockByFiles(asked, draft);
  const moved = movedBetween(looked, stackLookedAt(await lookAtStack(asked, draft)));
  return [...moved, ...draft.blocked.map(({ code }): Moved => ({ what: code, how: "new" }))];
}

/** Fields of which a change starts no task anew. */
const KEEPS_TASKS = /^(?:replicas$|deploy\.(?:labels|update_config|rollback_config|endpoint_mode)\b)/;

/** A unit beside the service of its name. */
interface Compared {
  readonly of: Declared;
  readonly spec: ServiceSpec;
  readonly there: StackService | undefined;
  readonly found: readonly SpecDifference[];
  /** True if the name is that of another owner's service. */
  readonly isTaken: boolean;
  /** True if tasks would start from an image that is not pinned yet. */
  readonly startsImage: boolean;
}

class StackWork {
  unchanged = 0;
  readonly #group: Group;
  /** The last step of each unit, which those that depend on it come after. */
  readonly #last = new Map<string, number>();
  readonly #networks = new Map<string, number>();
  readonly #files = new Map<string, FileVersion & { readonly step: number | null }>();

  constructor(
    private readonly asked: Asked,
    private readonly scene: StackScene,
    private readonly draft: Draft,
  ) {
    this.#group = scene.group;
  }

  /** The units of the plan, each after those that it depends on. Throws `artifact_not_found`. */
  units(): readonly Unit[] {
    const { request } = this.asked;
    const named = request.units?.map((name) => {
      const unit = this.#group.units.find((one) =>
        one.id === name || one.name === name || one.label === name
      );
      if (unit?.service) return unit;
      throw new ServiceError("artifact_not_found", `No unit "${name}" in the group "${this.#group.name}"`);
    });
    const isTouched = (unit: Unit) => unit.service?.active === true || this.#serviceOf(unit) !== undefined;
    const wanted = named ?? this.#group.units.filter((unit) => unit.service !== null && isTouched(unit));
    const links = linksOf(this.#group).filter(({ kind }) => kind === "depends_on");
    const found = ordered(this.#group, wanted, request.action === "up" ? links : []);
    if (found !== null) return found;
    const { source, id } = this.#group;
    const message = "Units depend on each other in a circle";
    this.draft.block("project/circle", message, source, id, edited(source));
    return wanted;
  }

  async up(units: readonly Unit[], pinningMs: number): Promise<void> {
    const links = linksOf(this.#group).filter(({ kind }) => kind === "depends_on");
    const before = (unit: Unit) =>
      links.flatMap(({ from, to }) => from === unit.id ? this.#last.get(to) ?? [] : []);
    const all = units.flatMap((unit) => declaredOf(this.scene.model, this.#group, unit) ?? []);
    for (const of of all) {
      blockByService(this.scene, of, this.draft);
      for (const { resource, name } of ownNetworks(of)) this.#network(resource, name);
      for (const { kind, source } of of.service.grants) this.#file(resourceOf(this.#group, kind, source));
    }
    blockByResources(this.scene, this.draft);
    const compared = all.map((of) => this.#compared(of));
    const images = this.asked.request.pull === "never"
      ? []
      : compared.flatMap((one) => one.startsImage && one.spec.container.image || []);
    const digests = await digestsOf(this.scene, images, pinningMs);
    for (const one of compared) this.#service(one, before(one.of.unit), digests);
    const absent = compared.flatMap(({ there, spec }) => there === undefined ? [spec] : []);
    warnOfVolumes(this.scene, absent, this.draft);
    this.#orphans();
    const isWhole = this.asked.request.units === undefined;
    if (isWhole) this.#removeVersions();
  }

  /** Everything of the stack, or the services of the units that were named. */
  down(units: readonly Unit[]): void {
    const isWhole = this.asked.request.units === undefined;
    const names = new Set(units.map((unit) => stackName(this.#group.project, unit.label)));
    const removed = [...this.scene.services.values()].filter(({ name }) => isWhole || names.has(name));
    const steps = removed.map((one) => this.#remove("service.remove", one, "down", []));
    if (!isWhole) return;
    const { now, group: { project } } = this.scene;
    const mine = <T extends { readonly stack: string | null }>(list: readonly T[]) =>
      list.filter(({ stack }) => stack === project);
    for (const one of mine(now.secrets)) this.#remove("secret.remove", one, "down", steps);
    for (const one of mine(now.configs)) this.#remove("config.remove", one, "down", steps);
    for (const one of mine(now.networks)) this.#remove("network.remove", one, "down", steps);
  }

  #serviceOf({ label }: Unit): StackService | undefined {
    return this.scene.services.get(stackName(this.#group.project, label));
  }

  #network(resource: Resource, name: string): void {
    if (this.#networks.has(name)) return;
    const spec = stackNetworkSpec(resource, this.#group.project, name);
    const there = this.scene.now.networks.find((one) => one.name === name);
    if (there === undefined) {
      const n = this.draft.add({
        kind: "network.create",
        target: name,
        unit: null,
        why: [{ code: "absent" }],
        after: [],
        needs: makingNetwork(this.scene, resource, spec),
      });
      this.#networks.set(name, n);
      return;
    }
    const block = (code: string, message: string) =>
      this.draft.block(code, message, resource.at, resource.id, edited(resource.at));
    this.#networks.set(name, 0);
    if (there.stack !== this.#group.project) {
      return block("project/taken-name", `The swarm has a network "${name}" of another owner: name it anew`);
    }
    const changed = there.differences(spec);
    if (changed.length === 0) return;
    const what = changed.map((one) => `"${one}"`).join(", ");
    block(
      "swarm/network-changed",
      `The network "${name}" has another definition (${what}), and a swarm never changes one: give it ` +
        `another "name", or take the stack down first`,
    );
  }

  #file(resource: Resource | undefined): void {
    if (resource === undefined || this.#files.has(resource.id)) return;
    const version = versionOf(this.scene, resource, this.draft);
    const kind = resource.kind === "secret" ? "secret.create" as const : "config.create" as const;
    const step = version.isNew
      ? this.draft.add({
        kind,
        target: version.name,
        unit: null,
        why: [{ code: "absent" }],
        after: [],
        needs: makingFile(this.scene, resource),
      })
      : null;
    this.#files.set(resource.id, { ...version, step });
  }

  #compared(of: Declared): Compared {
    const spec = serviceSpec(of, ({ id, name, key }) => this.#files.get(id)?.name ?? name ?? key);
    const there = this.#serviceOf(of.unit);
    const isTaken = this.scene.now.services.some(({ name, stack }) =>
      name === spec.name && stack !== this.#group.project
    );
    const found = there?.differences(spec) ?? [];
    const isOther = there === undefined || found.some(({ field }) => field === "image");
    const startsImage = !isTaken && (there?.mode ?? spec.mode) === spec.mode && isOther;
    return { of, spec, there, found, isTaken, startsImage };
  }

  #service(
    { of, spec, there, found, isTaken, startsImage }: Compared,
    before: readonly number[],
    digests: ReadonlyMap<string, string>,
  ): void {
    const { unit } = of;
    const block = (code: string, message: string) =>
      this.draft.block(code, message, unit.source, unit.id, edited(unit.source));
    if (isTaken) {
      return block("project/taken-name", `The swarm has a service "${spec.name}" of another owner`);
    }
    if (there !== undefined && there.mode !== spec.mode) {
      const at = placeOfServiceField(of, "deploy.mode");
      const command = commandOf("docker service rm", spec.name);
      const message = `The mode of "${spec.name}" cannot be changed: remove the service first` +
        (command === null ? "" : `, with ${command}`);
      return this.draft.block("swarm/mode-changed", message, at, unit.id, edited(at));
    }
    if (there !== undefined && found.length === 0) {
      this.unchanged += 1;
      if (there.paused !== null) this.#warnOfPause(of, spec, there.paused);
      const [last] = before.toSorted((one, other) => other - one);
      if (last !== undefined) this.#last.set(unit.id, last);
      return;
    }
    const { image } = spec.container;
    if (image && !this.scene.stacks.mayPull(image)) return this.#refused(of);
    const digest = startsImage ? this.#pinned(of, spec, digests) : undefined;
    const step = this.draft.add({
      kind: there === undefined ? "service.create" : "service.update",
      target: spec.name,
      unit: unit.id,
      why: there === undefined ? [{ code: "absent" }] : found.map((one) => this.#reason(of, spec, one)),
      after: [...before, ...this.#made(of)],
      needs: makingService(this.scene, of, spec),
      risk: there !== undefined && found.some(({ field }) => !KEEPS_TASKS.test(field))
        ? "interruption"
        : "none",
      ...(digest !== undefined && { digest }),
    });
    const wait = this.draft.add({
      kind: "service.wait",
      target: spec.name,
      unit: unit.id,
      why: [{ code: "followsFrom", step, how: "condition" }],
      after: [step],
      needs: applyingToStack(this.scene, spec.name),
    });
    this.#last.set(unit.id, wait);
  }

  /** The definition is as declared, and posting it again would change nothing. */
  #warnOfPause({ unit }: Declared, { name }: ServiceSpec, said: string): void {
    const message =
      `The swarm paused the update of "${name}" (${said}), so that tasks of the definition before ` +
      `may run: mend what it names, then restart the service, which starts all its tasks anew`;
    const remedies = NO_REMEDY("the swarm's words name it");
    this.draft.warn("swarm/update-paused", message, unit.source, unit.id, remedies);
  }

  /** Steps that make what a unit's service refers to. */
  #made(of: Declared): number[] {
    const networks = ownNetworks(of).flatMap(({ name }) => this.#networks.get(name) || []);
    const files = of.service.grants.flatMap(({ kind, source }) =>
      this.#files.get(resourceOf(this.#group, kind, source)?.id ?? "")?.step ?? []
    );
    return [...networks, ...files];
  }

  /** All nodes run one image: a registry that does not tell which one blocks the plan. */
  #pinned(
    { service, unit }: Declared,
    { container: { image } }: ServiceSpec,
    digests: ReadonlyMap<string, string>,
  ): string | undefined {
    if (this.asked.request.pull === "never" || !image) return undefined;
    const digest = digests.get(image);
    if (digest !== undefined) return digest;
    const message = `Nobody tells which image "${service.writtenImage ?? image}" is now, so that nodes ` +
      `could run different ones: its registry does not answer in time, or has none of this name`;
    const remedies = planWith("pull", "never");
    this.draft.block("swarm/image-not-pinned", message, service.imageAt ?? unit.source, unit.id, [remedies]);
    return undefined;
  }

  /** Nodes pull by themselves: an image that berth may not pull is in no service. */
  #refused({ service, unit }: Declared): void {
    const at = service.imageAt ?? unit.source;
    const message =
      `The image "${service.writtenImage}" is from a registry that this service is not allowed ` +
      `to pull from: name another one, or allow it with the setting "registries"`;
    this.draft.block("swarm/image-refused", message, at, unit.id, edited(at));
  }

  #reason(
    of: Declared,
    { container: { entrypoint = [] } }: ServiceSpec,
    { field, declared, actual, isAbsent }: SpecDifference,
  ): Reason {
    const at = placeOfServiceField(of, field);
    const row = FIELDS.find(({ key }) => key === field || field.startsWith(`${key}.`));
    const isResolved = this.scene.showsValues && !isAbsent && row !== undefined && isOpenRow(row);
    return {
      code: "field",
      field,
      declared: isAbsent ? declared : maskedAt({ field, at, declared }, entrypoint),
      ...(isResolved && resolvedAt(at, this.#group, this.scene.model)),
      seen: actual,
      at: locationOf(at),
    };
  }

  #orphans(): void {
    const names = new Set(this.#group.units.map(({ label }) => stackName(this.#group.project, label)));
    for (const one of this.scene.services.values()) {
      const { name } = one;
      if (names.has(name)) continue;
      if (this.asked.request.orphans === "remove") {
        this.#remove("service.remove", one, "orphan", [...this.#last.values()]);
        continue;
      }
      const message = `The service "${name}" of the stack is not in the files: it stays`;
      const remedy = planWith("orphans", "remove");
      this.draft.warn("project/orphan", message, this.#group.source, this.#group.id, [remedy]);
    }
  }

  /** Old versions that no service has and none would have again after a rollback. */
  #removeVersions(): void {
    const wanted = new Set([...this.#files.values()].map(({ name }) => name));
    const removed = new Set(
      this.draft.steps.filter(({ kind }) => kind === "service.remove").map(({ target }) => target),
    );
    const after = this.draft.steps.map(({ n }) => n);
    for (const kind of ["secret", "config"] as const) {
      for (const one of unusedVersions(this.scene, kind, wanted, removed)) {
        this.#remove(`${kind}.remove`, one, "leftOver", after);
      }
    }
  }

  #remove(
    kind: "service.remove" | "secret.remove" | "config.remove" | "network.remove",
    held: Pick<StackFile, "name" | "labels">,
    code: "down" | "orphan" | "leftOver",
    after: readonly number[],
  ): number {
    const risk = kind === "service.remove" ? "interruption" : "none";
    return this.draft.add({
      kind,
      target: held.name,
      unit: null,
      why: [{ code }],
      after,
      needs: removingFromStack(this.scene, held),
      risk,
    });
  }
}

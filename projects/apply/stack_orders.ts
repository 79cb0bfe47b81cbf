/** The orders of each step for a swarm, made from the files and the swarm as they are now: a journal holds none. */

import type { Resource } from "../../artifacts/artifact.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { SafeReader } from "../../artifacts/files/safe_reader.ts";
import { GROUP_LABEL, WORKSPACE_LABEL } from "../../artifacts/live/stacks.ts";
import { textOf, valueAt } from "../../artifacts/yaml/values.ts";
import { type Holder, reachOf } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import { SEES_RUNNING } from "../../core/runtime.ts";
import type { ServiceSpec, SwarmNetworkSpec } from "../../core/service_spec.ts";
import type { ActingStacks, FileIds, HeldService, NewStackFile, StackActs } from "../../core/stack_acts.ts";
import type { StackCluster } from "../../core/stacks.ts";
import { shortDigest } from "../fields/declared_label.ts";
import type { Declared } from "../fields/field.ts";
import { Draft } from "../plan/draft.ts";
import type { Step } from "../plan/plan_shape.ts";
import { declaredOf } from "../plan/scene.ts";
import { CONTENT_LABEL, versionOf } from "../plan/stack_files.ts";
import { filesLeadingTo, foreignVolumes, type StackScene } from "../plan/stack_scene.ts";
import { ownNetworks, serviceSpec, stackFileLabels, stackNetworkSpec } from "../specs/service_spec.ts";
import { failed } from "./hand.ts";
import type { Ground } from "./orders.ts";
import { MARK, markOf } from "./work.ts";

type FileKind = "secret" | "config";

/** Labels of berth are on objects of the swarm, and on no container: another label would start each task anew. */
type Labels = Readonly<Record<string, string>>;

export class StackOrders {
  constructor(
    readonly ground: Ground,
    private readonly cluster: string,
    private readonly workspace: string,
  ) {}

  /** Throws `engine_unavailable` while berth has no engine of the swarm. */
  acts(): StackActs {
    return this.#stacks().acts(this.cluster);
  }

  #stacks(): ActingStacks {
    const stacks = this.ground.runtime.stacks?.() ?? null;
    if (stacks === null) {
      throw new ServiceError("engine_unavailable", "Cannot go on: the plugin for swarms is off");
    }
    return stacks;
  }

  /** Reads the swarm. `holder` is the applier: what they do not see is not theirs to join. */
  async scene(holder: Holder | null): Promise<StackScene> {
    const { model, group, backend, runtime, digest, contents, hashes } = this.ground;
    const stacks = this.#stacks();
    await stacks.settle();
    const now = await stacks.read(this.cluster);
    const cluster = stacks.clusters.find(({ id }) => id === this.cluster);
    if (cluster === undefined) {
      throw new ServiceError("engine_unavailable", "Cannot go on: the swarm is gone");
    }
    const reach = holder === null ? null : reachOf<typeof SEES_RUNNING>(holder, SEES_RUNNING);
    return {
      model,
      group,
      workspace: { id: this.workspace, name: this.workspace },
      backend: { name: backend },
      cluster,
      stacks,
      now,
      services: new Map(
        now.services.filter(({ stack }) => stack === group.project).map((one) => [one.name, one]),
      ),
      runtime,
      digest,
      contents,
      hashes: await hashes(),
      leadsTo: await filesLeadingTo(model, group),
      foreignVolumes: await this.#foreignVolumes(cluster),
      volumes: new Set(), // only a plan warns of them
      showsValues: false,
      sees: ({ stack, labels }) => reach?.has({ project: stack, labels }) === true,
    };
  }

  #foreignVolumes(cluster: StackCluster): Promise<ReadonlySet<string> | null> {
    return foreignVolumes(this.ground, cluster);
  }

  declared({ unit }: Step): Declared {
    const { model, group } = this.ground;
    const of = declaredOf(model, group, group.units.find(({ id }) => id === unit));
    if (of === null) throw gone(`the unit "${unit}"`);
    return of;
  }

  /** The service of a step, with the image that the plan pinned; `held` is the one that it changes. */
  service(scene: StackScene, step: Step, held: Pick<HeldService, "image"> | null): ServiceSpec {
    const of = this.declared(step);
    const draft = new Draft();
    const spec = serviceSpec(of, (resource) => versionOf(scene, resource, draft).name);
    const [blocked] = draft.blocked;
    if (blocked !== undefined) throw failed(`Cannot go on: ${blocked.message}`);
    if (spec.name !== step.target) throw gone(`the service "${step.target}"`);
    const { image = "" } = spec.container;
    const isOther = held === null ||
      step.why.some((reason) => reason.code === "field" && reason.field === "image");
    return {
      ...spec,
      labels: { ...spec.labels, ...this.#labels(step) },
      container: {
        ...spec.container,
        image: step.digest !== undefined ? pinned(image, step.digest) : isOther ? image : held.image,
      },
    };
  }

  network({ target, ...step }: Step): { resource: Resource; spec: SwarmNetworkSpec } {
    const { model, group } = this.ground;
    for (const unit of group.units) {
      const of = declaredOf(model, group, unit);
      const found = of === null ? undefined : ownNetworks(of).find(({ name }) => name === target);
      if (found === undefined) continue;
      const spec = stackNetworkSpec(found.resource, group.project, target);
      return {
        resource: found.resource,
        spec: { ...spec, labels: { ...spec.labels, ...this.#labels(step) } },
      };
    }
    throw gone(`the network "${target}"`);
  }

  /** The secret or config of a step, with its content as the plan saw it. */
  async file(
    scene: StackScene,
    kind: FileKind,
    step: Step,
  ): Promise<{ readonly resource: Resource; readonly file: NewStackFile }> {
    const { group, contents } = this.ground;
    const draft = new Draft();
    const resource = group.resources.find((one) =>
      one.kind === kind && !one.external && versionOf(scene, one, draft).name === step.target
    );
    const digest = resource === undefined ? undefined : contents.get(resource.id);
    if (resource === undefined || digest === undefined) throw gone(`the ${kind} "${step.target}"`);
    return {
      resource,
      file: {
        name: step.target,
        labels: {
          ...stackFileLabels(resource, group.project),
          ...this.#labels(step),
          [CONTENT_LABEL]: digest,
        },
        content: await this.#content(resource, digest),
        template: textOf(valueAt(resource.value, "template_driver")),
      },
    };
  }

  async #content(resource: Resource, digest: string): Promise<Uint8Array> {
    const { id, content, value } = resource;
    if (content !== null) return new TextEncoder().encode(content);
    const { model, group, reading } = this.ground;
    const at = valueAt(value, "file");
    const path = group.paths.find((use) => use.at === at)?.path ?? null;
    if (at === null || path === null) throw gone(`the file of the ${resource.kind} "${resource.key}"`);
    const reader = new SafeReader(model.root, undefined, reading.hidden, reading.allowHardLinks);
    const bytes = await reader.bytes(path);
    if ("code" in bytes) throw failed(`Cannot read "${path}": ${bytes.why}`);
    if (shortDigest(id, sha256(bytes), this.ground.digest) === digest) return bytes;
    throw failed(`"${path}" was edited meanwhile: ask for a new plan`);
  }

  #labels({ n }: Pick<Step, "n">): Labels {
    const { apply, group } = this.ground;
    return {
      [GROUP_LABEL]: group.name,
      [WORKSPACE_LABEL]: this.workspace,
      [MARK]: markOf(apply, n),
    };
  }
}

/** Returns the ids by which a definition refers to secrets and configs. */
export function fileIdsIn({ now }: StackScene): FileIds {
  const ids = (list: readonly { readonly id: string; readonly name: string }[]) =>
    new Map(list.map(({ id, name }) => [name, id]));
  return { secrets: ids(now.secrets), configs: ids(now.configs) };
}

/** Returns the name with its tag and the digest, as a swarm writes an image down. */
function pinned(image: string, digest: string): string {
  if (image.includes("@")) return image;
  return `${/:[^/]*$/.test(image) ? image : `${image}:latest`}@${digest}`;
}

const gone = (what: string): ServiceError =>
  failed(`Cannot go on: ${what} is no longer in the files; ask for a new plan`);

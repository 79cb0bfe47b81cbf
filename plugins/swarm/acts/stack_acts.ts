/** The acts of an apply on one swarm, carried out by its managers. */
import { ServiceError } from "../../../core/error.ts";
import type { RegistryLogins } from "../../../core/registries.ts";
import { maskSaid } from "../../../core/secrets.ts";
import type { ServiceSpec, SwarmNetworkSpec } from "../../../core/service_spec.ts";
import type {
  FileIds,
  HeldService,
  HeldTasks,
  IsOwnObject,
  NewStackFile,
  StackActs,
} from "../../../core/stack_acts.ts";
import type { SpecDifference } from "../../../core/stacks.ts";
import { sentOrShown } from "../../../engines/calls/lost_answer.ts";
import { networkBody } from "../../../engines/calls/network_body.ts";
import { at, type EnginePath } from "../../../engines/calls/path.ts";
import { listOf, mapOf, numberOf, objectOf, textOf, type Wire } from "../../../engines/calls/wire.ts";
import { swarmError } from "../errors.ts";
import type { Cluster } from "../mirror/cluster.ts";
import type { Clusters } from "../mirror/clusters.ts";
import { mustTakeChanges } from "./current.ts";
import { gainedRights } from "./host_rights.ts";
import { imageIn, loginBack, loginInstead, loginOf } from "./node_logins.ts";
import { plain } from "./plain.ts";
import { differencesFrom } from "./swarm_now.ts";
import { tasksOf } from "./stack_tasks.ts";
import { serviceWire } from "./service_wire.ts";
import { updateService } from "./update_service.ts";

/** Codes of failures after which nobody knows what became of a change. */
const AWAY: readonly string[] = [
  "cluster_away",
  "cluster_without_quorum",
  "runtime_unavailable",
  "engine_timeout",
  "engine_busy",
];
const MOST_SAID = 1_000;

type LoginFor = Parameters<StackActs["createService"]>[2];

export class StackOnSwarm implements StackActs {
  constructor(
    private readonly cluster: Cluster,
    private readonly clusters: Clusters,
    private readonly logins: RegistryLogins,
    /** Throws `pull_refused` for an image whose registry is not allowed. */
    private readonly mustAllow: (image: string) => void,
  ) {}

  isAway(error: unknown): boolean {
    return error instanceof ServiceError && AWAY.includes(error.code);
  }

  async service(name: string): Promise<HeldService | null> {
    const wire = await this.#wireOf(name);
    if (wire === null) return null;
    const spec = objectOf(wire.Spec);
    return {
      id: textOf(wire.ID),
      version: numberOf(objectOf(wire.Version).Index),
      labels: mapOf(spec.Labels),
      image: imageIn(spec),
      definition: JSON.stringify(spec),
      update: updateIn(objectOf(wire.UpdateStatus)),
    };
  }

  async differences(
    { definition }: HeldService,
    declared: ServiceSpec,
  ): Promise<readonly SpecDifference[]> {
    const { managers } = this.cluster;
    const read = (path: EnginePath) => managers.get(path, "read the networks of a service");
    const api = Number(managers.apiVersion ?? 0);
    return (await differencesFrom(read, objectOf(JSON.parse(definition)), api))(declared);
  }

  async tasks(id: string): Promise<HeldTasks> {
    return await tasksOf(this.cluster, id);
  }

  async hasTasks(id: string): Promise<boolean> {
    // A manager refuses the filter for a service that is gone.
    const all = listOf(await this.cluster.managers.get(at`/tasks`, "read the tasks of a service"));
    return all.some((one) => textOf(objectOf(one).ServiceID) === id);
  }

  isSame(one: string, other: string): boolean {
    return JSON.stringify(plain(JSON.parse(one))) === JSON.stringify(plain(JSON.parse(other)));
  }

  async gone(definition: string): Promise<readonly string[]> {
    const container = objectOf(objectOf(objectOf(JSON.parse(definition)).TaskTemplate).ContainerSpec);
    const missing = async (path: EnginePath, refs: unknown, kind: "Secret" | "Config") => {
      const named = listOf(refs).map(objectOf);
      if (named.length === 0) return [];
      const all = listOf(await this.cluster.managers.get(path, "look for secrets and configs"));
      const there = new Set(all.map((one) => textOf(objectOf(one).ID)));
      return named.filter((one) => !there.has(textOf(one[`${kind}ID`])))
        .map((one) => `${kind.toLowerCase()} "${textOf(one[`${kind}Name`])}"`);
    };
    return [
      ...await missing(at`/secrets`, container.Secrets, "Secret"),
      ...await missing(at`/configs`, container.Configs, "Config"),
    ];
  }

  gained(definition: string, held: string | null, isOwn: IsOwnObject): readonly string[] {
    const now = held === null ? null : objectOf(JSON.parse(held));
    return gainedRights(objectOf(JSON.parse(definition)), now, isOwn);
  }

  async createService(spec: ServiceSpec, files: FileIds, loginFor: LoginFor): Promise<void> {
    const { image = "" } = spec.container;
    this.mustAllow(image);
    const auth = await loginOf(this.logins, image, loginFor);
    await this.#create(serviceWire(spec, files), auth);
  }

  async updateService(
    { id, version }: Pick<HeldService, "id" | "version">,
    spec: ServiceSpec,
    files: FileIds,
    loginFor: LoginFor,
  ): Promise<void> {
    const doing = `update service "${spec.name}"`;
    const { image = "" } = spec.container;
    this.mustAllow(image);
    await mustTakeChanges(this.cluster, doing);
    const now = await this.#wireAt({ id, version }, spec.name, doing);
    const kept = imageIn(objectOf(now.Spec));
    const { ForceUpdate, Runtime, Placement } = objectOf(objectOf(now.Spec).TaskTemplate);
    const wire = serviceWire(spec, files);
    const template = objectOf(wire.TaskTemplate);
    // Platforms of the image, as its registry told Docker's client: tasks go to nodes of these alone.
    const { Platforms } = kept === image ? objectOf(Placement) : {};
    const sent = {
      ...wire,
      TaskTemplate: {
        ...template,
        // The swarm's own, which a file does not say: with another number all tasks would start anew.
        ...{ ForceUpdate, Runtime },
        ...(Platforms !== undefined && { Placement: { ...objectOf(template.Placement), Platforms } }),
      },
    };
    const registryAuth = await loginInstead(this.logins, image, kept, loginFor);
    await updateService(this.cluster, {
      id,
      version,
      spec: sent,
      doing,
      ...(registryAuth !== undefined && { registryAuth }),
      isShown: (shown) => hasLabels(shown.spec, spec.labels),
    });
    await this.clusters.changed(this.cluster, id);
  }

  async restoreService(
    held: Pick<HeldService, "id" | "version"> | null,
    definition: string,
    loginFor: LoginFor,
  ): Promise<void> {
    const spec = objectOf(JSON.parse(definition));
    // The swarm has forgotten the login together with the service.
    if (held === null) return await this.#create(spec, await loginOf(this.logins, imageIn(spec), loginFor));
    const name = textOf(spec.Name);
    const doing = `restore service "${name}"`;
    await mustTakeChanges(this.cluster, doing);
    const now = await this.#wireAt(held, name, doing);
    const kept = imageIn(objectOf(now.PreviousSpec));
    const registryAuth = await loginBack(this.logins, imageIn(spec), kept, loginFor);
    await updateService(this.cluster, {
      ...held,
      spec,
      authFrom: "previous-spec",
      doing,
      ...(registryAuth !== undefined && { registryAuth }),
      isShown: (now) => this.isSame(JSON.stringify(now.spec), definition),
    });
    await this.clusters.changed(this.cluster, held.id);
  }

  async #create(spec: Wire, auth: string | undefined): Promise<void> {
    const name = textOf(spec.Name);
    const doing = `create service "${name}"`;
    await this.#send("POST", at`/services/create`, doing, {
      body: spec,
      ...(auth !== undefined && { headers: { "x-registry-auth": auth } }),
    }, async () => {
      const now = await this.#wireOf(name);
      return now !== null && hasLabels(objectOf(now.Spec), mapOf(spec.Labels));
    });
    const made = await this.#wireOf(name);
    if (made !== null) await this.clusters.changed(this.cluster, textOf(made.ID));
  }

  async removeService(id: string, name: string): Promise<void> {
    const isGone = async () => (await this.#ids(at`/services`)).every((one) => one !== id);
    await this.#remove(at`/services/${id}`, `remove service "${name}"`, isGone);
    await this.clusters.changed(this.cluster, id);
  }

  async createNetwork(spec: SwarmNetworkSpec): Promise<void> {
    const doing = `create network "${spec.name}"`;
    await this.#send("POST", at`/networks/create`, doing, { body: networkBody(spec) }, async () => {
      const all = listOf(await this.cluster.managers.get(at`/networks`, doing)).map(objectOf);
      return all.some((one) =>
        textOf(one.Name) === spec.name && hasLabels({ Labels: one.Labels }, spec.labels)
      );
    });
  }

  async removeNetwork(id: string, name: string): Promise<void> {
    const isGone = async () => {
      const all = listOf(await this.cluster.managers.get(at`/networks`, `look for network "${name}"`));
      return all.every((one) => textOf(objectOf(one).Id) !== id);
    };
    await this.#remove(at`/networks/${id}`, `remove network "${name}"`, isGone);
  }

  async createFile(
    kind: "secret" | "config",
    { name, labels, content, template }: NewStackFile,
  ): Promise<void> {
    const list = kind === "secret" ? at`/secrets` : at`/configs`;
    const doing = `create ${kind} "${name}"`;
    const path = kind === "secret" ? at`/secrets/create` : at`/configs/create`;
    const body = {
      Name: name,
      Labels: labels,
      Data: content.toBase64(),
      ...(template !== null && { Templating: { Name: template } }),
    };
    await this.#send("POST", path, doing, { body }, async () => {
      const all = listOf(await this.cluster.managers.get(list, doing)).map((one) =>
        objectOf(objectOf(one).Spec)
      );
      return all.some((one) => textOf(one.Name) === name && hasLabels(one, labels));
    });
  }

  async removeFile(kind: "secret" | "config", id: string, name: string): Promise<void> {
    const list = kind === "secret" ? at`/secrets` : at`/configs`;
    const path = kind === "secret" ? at`/secrets/${id}` : at`/configs/${id}`;
    const isGone = async () => (await this.#ids(list)).every((one) => one !== id);
    await this.#remove(path, `remove ${kind} "${name}"`, isGone);
  }

  async #remove(path: EnginePath, doing: string, isGone: () => Promise<boolean>): Promise<void> {
    await this.#send("DELETE", path, doing, {}, isGone);
  }

  /** Sends a change once; where its answer is lost, `isShown` looks what became of it. */
  async #send(
    method: "POST" | "DELETE",
    path: EnginePath,
    doing: string,
    more: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
    isShown: () => Promise<boolean>,
  ): Promise<void> {
    await mustTakeChanges(this.cluster, doing);
    await sentOrShown(
      async () => {
        await this.cluster.managers.send(method, path, { doing, ...more });
        return true;
      },
      async () => await isShown() ? true : null,
    );
  }

  async #wireOf(name: string): Promise<Wire | null> {
    // Filters go by the beginning of a name.
    const query = { filters: JSON.stringify({ name: [name] }) };
    const all = await this.cluster.managers.get(at`/services`, `look for service "${name}"`, query);
    return listOf(all).map(objectOf).find((one) => textOf(objectOf(one.Spec).Name) === name) ?? null;
  }

  /** Throws `changed_meanwhile` unless the service is there and has this version. */
  async #wireAt(
    { id, version }: Pick<HeldService, "id" | "version">,
    name: string,
    doing: string,
  ): Promise<Wire> {
    const now = await this.#wireOf(name);
    const isIt = now !== null && textOf(now.ID) === id && numberOf(objectOf(now.Version).Index) === version;
    if (!isIt) throw meanwhile(doing);
    return now;
  }

  async #ids(list: EnginePath): Promise<string[]> {
    const all = listOf(await this.cluster.managers.get(list, "look what is there"));
    return all.map((one) => textOf(objectOf(one).ID));
  }
}

const meanwhile = (doing: string): ServiceError =>
  swarmError("changed_meanwhile", `Cannot ${doing}: somebody else changed it meanwhile. Look at it again`);

const hasLabels = (spec: Wire, labels: Readonly<Record<string, string>>): boolean => {
  const there = mapOf(spec.Labels);
  return Object.entries(labels).every(([name, value]) => there[name] === value);
};

function updateIn(status: Wire): HeldService["update"] {
  const state = textOf(status.State);
  const message = maskSaid(textOf(status.Message), []).slice(0, MOST_SAID);
  return state === "" ? null : { state, message };
}

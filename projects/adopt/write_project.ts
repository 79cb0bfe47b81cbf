/** A Compose project written down from containers that are there: `compose.yaml`, and `.env` for its secrets. */

import { type Yaml, yamlText } from "../../artifacts/yaml/write.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import type { EngineKind } from "../fields/field.ts";
import { projectOf } from "../hash/labels.ts";
import { type LeftOut, leftOutOf, refusalOf } from "./left_out.ts";
import { byNumber, servicesOf, ServiceTexts } from "./services.ts";
import { SecretValues } from "./secret_values.ts";
import { isInBoth, namedNetworks } from "./write_networks.ts";
import { givenKeys, missingOf, withoutGiven, writeService } from "./write_service.ts";
import type { EngineDefaults } from "../../core/undeclarable.ts";
import type { Fragment, Surroundings } from "./writing.ts";

/** A network or volume that is there. */
interface Held {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The project to write, and the engine that its containers are on. */
interface ProjectSource {
  readonly name: string;
  readonly kind: EngineKind;
  readonly defaults: EngineDefaults;
  /** A container that has nothing but what the engine gives by itself; null where the engine's defaults say it. */
  readonly bare: InspectedContainer | null;
  readonly containers: readonly InspectedContainer[];
  readonly networks: readonly Held[];
  readonly volumes: readonly Held[];
  /** Every container of the engine by its id: others are called by their names. */
  readonly nameOf: (id: string) => string | undefined;
  /** The container that berth itself runs in. */
  readonly self: string | null;
  /** Networks and volumes of the project whose own text is not known: they are used, and never replaced. */
  readonly foreign: ReadonlySet<string>;
  /** Variables that go to `.env` although they do not look secret, as `web.SALT`. */
  readonly secrets?: ReadonlySet<string> | undefined;
}

export interface WrittenProject {
  /** Texts by their paths below the project's folder, `.env` first. */
  readonly files: ReadonlyMap<string, string>;
  /** The service of each container, by its id. */
  readonly services: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
  /** The containers that cannot be written down, each with the reason. */
  readonly refused: readonly { readonly container: string; readonly why: string }[];
}

/** Writes the whole project. Containers of one service are its replicas: those with another text are refused. */
export function writeProject(source: ProjectSource): WrittenProject {
  const { kind, defaults, name } = source;
  const refused = source.containers.flatMap((one) => {
    const why = refusalOf(one, { isInBoth: isInBoth(one), self: source.self });
    return why === null ? [] : [{ container: one.name, why }];
  });
  const isRefused = (one: InspectedContainer) => refused.some(({ container }) => container === one.name);
  const containers = source.containers.filter((one) => !isRefused(one));
  const services = servicesOf(containers, name);
  const networks = new Keys("network", source.networks, source);
  const volumes = new Keys("volume", source.volumes, source);
  for (const one of containers.flatMap(namedNetworks)) networks.keyOf(one.name);
  const secrets = new SecretValues(source.secrets);
  const missing = new Map<InspectedContainer, readonly string[]>();
  const texts = new ServiceTexts(services, name);
  for (const container of [...containers].sort(byNumber)) {
    const service = services.get(container.id)!; // every one has a service
    const around: Surroundings = {
      kind,
      defaults,
      project: name,
      service,
      neighbour: (id) => neighbourOf(id, source, containers, services),
      hasService: (one) => hasService(one, container, containers, services),
      networkKey: (one) => networks.keyOf(one),
      volumeKey: (one) => volumes.keyOf(one),
    };
    const whole = writeService(container, around);
    const given = givenKeys(source.bare, around);
    missing.set(container, missingOf(whole, given));
    const why = texts.add(container, withoutGiven(whole, given));
    if (why !== null) refused.push({ container: container.name, why });
  }
  const parts = texts.all().map(({ service, text, count }): [string, Yaml] => [
    service,
    { ...secrets.moved(service, text), ...(count > 1 && { scale: count }) },
  ]);
  const document: Fragment = {
    name,
    services: Object.fromEntries(parts),
    ...networks.section("networks"),
    ...volumes.section("volumes"),
  };
  const env = secrets.text();
  return {
    files: new Map([...env === "" ? [] : [[".env", env] as const], ["compose.yaml", yamlText(document)]]),
    services: new Map(
      containers.flatMap((one) => isRefused(one) ? [] : [[one.id, services.get(one.id)!] as const]), // as above
    ),
    leftOut: leftOutOf(containers.filter((one) => !isRefused(one)), {
      kind,
      isGivenKnown: kind === "docker" || source.bare !== null,
      missing,
    }),
    refused: [...refused, ...secrets.unwritable],
  };
}

function neighbourOf(
  id: string,
  { nameOf }: ProjectSource,
  containers: readonly InspectedContainer[],
  services: ReadonlyMap<string, string>,
): { service: string | null; name: string } | undefined {
  const one = containers.find((other) => other.id === id || other.name === id || other.id.startsWith(id));
  if (one !== undefined) return { service: services.get(one.id) ?? null, name: one.name };
  const name = nameOf(id);
  return name === undefined ? undefined : { service: null, name };
}

/** Returns true for a service of the container's own Compose project: another one's may have its name. */
function hasService(
  service: string,
  { compose }: InspectedContainer,
  containers: readonly InspectedContainer[],
  services: ReadonlyMap<string, string>,
): boolean {
  return containers.some((one) =>
    services.get(one.id) === service && (one.compose === null || one.compose.project === compose?.project)
  );
}

/** The keys that networks or volumes have in the file. */
class Keys {
  readonly #byName = new Map<string, { readonly key: string; readonly isOwn: boolean }>();

  constructor(
    readonly kind: "network" | "volume",
    readonly held: readonly Held[],
    readonly source: Pick<ProjectSource, "name" | "foreign">,
  ) {}

  keyOf(name: string): string {
    const known = this.#byName.get(name);
    if (known !== undefined) return known.key;
    const labels = this.held.find((one) => one.name === name)?.labels ?? {};
    const own = projectOf(labels) === this.source.name
      ? labels[`com.docker.compose.${this.kind}`]
      : undefined;
    const isOwn = own !== undefined && !this.source.foreign.has(name);
    const wanted = own ?? name.replace(/[^\w.-]/g, "_");
    const taken = new Set([...this.#byName.values()].map(({ key }) => key));
    let key = wanted;
    for (let n = 2; taken.has(key); n++) key = `${wanted}_${n}`;
    this.#byName.set(name, { key, isOwn });
    return key;
  }

  /** Those of the project by their keys alone; the rest is external, so that no plan replaces or removes it. */
  section(key: string): Fragment {
    const entries = [...this.#byName].map(([name, { key, isOwn }]): [string, Yaml] => [
      key,
      isOwn ? { name } : { external: true, name },
    ]);
    return entries.length === 0 ? {} : { [key]: Object.fromEntries(entries) };
  }
}

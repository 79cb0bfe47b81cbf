/** Volumes and images that a service of an engine's swarm names, also one that has no container now. */
import { ServiceError } from "../../../core/error.ts";
import { nameOf, readReference } from "../../../core/image_reference.ts";
import type { RunningServices, ServiceUses } from "../../../core/running_services.ts";
import { at } from "../../../engines/calls/path.ts";
import { listOf, objectOf, textOf } from "../../../engines/calls/wire.ts";
import { isNodeOfSwarm } from "../../../engines/lent.ts";
import { serviceUses } from "../../../engines/rows/service_uses.ts";
import type { Link } from "../../../engines/links/link.ts";
import type { Engines } from "./seen.ts";

export interface NamedByServices {
  volume(name: string): boolean;
  image(names: readonly string[]): boolean;
}

const NOTHING: NamedByServices = { volume: () => false, image: () => false };
/** The answer while nobody tells the services: one may name whatever there is. */
const ANYTHING: NamedByServices = { volume: () => true, image: () => true };

type Asked = Pick<Engines, "services" | "swarmsRead">;

/** Asks nothing where the engine is in no swarm. Throws where it does not answer. */
export async function namedByServices(
  { name, engine, mirror }: Pick<Link, "name" | "engine" | "mirror">,
  known: Asked,
  signal?: AbortSignal,
): Promise<NamedByServices> {
  if (isNodeOfSwarm(mirror.networks) === false) return NOTHING;
  const call = { doing: "look at the swarm", ...(signal === undefined ? {} : { signal }) };
  const node = objectOf(objectOf(await engine.get(at`/info`, call)).Swarm);
  if (textOf(node.LocalNodeState) === "" || node.LocalNodeState === "inactive") return NOTHING;
  if (node.ControlAvailable === true) {
    try {
      return naming(listOf(await engine.get(at`/services`, call)).flatMap(usesOf));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error; // without a leader, another manager may have told
    }
  }
  return await knownFor(name, known);
}

/** Returns what a definition names, and what the one names that a rollback would bring back. */
function usesOf(wire: unknown): ServiceUses[] {
  const { Spec, PreviousSpec } = objectOf(wire);
  return [Spec, PreviousSpec].map(serviceUses);
}

/** A worker does not know the services: they are those that its managers told. */
async function knownFor(engine: string, { services, swarmsRead }: Asked): Promise<NamedByServices> {
  if (services === undefined || await swarmsRead?.() === false) return ANYTHING;
  const { items, clusters }: RunningServices = services();
  const own = items.filter(({ engines }) => engines.includes(engine));
  const isTold = clusters.some(({ engines, nodes }) => nodes > 0 && engines.includes(engine)) &&
    own.every(({ service }) => service.staleSince === null);
  if (!isTold) return ANYTHING;
  return naming(own.flatMap(({ definition: { image, mounts }, before }) => [
    { image, volumes: mounts.filter(({ type }) => type === "volume").map(({ source }) => source) },
    ...(before === null ? [] : [before]),
  ]));
}

function naming(uses: readonly ServiceUses[]): NamedByServices {
  const volumes = new Set(uses.flatMap((one) => one.volumes));
  const made = [...volumes].map(aroundTemplates).filter((one) => one !== null);
  const isMade = (name: string) =>
    made.some(({ start, end }) =>
      name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end)
    );
  const images = new Set(uses.flatMap(({ image }) => namesOf(image)));
  return {
    volume: (name) => volumes.has(name) || isMade(name),
    image: (names) => names.some((one) => namesOf(one).some((name) => images.has(name))),
  };
}

/**
 * Returns the text before the first template of a volume's name, such as `db-{{.Task.Slot}}`, and the text after the
 * last one; null for a name without any. A template may cut spaces around it.
 */
function aroundTemplates(source: string): { readonly start: string; readonly end: string } | null {
  const first = source.indexOf("{{");
  if (first < 0) return null;
  const last = source.lastIndexOf("}}");
  return {
    start: source.slice(0, first).trimEnd(),
    end: last < first ? "" : source.slice(last + 2).trimStart(),
  };
}

/** Returns the ways to write an image's name, by its tag and by its digest. */
function namesOf(image: string): string[] {
  const reference = readReference(image);
  if (reference === null) return image === "" ? [] : [image];
  const { tag, digest } = reference;
  return [
    ...(tag === null ? [] : [`${nameOf(reference)}:${tag}`]),
    ...(digest === null ? [] : [`${nameOf(reference)}@${digest}`]),
  ];
}

/** What all routes of adoption ask: which containers are meant, and whether the caller may have them written down. */
import * as z from "../core/schema.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import { type Permission, type Principal, reachOf } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import {
  type ContainerRuntime,
  type InspectedContainer,
  reachOfRunning,
  type RunningContainer,
  SEES_RUNNING,
} from "../core/runtime.ts";
import { runtimeSeen, type Sight, type Sights } from "../core/sight.ts";
import { text } from "../http/declare/query.ts";
import type { DraftProject, DraftWish } from "../projects/adopt/draft.ts";

/** Containers that are inspected at a time. */
const AT_ONCE = 8;

export const ContainerRef = z.strictObject({
  backend: text(200).describe("The engine's name"),
  id: text(200).describe("The container's whole id"),
}).meta({ id: "ContainerRef" });
type ContainerRef = z.infer<typeof ContainerRef>;

export const ProjectName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/);

export interface AdoptingOptions {
  readonly registry: Pick<
    Registry,
    "comparedModel" | "models" | "overlaid" | "get" | "createSets" | "mustBeEditable"
  >;
  /** Null while no plugin has a container runtime: asked for each call. */
  readonly runtime: () => ContainerRuntime | null;
  readonly sights: Sights;
}

export const forbidden = (what: string): ServiceError =>
  new ServiceError("forbidden", `Cannot write containers down: this needs the permission ${what}`);

export const noContainer = (): ServiceError =>
  new ServiceError("artifact_not_found", "Cannot write containers down: one of them is not there");

/** The engines as the caller sees them, and the containers that are meant. */
interface Meant {
  readonly seen: ContainerRuntime;
  readonly sight: Sight;
  readonly rows: readonly RunningContainer[];
}

/** Returns those of the containers that are there and that the caller sees. Throws `forbidden`, `engine_unavailable`. */
export async function meantBy(
  refs: readonly ContainerRef[],
  principal: Principal,
  { runtime, sights }: Pick<AdoptingOptions, "runtime" | "sights">,
): Promise<Meant> {
  const sight = sights.of(reachOfRunning(principal));
  if (sight.reach.nowhere) throw forbidden(`"${SEES_RUNNING}"`);
  const engines = runtime();
  if (engines === null) {
    throw new ServiceError(
      "engine_unavailable",
      "Cannot write containers down: there is no container engine",
    );
  }
  const seen = runtimeSeen(engines, sight);
  const asked = new Set(refs.map(({ backend, id }) => `${backend} ${id}`));
  const rows = (await seen.containers()).filter(({ backend, id }) => asked.has(`${backend} ${id}`));
  return { seen, sight, rows };
}

/** Throws `forbidden` unless the caller holds the permission on each container. */
export function mustHold(
  rows: readonly RunningContainer[],
  principal: Principal,
  sights: Sights,
  permission: Permission,
): void {
  const held = sights.of(reachOf<Permission>(principal, permission));
  if (!rows.every((row) => held.sees(row))) throw forbidden(`"${permission}" on each container`);
}

/** Throws `artifact_not_found` if one has gone since it was listed. */
export async function inspectAll(
  rows: readonly RunningContainer[],
  runtime: ContainerRuntime,
): Promise<InspectedContainer[]> {
  const found: InspectedContainer[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < rows.length; at = next++) {
      const { id, backend } = rows[at]!; // within the list
      const one = await runtime.inspect(id, backend);
      if (one === null) throw noContainer();
      found[at] = one;
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, rows.length) }, work));
  return found;
}

/** Writes the containers down, and reads them back. The writer is loaded by the first caller. */
export async function drafted(
  workspace: string,
  wishes: readonly DraftWish[],
  { seen, registry, secrets }: {
    readonly seen: ContainerRuntime;
    readonly registry: Pick<Registry, "overlaid">;
    readonly secrets?: ReadonlySet<string>;
  },
): Promise<DraftProject[]> {
  const holdings = await seen.holdings();
  if (holdings === null) {
    throw new ServiceError("engine_unavailable", "Cannot write containers down: no engine answers");
  }
  const [{ draftOf }, { ownContainer }] = await Promise.all([
    import("../projects/adopt/draft.ts"),
    import("../projects/plan/self.ts"),
  ]);
  return await draftOf(wishes, {
    runtime: seen,
    holdings,
    names: new Map((await seen.containers()).map(({ id, name }) => [id, name])),
    self: await ownContainer(),
    ...(secrets !== undefined && { secrets }),
    overlaid: (files) => registry.overlaid(workspace, files),
  });
}

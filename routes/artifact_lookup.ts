/** The shared parts of the artifact routes: parameters, lookup by name, live state, cached texts. */
import * as z from "../core/schema.ts";
import type { Card, Group, Model, Unit } from "../artifacts/artifact.ts";
import type { NamedKind } from "../artifacts/graph/names.ts";
import type { OwnSide } from "../projects/drift/contents.ts";
import type { View } from "../projects/drift/look.ts";
import { type Registry, unknownWorkspace } from "../artifacts/registry/registry.ts";
import { ServiceError } from "../core/error.ts";
import type { Principal, Reach } from "../core/access.ts";
import { reachOfServices } from "../core/running_services.ts";
import { Lru } from "../core/lru.ts";
import { type ContainerRuntime, reachOfRunning, SEES_RUNNING } from "../core/runtime.ts";
import { runtimeSeen, type Sights } from "../core/sight.ts";
import { CachedText } from "../http/declare/cached_text.ts";
import { text } from "../http/declare/query.ts";
import { problems } from "../http/declare/router.ts";

export const InWorkspace = z.object({ id: text(200).describe("The workspace's id") });
export const missingWorkspace = problems("workspace_not_found", "workspace_unavailable");
export const missingArtifact = problems(
  "workspace_not_found",
  "artifact_not_found",
  "workspace_unavailable",
  "ambiguous_name",
);

export interface ArtifactsOptions {
  readonly registry: Pick<
    Registry,
    "model" | "comparedModel" | "overlaid" | "withSecrets" | "models" | "hashOf"
  >;
  /** Null while no plugin has a container runtime: asked for each call. */
  readonly runtime: () => ContainerRuntime | null;
  readonly version: string;
  readonly sights: Sights;
  /** For what berth wrote down about containers that it made. */
  readonly digests: () => Promise<(text: string) => string>;
}

/** Returns the values that berth's own labels are compared with. */
export async function ownSide(
  { registry, digests }: {
    readonly registry: Pick<Registry, "hashOf">;
    readonly digests: ArtifactsOptions["digests"];
  },
  workspace: string,
): Promise<OwnSide> {
  return { digest: await digests(), hashOf: (path) => registry.hashOf(workspace, path) };
}

/** The running containers, as far as the caller may see them. */
export interface Looked {
  /** Null without a runtime, and for callers who may not see what runs. */
  readonly view: View | null;
  /** The permission that the caller lacks. */
  readonly liveNeeds?: typeof SEES_RUNNING;
}

/** Returns the live state of a workspace. `only` are the ids of the units to compare. */
export async function lookAt(
  model: Model,
  { runtime, sights, principal, only, own }: {
    readonly sights: Sights;
    readonly runtime: ContainerRuntime | null;
    readonly principal: Principal;
    readonly own?: OwnSide;
    readonly only?: readonly string[];
  },
): Promise<Looked> {
  if (runtime === null) return { view: null };
  const sight = sights.of(reachOfRunning(principal));
  if (sight.reach.nowhere) return { view: null, liveNeeds: SEES_RUNNING };
  const { look } = await import("../projects/drift/look.ts");
  return {
    view: await look(model, runtimeSeen(runtime, sight, reachOfServices(principal)), {
      ...(own !== undefined && { own }),
      ...(only !== undefined && { only: new Set(only) }),
      // A caller with a part in scope does not learn what else listens on the host.
      ...(!sight.reach.everywhere && { answers: () => Promise.resolve(false) }),
    }),
  };
}

/** Parts of one reading of a workspace, by whose reach they are for. */
const parts = new WeakMap<Model, Lru<Promise<Model | null>>>();
const MOST_PARTS = 64;

/**
 * Returns the part of a workspace that is in scope: all of it, or the groups of projects. Null for nothing.
 */
export async function modelSeen(model: Model, workspace: string, reach: Reach): Promise<Model | null> {
  if (reach.has({ workspace })) return model;
  let own = parts.get(model);
  if (own === undefined) parts.set(model, own = new Lru(MOST_PARTS));
  let part = own.get(reach.key);
  if (part === undefined) {
    const { partOf } = await import("../artifacts/reading/part.ts");
    part = partOf(model, ({ project }) => reach.has({ workspace, project }));
    own.set(reach.key, part);
  }
  return await part;
}

/** The workspace as far as it is in reach. Throws `workspace_not_found`, also for one that is not. */
export async function findModel(
  registry: Pick<Registry, "model">,
  workspace: string,
  reach: Reach,
): Promise<Model> {
  const model = reach.has({ workspace })
    ? await registry.model(workspace)
    : await registry.model(workspace).catch(() => null);
  const seen = model && await modelSeen(model, workspace, reach);
  if (seen === null) throw unknownWorkspace();
  return seen;
}

/** Finds the workspace after every file was compared with the disk. */
export function findComparedModel(
  registry: Pick<Registry, "comparedModel">,
  workspace: string,
  reach: Reach,
): Promise<Model> {
  return findModel({ model: (id) => registry.comparedModel(id) }, workspace, reach);
}

/** The artifact that a name means. Throws `artifact_not_found` or `ambiguous_name`. */
export async function find(model: Model, kind: "group", name: string): Promise<Group>;
export async function find(model: Model, kind: "unit", name: string): Promise<Unit>;
export async function find(model: Model, kind: "card", name: string): Promise<Card>;
export async function find(model: Model, kind: NamedKind, name: string): Promise<Group | Unit | Card> {
  const { findByName } = await import("../artifacts/graph/names.ts");
  const found = findByName(model, kind, name);
  if ("candidates" in found) {
    throw new ServiceError(
      "ambiguous_name",
      `Several ${kind}s are called "${name}": use a qualified name`,
      { errors: found.candidates.slice(0, 20).map((id) => ({ path: "path.name", message: id })) },
    );
  }
  const all: readonly (Group | Unit | Card)[] = kind === "group"
    ? model.groups
    : kind === "unit"
    ? model.units
    : model.cards;
  const artifact = "id" in found ? all.find(({ id }) => id === found.id) : undefined;
  if (artifact === undefined) {
    throw new ServiceError("artifact_not_found", `No ${kind} "${name}" in this workspace`);
  }
  return artifact;
}

const texts = new WeakMap<Model, Map<string, CachedText>>();
/** Texts held for one revision of a workspace. */
const MOST_TEXTS = 64;

/** A text that only a new revision changes: made by the first caller. */
export async function cachedText(
  model: Model,
  key: string,
  make: () => Promise<string>,
): Promise<CachedText> {
  let own = texts.get(model);
  if (own === undefined) texts.set(model, own = new Map());
  const known = own.get(key);
  if (known !== undefined) return known;
  const made = new CachedText(await make());
  if (own.size >= MOST_TEXTS) own.delete(own.keys().next().value!); // there is one at least
  own.set(key, made);
  return made;
}

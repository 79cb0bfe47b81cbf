/** Adoptions: containers that run, written down as files. Nothing on an engine or a disk changes. */
import { z } from "zod";
import { BUDGETS } from "../artifacts/files/budgets.ts";
import { mainGroups } from "../artifacts/graph/graph.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import { type Permission, type Principal, reachOf } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import {
  type ContainerRuntime,
  type InspectedContainer,
  reachOfRunning,
  SEES_RUNNING,
} from "../core/runtime.ts";
import { runtimeSeen, type Sight, type Sights } from "../core/sight.ts";
import { flag, text } from "../http/declare/query.ts";
import { type CoreRouter, json, problems, reply, route, router } from "../http/declare/router.ts";
import { Turns } from "../http/declare/turns.ts";
import { findComparedModel, InWorkspace } from "./artifact_lookup.ts";

/** Containers of one draft. */
const MOST = 500;
/** Containers that are inspected at a time. */
const AT_ONCE = 8;

const DraftRequest = z.strictObject({
  containers: z.array(z.strictObject({
    backend: text(200).describe("The engine's name"),
    id: text(200).describe("The container's whole id"),
  })).min(1).max(MOST).describe("The containers to write down"),
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/).optional()
    .describe("All of them become one project of this name; otherwise those that are connected, one each"),
}).meta({
  id: "DraftRequest",
  examples: [{ containers: [{ backend: "docker", id: "4f2c…" }], name: "shop" }],
});

const AdoptionDraft = z.object({
  projects: z.array(z.object({
    name: z.string().describe("The project's name"),
    backend: z.string().describe("The engine that its containers are on"),
    services: z.array(z.object({
      container: z.string().describe("The container's name"),
      id: z.string().describe("Its id"),
      service: z.string().describe("The service that it was written as"),
    })).describe("The containers that were written"),
    files: z.array(z.object({
      path: z.string().describe("Below the project's folder"),
      text: z.string().describe("The text, with its secrets masked unless they were asked for"),
    })).describe("`.env` for what looks like a secret, and the Compose file"),
    differences: z.array(z.object({
      container: z.string().describe("The container's name"),
      field: z.string().describe("The field, named as in drift"),
      declared: z.string().describe("The value of the text"),
      actual: z.string().describe("The value of the container"),
    })).describe("Differences that are left between a text and its container; empty where the text says all"),
    leftOut: z.array(z.object({
      containers: z.array(z.string()).describe("The names of the containers that have it"),
      field: z.string().describe("The field, or the engine's setting"),
      why: z.string().describe("The reason"),
    })).describe("Settings that no file can say, or that the engine does not tell"),
    refused: z.array(z.object({
      container: z.string().describe("The container's name"),
      why: z.string().describe("The reason"),
    })).describe("Containers that cannot be written down"),
    blocked: z.array(z.string()).describe("Reasons why the text cannot be used as it is"),
  })).describe("The projects that were written"),
}).meta({ id: "AdoptionDraft" });

const draft = route({
  method: "post",
  path: "/workspaces/{id}/adoptions/draft",
  summary: "Write containers down as a Compose project",
  description:
    "Each text is read back and compared with its container; the answer names every difference that is left, and what " +
    "no file can say. Nothing is saved, and no container changes. Needs `containers:read` on each container, and " +
    "`artifacts:read` on the whole workspace. `reveal` shows secrets: each container needs the permission that " +
    "revealing it alone needs, and the caller a recent sign-in. It is an entry of the audit log.",
  permission: "artifacts:read",
  subject: "found",
  audited: false,
  params: InWorkspace,
  query: z.object({ reveal: flag.describe("Show secrets, too").default(false) }),
  body: DraftRequest,
  answers: {
    200: json(AdoptionDraft, "The draft"),
    ...problems(
      "forbidden",
      "invalid_request",
      "workspace_not_found",
      "workspace_unavailable",
      "artifact_not_found",
      "engine_unavailable",
      "sign_in_again",
      "too_many_requests",
    ),
  },
});

interface AdoptionsOptions {
  readonly registry: Pick<Registry, "comparedModel" | "models" | "overlaid">;
  /** Null while no plugin has a container runtime: asked for each call. */
  readonly runtime: () => ContainerRuntime | null;
  readonly sights: Sights;
}

/** The writer is loaded by the first caller. */
export function adoptions(options: AdoptionsOptions): CoreRouter {
  const { registry, sights } = options;
  const turns = new Turns("write containers down", 2);
  return router().on(draft, async (call) => {
    const { params: { id }, query: { reveal }, body, principal, reach, left } = call;
    await findComparedModel(registry, id, reach);
    if (!reach.has({ workspace: id })) {
      throw forbidden(`"artifacts:read" for the whole workspace`);
    }
    const sight = sights.of(reachOfRunning(principal));
    if (sight.reach.nowhere) throw forbidden(`"${SEES_RUNNING}"`);
    const engines = options.runtime();
    if (engines === null) {
      throw new ServiceError(
        "engine_unavailable",
        "Cannot write containers down: there is no container engine",
      );
    }
    if (reveal) await call.mustBeProved();
    return await turns.take(principal, left, async () => {
      const seen = runtimeSeen(engines, sight);
      const asked = new Set(body.containers.map(({ backend, id }) => `${backend} ${id}`));
      const rows = (await seen.containers()).filter(({ backend, id }) => asked.has(`${backend} ${id}`));
      if (rows.length < asked.size) throw noContainer();
      if (reveal) {
        mustReveal(rows, principal, sights, seen.permissionFor("revealContainer"));
        await call.shows({ containers: rows.map(({ name }) => name).join(" ").slice(0, 1_000) });
      }
      const holdings = await seen.holdings();
      if (holdings === null) {
        throw new ServiceError("engine_unavailable", "Cannot write containers down: no engine answers");
      }
      const containers = await inspectAll(rows, seen);
      const [{ draftOf }, { ownContainer }] = await Promise.all([
        import("../projects/adopt/draft.ts"),
        import("../projects/plan/self.ts"),
      ]);
      const projects = await draftOf(containers, body.name, {
        runtime: seen,
        holdings,
        names: new Map((await seen.containers()).map(({ id, name }) => [id, name])),
        self: await ownContainer(),
        overlaid: (files) => registry.overlaid(id, files),
      });
      const [declared, { fileText }] = await Promise.all([
        declaredNames(registry),
        import("../artifacts/report/file_text.ts"),
      ]);
      return reply(200, {
        projects: projects.map((one) => ({
          name: one.name,
          backend: one.backend,
          services: [...one.services],
          files: one.files.map((file) => ({ path: file.path, text: fileText(file, reveal).text })),
          differences: [...one.differences],
          leftOut: one.leftOut.map(({ containers, field, why }) => ({
            containers: [...containers],
            field,
            why,
          })),
          refused: [...one.refused],
          blocked: blockedBy(one, projects, declared),
        })),
      });
    });
  });
}

const forbidden = (what: string): ServiceError =>
  new ServiceError("forbidden", `Cannot write containers down: this needs the permission ${what}`);

const noContainer = (): ServiceError =>
  new ServiceError("artifact_not_found", "Cannot write containers down: one of them is not there");

/** Throws `forbidden` unless the caller may see the secrets of each container. */
function mustReveal(
  rows: readonly Parameters<Sight["sees"]>[0][],
  principal: Principal,
  sights: Sights,
  permission: Permission,
): void {
  const revealed = sights.of(reachOf<Permission>(principal, permission));
  if (!rows.every((row) => revealed.sees(row))) throw forbidden(`"${permission}" on each container`);
}

/** Throws `artifact_not_found` if one has gone since it was listed. */
async function inspectAll(
  rows: readonly { readonly id: string; readonly backend: string }[],
  runtime: ContainerRuntime,
): Promise<InspectedContainer[]> {
  const found: InspectedContainer[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = await Promise.all(
      rows.slice(at, at + AT_ONCE).map(({ id, backend }) => runtime.inspect(id, backend)),
    );
    for (const one of some) {
      if (one === null) throw noContainer();
      found.push(one);
    }
  }
  return found;
}

/** Returns the names of the projects of all workspaces. */
async function declaredNames(registry: Pick<Registry, "models">): Promise<ReadonlySet<string>> {
  return new Set(
    (await registry.models()).flatMap(({ model }) => mainGroups(model).map(({ project }) => project)),
  );
}

function blockedBy(
  { name, refused, files }: {
    readonly name: string;
    readonly refused: readonly unknown[];
    readonly files: readonly { readonly path: string; readonly text: string }[];
  },
  projects: readonly { readonly name: string }[],
  declared: ReadonlySet<string>,
): string[] {
  return [
    ...(declared.has(name) ? [`A workspace has a project "${name}" already: choose another name`] : []),
    ...(projects.filter((one) => one.name === name).length > 1
      ? [`Containers of several engines cannot be one project "${name}"`]
      : []),
    // An unsaved text is read whatever its size.
    ...files.filter(({ text }) => new TextEncoder().encode(text).length > BUDGETS.fileBytes).map(({ path }) =>
      `"${path}" would have over ${BUDGETS.fileBytes} bytes, and berth reads no such file`
    ),
    ...(refused.length > 0 ? ["Some containers cannot be written down"] : []),
  ];
}

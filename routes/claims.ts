/** Adopted containers: the claims by which they belong to a project, until an apply replaces them. */
import * as z from "../core/schema.ts";
import { may, type Principal, type Subject } from "../core/access.ts";
import type { Claim } from "../core/claims.ts";
import { ServiceError } from "../core/error.ts";
import { subjectOf } from "../core/ownership.ts";
import { text } from "../http/declare/query.ts";
import { type CoreRouter, empty, json, problems, reply, route, router } from "../http/declare/router.ts";
import type { AcceptingOptions } from "./adoption_accept.ts";
import { type AdoptingOptions, forbidden, mustHold } from "./adopting.ts";

const Adoption = z.object({
  id: z.string().describe("The adoption's id"),
  engine: z.string().describe("The engine's name"),
  container: z.string().describe("The container's id"),
  name: z.string().describe("The name that it had"),
  state: z.enum(["certain", "likely", "gone", "unknown"]).describe(
    "`certain`: the container is there; `likely`: another one without labels of its own has its name; `gone`: neither is there; `unknown`: its " +
      "engine does not answer",
  ),
  project: z.string().describe("The project's id: `<group>@<workspace>`"),
  service: z.string().describe("The service that it stands for"),
  by: z.string().describe("The name of the person or key that adopted it"),
  at: z.string().describe("RFC 3339"),
}).meta({ id: "Adoption" });

const list = route({
  method: "get",
  path: "/adoptions",
  summary: "Containers that belong to a project because somebody adopted them",
  description:
    "An adoption ends when an apply replaces the container, which then has Compose's labels, and 30 days after the " +
    "engine has it no longer.",
  permission: "containers:read",
  subject: "listed",
  answers: {
    200: json(
      z.object({ items: z.array(Adoption).describe("By engine and container") }).meta({ id: "AdoptionList" }),
      "Those of projects that the caller sees",
    ),
    ...problems("store_unavailable"),
  },
});

const Id = z.object({ id: text(100).describe("The adoption's id") });

const confirm = route({
  method: "post",
  path: "/adoptions/{id}/confirm",
  summary: "Say that the container which has the name now is the adopted one",
  description:
    "For one that was replaced under its name by hand or by another tool. Needs `projects:apply` on that container, the permission that " +
    "revealing it alone needs, and `workspaces:files` on the workspace.",
  permission: "workspaces:files",
  subject: "found",
  audited: "change",
  proof: true,
  params: Id,
  answers: {
    204: empty("It belongs to the project"),
    ...problems("claim_not_found", "adoption_blocked", "already_claimed", "engine_unavailable", "forbidden"),
  },
});

const end = route({
  method: "delete",
  path: "/adoptions/{id}",
  summary: "End an adoption",
  description:
    "The container is one that nobody declares again; it and the files stay as they are. Needs `projects:apply` on the " +
    "project, too.",
  permission: "workspaces:files",
  subject: "found",
  audited: "change",
  params: Id,
  answers: { 204: empty("It has ended"), ...problems("claim_not_found", "forbidden", "store_unavailable") },
});

type ClaimOptions = Pick<AdoptingOptions, "runtime" | "sights"> & Pick<AcceptingOptions, "claims">;

export function claimRoutes({ runtime, sights, claims }: ClaimOptions): CoreRouter {
  /** Throws `claim_not_found`, also for one out of scope. */
  const claimOf = async (id: string, reach: { has(subject: Subject): boolean }): Promise<Claim> => {
    const found = (await claims.store.list()).find((one) => one.id === id);
    if (found === undefined || !reach.has({ workspace: found.workspace })) throw noClaim();
    return found;
  };
  return router()
    .on(list, async ({ reach }) => {
      const all = await claims.store.list();
      const engines = runtime();
      const seen = engines === null ? [] : await engines.containers();
      const byId = new Map(seen.map((row) => [`${row.backend} ${row.id}`, row]));
      // A container with labels of its own, as the one that an apply has made in its place, is no candidate.
      const byName = new Set(
        seen.flatMap(({ backend, name, compose }) =>
          compose?.claim === "likely" ? [`${backend} ${name}`] : []
        ),
      );
      const up = new Set(engines?.backends().flatMap(({ name, state }) => state === "up" ? [name] : []));
      const items = all.filter((one) => reach.has(projectOf(one))).map((one) => ({
        id: one.id,
        engine: one.engine,
        container: one.container,
        name: one.name,
        state: byId.has(`${one.engine} ${one.container}`)
          ? "certain" as const
          : !up.has(one.engine)
          ? "unknown" as const
          : byName.has(`${one.engine} ${one.name}`)
          ? "likely" as const
          : "gone" as const,
        project: `${one.group}@${one.workspace}`,
        service: one.service,
        by: one.by.name,
        at: new Date(one.at).toISOString(),
      }));
      return reply(200, { items });
    })
    .on(confirm, async (call) => {
      const { params: { id }, principal, reach } = call;
      const claim = await claimOf(id, reach);
      const engines = runtime();
      if (engines === null) {
        throw new ServiceError("engine_unavailable", "Cannot confirm the container: there is no engine");
      }
      const row = (await engines.containers()).find(({ backend, name, compose }) =>
        backend === claim.engine && name === claim.name && compose?.claim === "likely"
      );
      if (row === undefined) {
        throw new ServiceError(
          "adoption_blocked",
          `Cannot confirm the container: no other one has the name "${claim.name}" without labels of its own`,
        );
      }
      mustHold([row], principal, sights, engines.permissionFor("revealContainer"));
      if (!may(principal, "projects:apply", subjectOf(row, sights.ownership))) {
        throw forbidden(`"projects:apply" on the container`);
      }
      const entry = call.entry({ target: row.id, particulars: { name: row.name, project: claim.project } });
      if (!await claims.store.move(id, row.id, entry)) throw noClaim();
      await claims.known.reload();
      return reply(204);
    })
    .on(end, async (call) => {
      const { params: { id }, principal, reach } = call;
      const claim = await claimOf(id, reach);
      mayApply(principal, claim);
      const particulars = { name: claim.name, project: claim.project };
      if (!await claims.store.remove(id, call.entry({ target: claim.container, particulars }))) {
        throw noClaim();
      }
      await claims.known.reload();
      return reply(204);
    });
}

const projectOf = ({ engine, workspace, project }: Claim): Subject => ({ engine, workspace, project });

function mayApply(principal: Principal, claim: Claim): void {
  if (!may(principal, "projects:apply", projectOf(claim))) throw forbidden(`"projects:apply" on the project`);
}

const noClaim = (): ServiceError =>
  new ServiceError("claim_not_found", "No adoption has this id; it may have ended with an apply");

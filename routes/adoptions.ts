/** Adoptions: containers that run, written down as files, and accepted as a project. No container changes. */
import type { OfferStore } from "../core/store.ts";
import { flag, text } from "../http/declare/query.ts";
import { type CoreRouter, json, problems, reply, route, router } from "../http/declare/router.ts";
import { Turns } from "../http/declare/turns.ts";
import * as z from "../core/schema.ts";
import { findComparedModel, InWorkspace } from "./artifact_lookup.ts";
import { Accepting, type AcceptingOptions } from "./adoption_accept.ts";
import { blockedBy, declaredIds, declaredNames, writtenIn } from "./adoption_blocks.ts";
import { DraftOffers } from "./adoption_offers.ts";
import { Accepted, AcceptRequest, AdoptionDraft, DraftRequest } from "./adoption_shape.ts";
import {
  type AdoptingOptions,
  drafted,
  forbidden,
  inspectAll,
  meantBy,
  mustHold,
  noContainer,
} from "./adopting.ts";

const draft = route({
  method: "post",
  path: "/workspaces/{id}/adoptions/draft",
  summary: "Write containers down as a Compose project",
  description:
    "Each text is read back and compared with its container; the answer names every difference that is left, and what " +
    "no file can say. No file is written, and no container changes. Needs `containers:read` on each container, and " +
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

const accept = route({
  method: "post",
  path: "/adoptions/drafts/{id}/accept",
  summary: "Save a draft, and take its containers over as they are",
  description:
    "Writes the files of each project, `.env` for its owner alone, and then joins the containers with their services: " +
    "a plan has no step for a container that runs. The values come from the engine, and a mask is never written. " +
    "Needs `workspaces:files` on the workspace, and on each container `containers:read`, `projects:apply` " +
    "and the permission that revealing it alone needs. 409 `draft_stale` if a container has changed or gone, 409 `adoption_blocked` with the reason " +
    "where a name is taken or a container cannot be written down: then nothing was written. Each container of a draft is " +
    "taken once: a large draft is saved by several calls.",
  permission: "workspaces:files",
  subject: "found",
  proof: true,
  params: z.object({ id: text(100).describe("The draft's id") }),
  body: AcceptRequest,
  particulars: ({ body }) => ({
    projects: body.projects.map(({ name }) => name).join(" ").slice(0, 1_000),
    containers: body.projects.flatMap(({ containers }) => containers.map(({ id }) => id.slice(0, 12))).join(
      " ",
    )
      .slice(0, 1_000),
  }),
  answers: {
    201: json(Accepted, "The projects that were saved"),
    ...problems(
      "forbidden",
      "invalid_request",
      "workspace_not_found",
      "workspace_unavailable",
      "artifact_not_found",
      "engine_unavailable",
      "draft_stale",
      "adoption_blocked",
      "already_claimed",
      "too_many_claims",
      "not_editable",
      "file_exists",
      "file_not_written",
      "disk_full",
      "store_unavailable",
      "too_many_requests",
    ),
  },
});

interface AdoptionsOptions extends AdoptingOptions, AcceptingOptions {
  readonly offers: OfferStore;
}

export function adoptions(options: AdoptionsOptions): CoreRouter {
  const { registry, sights, now } = options;
  const turns = new Turns("write containers down", 2);
  const offers = new DraftOffers(options.offers, now);
  const accepting = new Accepting(options);
  return router()
    .on(draft, async (call) => {
      const { params: { id }, query: { reveal }, body, principal, reach, left } = call;
      await findComparedModel(registry, id, reach);
      if (!reach.has({ workspace: id })) throw forbidden(`"artifacts:read" for the whole workspace`);
      if (reveal) await call.mustBeProved();
      return await turns.take(principal, left, async () => {
        const { seen, rows } = await meantBy(body.containers, principal, options);
        const asked = new Set(body.containers.map(({ backend, id }) => `${backend} ${id}`));
        if (rows.length < asked.size) throw noContainer();
        if (reveal) {
          mustHold(rows, principal, sights, seen.permissionFor("revealContainer"));
          await call.shows({ containers: rows.map(({ name }) => name).join(" ").slice(0, 1_000) });
        }
        const containers = await inspectAll(rows, seen);
        const projects = await drafted(id, [{ name: body.name, containers }], { seen, registry });
        const [names, ids, { fileText }, { stampOf }] = await Promise.all([
          declaredNames(registry),
          declaredIds(rows, sights.ownership),
          import("../artifacts/report/file_text.ts"),
          import("../projects/adopt/stamp.ts"),
        ]);
        const stamped = containers.map((one) => ({
          backend: one.backend,
          id: one.id,
          name: one.name,
          stamp: stampOf(one),
        }));
        const offer = await offers.add(principal, { workspace: id, containers: stamped });
        const running = new Set(rows.flatMap((row) => row.state === "running" ? [row.id] : []));
        return reply(200, {
          id: offer.id,
          expiresAt: new Date(offer.expiresAt).toISOString(),
          projects: projects.map((one) => {
            const folder = writtenIn(one, id, names);
            const isTaken = names.has(one.name) && folder === null;
            return {
              name: one.name,
              backend: one.backend,
              folder: folder ?? one.name,
              services: one.services.map((service) => ({ ...service, isRunning: running.has(service.id) })),
              files: one.files.map((file) => ({ path: file.path, text: fileText(file, null, reveal).text })),
              differences: [...one.differences],
              leftOut: one.leftOut.map((left) => ({ ...left, containers: [...left.containers] })),
              refused: [...one.refused],
              blocked: blockedBy(one, { projects, isTaken, ids }),
            };
          }),
        });
      });
    })
    .on(
      accept,
      async (call) =>
        await turns.take(
          call.principal,
          call.left,
          async () =>
            reply(
              201,
              (await offers.using(call.principal, call.params.id, (offer) => accepting.accept(offer, call)))
                .answer,
            ),
        ),
    );
}

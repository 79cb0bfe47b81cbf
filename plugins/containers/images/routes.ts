/** `/api/images`: lists, inspects, pulls and removes images. */
import * as z from "../../../core/schema.ts";
import {
  empty,
  json,
  particularsOf,
  raw,
  reply,
  route,
  type Router,
  router,
} from "../../../http/declare/router.ts";
import { asServiceError } from "../../../http/declare/problem.ts";
import { flag, text } from "../../../http/declare/query.ts";
import type { Reach } from "../../../core/access.ts";
import { type Engines, freshInSight } from "../backends/seen.ts";
import type { Link } from "../../../engines/links/link.ts";
import { mustBeAllowed } from "../../../engines/calls/allowed_registry.ts";
import { Cutoff } from "../../../engines/calls/cutoff.ts";
import { at, SlashedName } from "../../../engines/calls/path.ts";
import { engineThatHas } from "../backends/engine_that_has.ts";
import { RegistryLogin } from "../../../core/engine_acts.ts";
import type { PullRules } from "../backends/logins.ts";
import { ImageDetail, readImage } from "./detail.ts";
import { pull, type PullProgress, PullResult } from "./pull.ts";
import { pullFormat, PullFrame, streamPull } from "./pull_answer.ts";
import { REFERENCE_FORM, textOfReference } from "../../../core/image_reference.ts";
import { parseReference } from "./reference.ts";
import { Image } from "../../../engines/rows/image.ts";
import { CachedList } from "../backends/cached_list.ts";
import { removeObject } from "../backends/removal.ts";
import { BackendName, listAnswer } from "../backends/route_fields.ts";
import { maySelectUnused, type Users, usersOf } from "../backends/used_by.ts";
import { reachOfRunning } from "../../../core/runtime.ts";
import { problems } from "../backends/problems.ts";

const ImageList = listAnswer(Image, "ImageList");

const ListQuery = z.object({
  backend: BackendName.optional(),
  q: text(256).optional().describe("Part of a tag or id"),
  dangling: flag.optional().describe("Only images without a tag, or only the others"),
  unused: flag.optional().describe("Only those that no container was made from, or only the others"),
});

const list = route({
  method: "get",
  path: "/images",
  summary: "List the images of all engines",
  description:
    "Answers from memory. `unused=true` lists images without a container, `dangling=true` images " +
    "without a tag.",
  headers: ["If-None-Match"],
  permission: "images:read",
  subject: "listed",
  query: ListQuery,
  answers: { 200: json(ImageList, "The images"), ...problems("backend_not_found") },
});

const byId = z.object({
  id: z.string().min(1).max(1024).describe("The image's id, the beginning of one, or a reference"),
});

const inspect = route({
  method: "get",
  path: "/images/{id...}",
  summary: "One image, by id, id prefix or reference",
  description:
    "Returns the image with its platform, default settings, history and layers. 409 if a name fits " +
    "several images.",
  permission: "images:read",
  subject: "found",
  params: byId,
  query: z.object({ backend: BackendName.optional() }),
  answers: {
    200: json(ImageDetail, "The image"),
    ...problems("image_not_found", "ambiguous_id", "backend_not_found", "no_engine", "runtime_unavailable"),
  },
});

const PullRequest = z.strictObject({
  reference: z.string().min(1).max(1024).meta({ pattern: REFERENCE_FORM }).describe(
    "The image, as ghcr.io/owner/app:1.2",
  ),
  platform: z.string().regex(/^[a-z0-9]+(?:\/[a-z0-9_.-]+){0,2}$/, 'Expected "os/arch/variant"').max(64)
    .optional().describe("Another platform than the engine's own, as linux/arm64"),
  auth: RegistryLogin.optional().describe(
    "For the reference's registry alone, instead of stored credentials; kept nowhere",
  ),
}).meta({
  id: "PullRequest",
  examples: [{ reference: "ghcr.io/owner/app:1.2" }, {
    reference: "ghcr.io/owner/app:1.2",
    platform: "linux/amd64",
    auth: { username: "ada", password: "a token of the registry" },
  }],
});

const pulling = route({
  method: "post",
  path: "/images/pull",
  summary: "Pull an image; closing the request cancels it",
  description:
    "Answers with JSON at the end. With `Accept: application/x-ndjson` or `text/event-stream` it answers " +
    "with progress as it comes, and a last frame `{ done }` or `{ error }`; an empty line (a comment among " +
    "events) every 15 s of silence shows that it is alive.",
  permission: "images:write",
  subject: "found",
  query: z.object({ backend: BackendName.optional() }),
  body: PullRequest,
  particulars: ({ query, body: { reference, platform } }) => particularsOf({ ...query, reference, platform }),
  answers: {
    200: raw("The image, as the engine has it now", {
      "application/json": PullResult,
      "application/x-ndjson": PullFrame,
      "text/event-stream": PullFrame,
    }),
    ...problems(
      "image_not_found",
      "pull_refused",
      "pull_failed",
      "backend_not_found",
      "no_engine",
      "runtime_unavailable",
    ),
  },
});

const remove = route({
  method: "delete",
  path: "/images/{id...}",
  summary: "Remove an image, or one of its names",
  description:
    "By a tag, only this tag is removed, and the image with its last tag. By id, the image is removed. " +
    "409 if a container uses it.",
  permission: "images:write",
  subject: "found",
  params: byId,
  query: z.object({
    backend: BackendName.optional(),
    force: flag.optional().describe("Even if several tags name it, or stopped containers use it"),
    noprune: flag.optional().describe("Keep untagged parents"),
  }),
  particulars: ({ query }) => particularsOf(query),
  answers: {
    204: empty("It is gone"),
    ...problems(
      "image_not_found",
      "in_use",
      "conflict",
      "ambiguous_id",
      "backend_not_found",
      "runtime_unavailable",
    ),
  },
});

export const ROUTES = [list, inspect, pulling, remove];

interface ImagesOptions {
  readonly engines: Engines;
  readonly pulls: PullRules;
  readonly list: ListedImages;
}

type ListedImages = CachedList<z.infer<typeof Image>>;

export function listedImages(engines: Engines): ListedImages {
  return new CachedList(engines, "images", {
    items: imagesOf,
    subjectOf: ({ backend }) => ({ engine: backend }),
  });
}

export function images({ engines, list: all, pulls }: ImagesOptions): Router {
  const { backends, sights } = engines;
  return router()
    .on(list, (call) => {
      const { query } = call;
      maySelectUnused(call.principal, query.unused);
      return all.answer(query, call, isAskedFor(query));
    })
    .on(inspect, async ({ params, query, left, principal, reach }) => {
      const name = new SlashedName(params.id);
      const link = await holding(engines, reach, params.id, query.backend, "inspect");
      const detail = await readImage(link.engine, name, params.id, left);
      const sight = sights.of(reachOfRunning(principal));
      await freshInSight(backends, [link], sight);
      return reply(200, { ...detail, usedBy: usersOf(link, sight).image(detail.id) });
    })
    .on(pulling, async (call) => {
      const { body, query, request, ending } = call;
      const reference = parseReference(body.reference);
      mustBeAllowed(reference, pulls.registries);
      const credentials = body.auth ?? await pulls.logins.find(reference);
      const link = backends.target(query.backend, call.reach);
      const leaving = new Cutoff([ending]);
      const run = async (progress: (frame: PullProgress) => void) => {
        try {
          return await pull(link.engine, {
            reference,
            platform: body.platform,
            credentials,
            signal: leaving.signal,
            progress,
          });
        } finally {
          leaving[Symbol.dispose]();
          link.mirror.images.touch();
        }
      };
      const format = pullFormat(request.headers.get("accept"));
      if (format !== null) {
        const over = call.goesOn();
        const told = async (progress: (frame: PullProgress) => void) => {
          try {
            const pulled = await run(progress);
            over({});
            return pulled;
          } catch (thrown) {
            over({ code: asServiceError(thrown).code });
            throw thrown;
          }
        };
        return await streamPull(format, told, () => leaving.abort());
      }
      return Response.json(await run(() => {}));
    })
    .on(remove, async ({ params, query, reach }) => {
      const name = new SlashedName(params.id);
      const link = await holding(engines, reach, params.id, query.backend, "remove");
      await removeObject(link, "images", {
        path: at`/images/${name}`,
        shownAt: at`/images/${name}/json`,
        doing: `remove image "${params.id}"`,
        missing: "image_not_found",
        query: { force: query.force, noprune: query.noprune },
      });
      return reply(204);
    });
}

/** Returns whether an image is among those that a query selects. */
function isAskedFor(query: z.output<typeof ListQuery>): (image: z.infer<typeof Image>) => boolean {
  const { dangling, unused } = query;
  const part = query.q?.toLowerCase();
  return (image) =>
    (dangling === undefined || image.dangling === dangling) &&
    (unused === undefined || (image.usedBy?.length === 0) === unused) &&
    (part === undefined || image.id.includes(part) ||
      image.tags.some((tag) => tag.toLowerCase().includes(part)));
}

function imagesOf(link: Link, users: Users): z.infer<typeof Image>[] {
  return [...link.mirror.images.rows.values()].map((row) => ({ ...row, usedBy: users.image(row.id) }));
}

function holding(
  { backends }: Engines,
  reach: Reach,
  id: string,
  backend: string | undefined,
  verb: string,
): Promise<Link> {
  const names = new Set([id, ...fullName(id)]);
  const hex = id.replace(/^sha256:/, "");
  return engineThatHas(backends, reach, {
    kind: "images",
    doing: `${verb} image "${id}"`,
    missing: "image_not_found",
    backend,
    has: (link, sees) => {
      if (!sees({ engine: link.name })) return false;
      for (const row of link.mirror.images.rows.values()) {
        if (/^[0-9a-f]{4,64}$/.test(hex) && row.id.startsWith(`sha256:${hex}`)) return true;
        if (
          [...row.tags, ...row.digests].some((name) =>
            names.has(name) || fullName(name).some((one) => names.has(one))
          )
        ) {
          return true;
        }
      }
      return false;
    },
  });
}

/** The reference in full; empty for a text that is an id and no reference. */
function fullName(text: string): string[] {
  try {
    return [textOfReference(parseReference(text))];
  } catch {
    return [];
  }
}

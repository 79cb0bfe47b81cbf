/** `/api/volumes`: lists, inspects, creates and removes volumes. */
import * as z from "../../../core/schema.ts";
import type { Reach } from "../../../core/access.ts";
import { volumeNeeds } from "../../../core/object_needs.ts";
import { mustHold } from "../backends/judged.ts";
import { ServiceError } from "../../../core/error.ts";
import { flag, text } from "../../../http/declare/query.ts";
import {
  empty,
  json,
  located,
  particularsOf,
  reply,
  route,
  type Router,
  router,
} from "../../../http/declare/router.ts";
import { type Engines, freshInSight } from "../backends/seen.ts";
import type { Link } from "../../../engines/links/link.ts";
import { unreadable } from "../../../engines/calls/failure.ts";
import { isGone, sentOrShown } from "../../../engines/calls/lost_answer.ts";
import { at, identifier } from "../../../engines/calls/path.ts";
import { engineThatHas } from "../backends/engine_that_has.ts";
import { CachedList } from "../backends/cached_list.ts";
import { removeObject } from "../backends/removal.ts";
import {
  BackendName,
  byName,
  listAnswer,
  Name,
  onBackend,
  subjectOfListed,
  TextMap,
} from "../backends/route_fields.ts";
import { listOf, objectOf, parseJson, textOf, textsOf } from "../../../engines/calls/wire.ts";
import { maySelectUnused, type Users, usersOf } from "../backends/used_by.ts";
import { reachOfRunning } from "../../../core/runtime.ts";
import { Volume, volumeRow } from "../../../engines/rows/volume.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { problems } from "../backends/problems.ts";

const VolumeList = listAnswer(Volume, "VolumeList");

const list = route({
  method: "get",
  path: "/volumes",
  summary: "List the volumes of all engines",
  description: "Answers from memory. `unused=true` lists volumes that no container mounts.",
  headers: ["If-None-Match"],
  permission: "volumes:read",
  subject: "listed",
  query: z.object({
    backend: BackendName.optional(),
    q: text(256).optional().describe("Part of a name"),
    unused: flag.optional().describe("Only those that no container mounts, or only the others"),
  }),
  answers: { 200: json(VolumeList, "The volumes"), ...problems("backend_not_found") },
});

const inspect = route({
  method: "get",
  path: "/volumes/{name}",
  summary: "One volume",
  description:
    "Returns the volume with its driver, labels, mount point and size, and the containers that mount " +
    "it.",
  permission: "volumes:read",
  subject: "found",
  params: byName,
  query: onBackend,
  answers: {
    200: json(Volume, "The volume"),
    ...problems("volume_not_found", "ambiguous_id", "backend_not_found", "no_engine", "runtime_unavailable"),
  },
});

const NewVolume = z.strictObject({
  name: Name.optional().describe("The engine makes one up where it is missing"),
  driver: Name.optional().describe("The driver that makes it; local unless told otherwise"),
  options: TextMap.optional().describe(
    "Options of the driver, which can bind any folder of the host: needs volumes:host-paths or projects:host",
  ),
  labels: TextMap.optional().describe("Labels to find it by"),
}).meta({ id: "NewVolume", examples: [{ name: "shop_data", labels: { team: "shop" } }, {}] });

const create = route({
  method: "post",
  path: "/volumes",
  summary: "Create a volume",
  description: "The engine chooses a name if none is given. Options that bind a folder of the host need a " +
    "permission of their own.",
  permission: "volumes:write",
  subject: "found",
  query: onBackend,
  body: NewVolume,
  particulars: ({ query, body: { name, driver } }) => particularsOf({ ...query, name, driver }),
  answers: {
    201: located(Volume, "The volume as the engine made it"),
    ...problems("forbidden", "name_taken", "backend_not_found", "no_engine", "runtime_unavailable"),
  },
});

const remove = route({
  method: "delete",
  path: "/volumes/{name}",
  summary: "Remove a volume and what is in it",
  description: "Deletes the data in the volume; nothing can bring it back. 409 if a container still uses it.",
  permission: "volumes:write",
  subject: "found",
  params: byName,
  query: onBackend,
  particulars: ({ query }) => particularsOf(query),
  answers: {
    204: empty("It is gone"),
    ...problems("volume_not_found", "in_use", "ambiguous_id", "backend_not_found", "runtime_unavailable"),
  },
});

export const ROUTES = [list, inspect, create, remove];

type ListedVolumes = CachedList<z.infer<typeof Volume>>;

export function listedVolumes(engines: Engines): ListedVolumes {
  return new CachedList<z.infer<typeof Volume>>(engines, "volumes", {
    items: volumesOf,
    subjectOf: subjectOfListed,
  });
}

export function volumes(engines: Engines, all: ListedVolumes): Router {
  const { backends, sights } = engines;
  const claims = new Claims();
  return router()
    .on(list, (call) => {
      const { query } = call;
      maySelectUnused(call.principal, query.unused);
      const { unused } = query;
      const part = query.q?.toLowerCase();
      return all.answer(
        query,
        call,
        ({ name, usedBy }) =>
          (unused === undefined || (usedBy?.length === 0) === unused) &&
          (part === undefined || name.toLowerCase().includes(part)),
      );
    })
    .on(inspect, async ({ params, query, left, principal, reach }) => {
      const name = identifier(params.name);
      const link = await holding(engines, reach, name, query.backend, "inspect");
      const row = volumeRow(await wireOf(link, name, "inspect", left), link.name);
      if (row === null) throw unreadable(link.name, `inspect volume "${name}"`);
      const sight = sights.of(reachOfRunning(principal));
      await freshInSight(backends, [link], sight);
      return reply(200, { ...row, usedBy: usersOf(link, sight).volume(row.name) });
    })
    .on(create, async ({ body, query, principal, reach, left }) => {
      const link = backends.target(query.backend, reach);
      const { driver = null, options = {}, labels = {} } = body;
      const needs = volumeNeeds({ driver, driverOptions: options, labels });
      mustHold(principal, link.name, "create the volume", needs, ["projects:host", "volumes:host-paths"]);
      if (body.driver !== undefined) await mustHaveDriver(link, body.driver, left);
      using _claim = claims.claim(link, body.name);
      if (body.name !== undefined) await assertFree(link, body.name);
      const row = volumeRow(await make(link, body), link.name);
      if (row === null) throw unreadable(link.name, "create a volume");
      return reply(201, { ...row, usedBy: [] }, { location: `/api/volumes/${row.name}` });
    })
    .on(remove, async ({ params, query, reach }) => {
      const name = identifier(params.name);
      const link = await holding(engines, reach, name, query.backend, "remove");
      const doing = `remove volume "${name}"`;
      await removeObject(link, "volumes", { path: at`/volumes/${name}`, doing, missing: "volume_not_found" });
      return reply(204);
    });
}

/** Creates a volume and returns what the engine says of it. */
async function make(link: Link, { name, driver, options, labels }: z.infer<typeof NewVolume>) {
  const create = async () =>
    parseJson(
      (await link.engine.post(at`/volumes/create`, {
        doing: name === undefined ? "create a volume" : `create volume "${name}"`,
        body: { Name: name, Driver: driver, DriverOpts: options, Labels: labels },
        firstByteMs: 60_000,
      })).text,
    );
  try {
    // Its name was free before. One whose name the engine makes up cannot be found again.
    return await (name === undefined ? create() : sentOrShown(create, () => wireOf(link, name, "inspect")));
  } finally {
    link.mirror.volumes.touch();
  }
}

function wireOf({ engine }: Link, name: string, verb: string, signal?: AbortSignal): Promise<unknown> {
  return engine.get(at`/volumes/${name}`, {
    doing: `${verb} volume "${name}"`,
    missing: "volume_not_found",
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Docker would search 15 s for a driver that it does not have. Throws `invalid_request`. */
async function mustHaveDriver({ engine }: Link, driver: string, signal: AbortSignal): Promise<void> {
  const doing = "create a volume";
  const [info, installed] = await Promise.all([
    engine.get(at`/info`, { doing, signal }).then(objectOf),
    // Podman has no such plugins.
    engine.get(at`/plugins`, { doing, signal }).then(listOf).catch(() => []),
  ]);
  const known = textsOf(objectOf(info.Plugins).Volume);
  const enabled = installed.map(objectOf).filter((one) => one.Enabled === true).map(({ Name }) =>
    textOf(Name)
  );
  const isThere = [...known, ...enabled].some((name) => name === driver || name === `${driver}:latest`);
  if (known.length === 0 || isThere) return;
  const there = known.map((name) => `"${name}"`).join(", ");
  throw engineError(
    "invalid_request",
    `Cannot ${doing}: engine "${engine.name}" has no volume driver "${driver}"`,
    {
      errors: [{ path: "body.driver", message: `Expected one of ${there}` }],
    },
  );
}

function volumesOf(link: Link, users: Users): z.infer<typeof Volume>[] {
  return [...link.mirror.volumes.rows.values()].map((row) => ({ ...row, usedBy: users.volume(row.name) }));
}

function holding(
  { backends }: Engines,
  reach: Reach,
  name: string,
  backend: string | undefined,
  verb: string,
): Promise<Link> {
  return engineThatHas(backends, reach, {
    kind: "volumes",
    doing: `${verb} volume "${name}"`,
    missing: "volume_not_found",
    backend,
    has: (link, sees) => {
      const row = link.mirror.volumes.rows.get(name);
      return row !== undefined && sees(subjectOfListed(row));
    },
  });
}

/** Names that are being created: of two requests for one name, the second is refused. */
class Claims {
  readonly #held = new Set<string>();

  claim(link: Link, name: string | undefined): Disposable {
    const key = `${link.name} ${name}`;
    if (name !== undefined && this.#held.has(key)) throw taken(link, name);
    this.#held.add(key);
    return { [Symbol.dispose]: () => this.#held.delete(key) };
  }
}

/** Both engines answer success when the volume already exists, and ignore the other options. */
async function assertFree(link: Link, name: string): Promise<void> {
  if (!await isGone(wireOf(link, name, "look for"), "volume_not_found")) throw taken(link, name);
}

function taken(link: Link, name: string): ServiceError {
  return engineError(
    "name_taken",
    `Cannot create volume "${name}": engine "${link.name}" has one of that name`,
  );
}

/** Projects: each declared group with what runs of it, and each project that only runs. */
import * as z from "../core/schema.ts";
import { Verdict } from "../artifacts/live/verdict.ts";
import { may, type Principal, type Reach, reachOf, type Subject } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { IGNORED_KINDS, type IgnoredKey } from "../core/ignored.ts";
import { jsonArray, jsonMembers, jsonObject, type JsonText, jsonText, membersOf } from "../core/json_text.ts";
import { Lru } from "../core/lru.ts";
import { subjectOf } from "../core/ownership.ts";
import { holdsService } from "../core/running_services.ts";
import { reachOfRunning } from "../core/runtime.ts";
import type { Call } from "../http/declare/call.ts";
import { CachedText } from "../http/declare/cached_text.ts";
import { count, flag, text } from "../http/declare/query.ts";
import {
  cached,
  type CoreRouter,
  empty,
  json,
  problems,
  reply,
  route,
  router,
} from "../http/declare/router.ts";
import { ComparedAnswers } from "./compared_answers.ts";
import type { ComparedOptions, ComparedProject } from "./compared.ts";
import type { IgnoredProjects } from "./ignored.ts";
import { BESIDE, besideOf, type Feeds, projectFeeds } from "./live_projects.ts";
import { detailOf, ProjectDetail } from "./project_detail.ts";
import { historyOf, type HistorySources, ProjectHistory } from "./project_history.ts";
import type { Updates } from "../projects/updates/updates.ts";
import { type Known, listProjects, type ProjectList } from "./project_list.ts";
import { ProjectRow, textOfRow } from "./project_rows.ts";
import { stacksEngine } from "./stack_rows.ts";
import { sorted, SORTS } from "./project_sort.ts";
import type { RegisterRemedy } from "./register_remedy.ts";

/** Texts that are kept of one list. */
const MOST_TEXTS = 64;

const Projects = z.object({
  items: z.array(ProjectRow).describe("The projects, the worst first"),
  total: z.int().describe("Number of projects that the question means"),
  ...BESIDE,
}).meta({ id: "Projects" });

const list = route({
  method: "get",
  path: "/projects",
  summary: "Every project in one row: declared, running, or both",
  description:
    "A declared project is one row, on however many engines it runs. Projects that only run need " +
    "`containers:read`, too. The worst come first.",
  headers: ["If-None-Match"],
  permission: "artifacts:read",
  subject: "listed",
  query: z.object({
    verdict: Verdict.optional().describe("Only projects with this verdict"),
    q: text(200).optional().describe("Only projects whose name or folder holds this, in either case"),
    workspace: text(200).optional().describe("Only declared in this workspace, by its id"),
    engine: text(200).optional().describe("Only with containers on this engine"),
    ignored: flag.optional().describe("Only those that people have put aside, or only the others"),
    sort: z.enum(SORTS).default("verdict").describe(
      "The order: `verdict` has the worst first, `running` and `differences` the most; `-` turns it round",
    ),
    limit: count(0, 5_000).default(1_000).describe("Maximum number of rows"),
  }),
  answers: { 200: json(Projects, "The rows") },
});

const one = route({
  method: "get",
  path: "/projects/{id}",
  summary: "A project with its units and their differences",
  description:
    "The id is `<group>@<workspace>`, `<project>@engine:<name>`, or `<stack>@swarm:<cluster>`. A project's name alone is " +
    "enough while the caller sees only one of that name; otherwise 409 `ambiguous_name` lists the ids.",
  headers: ["If-None-Match"],
  permission: "artifacts:read",
  subject: "found",
  params: z.object({ id: text(500).describe("The project's id, or its name") }),
  query: z.object({
    reveal: flag.describe(
      "Show the values of all variables in `resolved`, too: needs `artifacts:reveal`, and is an entry of the audit log",
    ).default(false),
  }),
  answers: {
    200: json(ProjectDetail, "The project"),
    ...problems("artifact_not_found", "ambiguous_name", "forbidden", "sign_in_again"),
  },
});

const ignore = route({
  method: "put",
  path: "/projects/{id}/ignored",
  summary: "Put a project aside that only runs, or show it again",
  description:
    "An ignored project or container is left out of the counts. It needs `containers:read` on it, too. " +
    "Ignoring ends when a file declares it.",
  permission: "workspaces:write",
  subject: "found",
  audited: "change",
  params: z.object({
    id: text(500).describe("The project's id, or its name; of a container, `<name>@engine:<engine>`"),
  }),
  body: z.strictObject({
    ignored: z.boolean().describe("True to put it aside"),
    kind: z.enum(IGNORED_KINDS).default("project").describe(
      "`container` is one that belongs to no project",
    ),
  }).meta({ id: "IgnoredProject", examples: [{ ignored: true }] }),
  answers: {
    204: empty("It is as asked"),
    ...problems("artifact_not_found", "ambiguous_name", "project_declared", "too_many_ignored", "forbidden"),
  },
});

const history = route({
  method: "get",
  path: "/projects/{id}/history",
  summary: "The latest applies, saved files and deaths of a project",
  description:
    "Newest first, 50 at most. Applies need `projects:plan`, saved files `workspaces:files`, and deaths of containers " +
    "the permission for events: `missing` names the kinds that the caller may not see, each with its permission. " +
    "Deaths are those that engines told since berth started.",
  permission: "artifacts:read",
  subject: "found",
  params: z.object({ id: text(500).describe("The project's id, or its name") }),
  answers: {
    200: json(ProjectHistory, "What happened"),
    ...problems("artifact_not_found", "ambiguous_name"),
  },
});

type ListOf = (principal: Principal, reach: Reach) => Promise<ProjectList>;

interface ProjectsOptions extends ComparedOptions, HistorySources {
  readonly ignored: IgnoredProjects;
  readonly updates: Updates;
  readonly now: () => number;
  readonly register: RegisterRemedy;
}

export function projects(
  options: ProjectsOptions,
): { readonly router: CoreRouter; readonly listOf: ListOf } & Feeds {
  const lists = new ComparedAnswers<ProjectList>(options);
  const texts = new WeakMap<ProjectList, Lru<CachedText>>();
  let also: { readonly ignored?: unknown; readonly updates?: unknown } = {};
  const listOf: ListOf = async (principal, reach) => {
    const ignored = await options.ignored.current();
    const updates = await options.updates.current();
    if (also.ignored !== ignored || also.updates !== updates) also = { ignored, updates };
    return await lists.of({ principal, reach, question: [], also }, async (seen, last) => {
      const before = last?.finishes ?? new Map();
      const made = await listProjects(options, seen, {
        principal,
        reach,
        before,
        ignored,
        updates,
        now: options.now(),
      });
      const running = await options.runtime()?.containers() ?? [];
      await options.ignored.endDeclared(running, options.sights.ownership, made.isDeclared);
      return made;
    });
  };
  /** Returns the text that is known of a list, or else makes it. */
  const textOf = (of: ProjectList, question: readonly unknown[], make: () => JsonText): CachedText => {
    const own = texts.get(of) ?? new Lru<CachedText>(MOST_TEXTS);
    texts.set(of, own);
    const key = JSON.stringify(question);
    const known = own.get(key) ?? new CachedText(make());
    own.set(key, known);
    return known;
  };
  const made = router()
    .on(list, async ({ query, principal, reach, request }) => {
      const all = await listOf(principal, reach);
      return await textOf(all, ["list", query], () => listed(all, query)).answer(request);
    })
    .on(one, async (call) => {
      const { params, principal, reach, request, query: { reveal } } = call;
      const all = await listOf(principal, reach);
      const row = find(all.rows, params.id);
      const { ownership } = options.sights;
      const runtime = options.runtime();
      const ports = (await runtime?.holdings())?.ports ?? [];
      const known = all.known.get(row.id)!; // every row has one
      const { permissions, grants } = principal;
      const mayRegister = row.workspace === null && reachOf(principal, "workspaces:write").everywhere;
      const remedies = mayRegister ? await options.register(known.containers) : [];
      if (reveal && known.declared !== null) {
        const shown = { ...known, declared: await revealed(call, row.id, known.declared) };
        return cached(
          JSON.stringify(detailOf(row, shown, { principal, ownership, ports, runtime, remedies: [] })),
        );
      }
      return await textOf(
        all,
        ["one", row.id, permissions, grants, remedies],
        () => jsonText(detailOf(row, known, { principal, ownership, ports, runtime, remedies })),
      ).answer(request);
    });
  made.on(history, async ({ params, principal, reach }) => {
    const all = await listOf(principal, reach);
    const row = find(all.rows, params.id);
    return reply(200, await historyOf(row, all.known.get(row.id)!, options, principal)); // every row has one
  });
  made.on(ignore, async (call) => {
    const { principal, reach, params: { id }, body } = call;
    const all = await listOf(principal, reach);
    const { ownership } = options.sights;
    const mayName = (subject: Subject) => reach.has(subject) && reachOfRunning(principal).has(subject);
    const key = (body.ignored ? null : goneKey(all, { id, ...body }, mayName)) ??
      ignoredKey(all, { id, ...body }, ({ containers, services = [] }) => {
        const holds = services.every((one) => holdsService(reach, one));
        if (holds && containers.every((one) => reach.has(subjectOf(one, ownership)))) return;
        throw new ServiceError(
          "forbidden",
          `Cannot ignore "${id}": it needs "workspaces:write" on all of it`,
        );
      });
    const entry = call.entry({ particulars: { ignored: String(body.ignored), kind: body.kind } });
    if (key !== null) await options.ignored.set(key, body.ignored, principal, entry);
    return reply(204);
  });
  return { router: made, listOf, ...projectFeeds(listOf) };
}

function listed(
  all: ProjectList,
  { verdict, q, workspace, engine, ignored, sort, limit }: z.output<NonNullable<typeof list.query>>,
): JsonText {
  const wanted = q?.toLowerCase();
  const meant = all.rows.filter((row) =>
    (verdict ?? row.verdict) === row.verdict &&
    (workspace === undefined || row.workspace?.id === workspace) &&
    (engine === undefined || row.engines.includes(engine)) &&
    (ignored ?? row.ignored) === row.ignored &&
    (wanted === undefined ||
      [row.name, row.project, row.folder].some((one) => one?.toLowerCase().includes(wanted)))
  );
  const items = sorted(meant, sort).slice(0, limit).map(textOfRow);
  return jsonObject(
    jsonMembers({ items: jsonArray(items), total: jsonText(meant.length) }),
    membersOf(jsonText(besideOf(all))),
  );
}

/** Returns the project with all values of variables, once the audit log has it. Throws `forbidden` and `sign_in_again`. */
async function revealed(
  call: Call<unknown, unknown, unknown>,
  id: string,
  project: ComparedProject,
): Promise<ComparedProject> {
  const { workspace, group, units } = project;
  const isSeen = reachOfRunning(call.principal).has({ workspace: workspace.id, project: group.project });
  if (!isSeen || !may(call.principal, "artifacts:reveal", { workspace: workspace.id })) {
    const message = 'Cannot show the values: "reveal" needs the permission "artifacts:reveal"';
    throw new ServiceError("forbidden", message);
  }
  await call.mustBeProved();
  await call.shows({ project: id });
  const { revealedUnit } = await import("./compared_values.ts");
  return { ...project, units: units.map((unit) => revealedUnit(unit, group)) };
}

type AskedToIgnore = z.output<NonNullable<typeof ignore.body>> & { readonly id: string };

/** Returns what an id of something means that does not run any more; null for all else. */
function goneKey(
  { rows, single }: ProjectList,
  { id, kind }: AskedToIgnore,
  mayName: (subject: Subject) => boolean,
): IgnoredKey | null {
  const [, name, of, where] = /^(.+)@(engine|swarm):(.*)$/.exec(id) ?? [];
  if (name === undefined || where === undefined || single.has(id) || rows.some((row) => row.id === id)) {
    return null;
  }
  const engine = of === "swarm" ? stacksEngine(where) : where;
  const project = kind === "project" ? name : null;
  return mayName({ engine, project, workspace: null, labels: {} }) ? { engine, kind, name } : null;
}

/** Returns what to ignore; null for a declared project, which is not ignored anyway. Throws `project_declared`, too. */
function ignoredKey(
  { rows, known, single }: ProjectList,
  { id, ignored, kind }: AskedToIgnore,
  mustReach: (of: Omit<Known, "declared">) => void,
): IgnoredKey | null {
  if (kind === "container") {
    const container = single.get(id);
    if (container === undefined) {
      throw new ServiceError("artifact_not_found", `There is no container "${id}" without a project`);
    }
    mustReach({ containers: [container] });
    return { engine: container.backend, kind, name: container.name };
  }
  const row = find(rows, id);
  if (row.workspace !== null) {
    if (!ignored) return null;
    const message = `Cannot ignore "${row.name}": the workspace "${row.workspace.name}" declares it`;
    throw new ServiceError("project_declared", message);
  }
  mustReach(known.get(row.id)!); // every row has one
  // A stack is on no engine alone, else it runs on one.
  return { engine: row.swarm === null ? row.engines[0]! : stacksEngine(row.swarm), kind, name: row.project };
}

/** Returns the project that an id or a name means. Throws `artifact_not_found` and `ambiguous_name`. */
function find<Row extends Pick<ProjectRow, "id" | "name" | "project">>(
  rows: readonly Row[],
  asked: string,
): Row {
  const exact = rows.find(({ id }) => id === asked);
  if (exact !== undefined) return exact;
  const named = rows.filter(({ name, project }) => name === asked || project === asked);
  const [first, ...more] = named;
  if (first === undefined) throw new ServiceError("artifact_not_found", `There is no project "${asked}"`);
  if (more.length === 0) return first;
  throw new ServiceError("ambiguous_name", `Several projects are called "${asked}": use an id`, {
    errors: named.slice(0, 20).map(({ id }) => ({ path: "path.id", message: id })),
  });
}

/** Projects: each declared group with what runs of it, and each project that only runs. */
import { z } from "zod";
import { Verdict } from "../artifacts/live/verdict.ts";
import { type Principal, type Reach } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { Lru } from "../core/lru.ts";
import { CachedText } from "../http/declare/cached_text.ts";
import { count, text } from "../http/declare/query.ts";
import { type CoreRouter, json, problems, route, router } from "../http/declare/router.ts";
import { ComparedAnswers } from "./compared_answers.ts";
import type { ComparedOptions } from "./compared.ts";
import { BESIDE, besideOf, type Feeds, projectFeeds } from "./live_projects.ts";
import { detailOf, ProjectDetail } from "./project_detail.ts";
import { listProjects, type ProjectList } from "./project_list.ts";
import { ProjectRow } from "./project_rows.ts";

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
  permission: "artifacts:read",
  subject: "listed",
  query: z.object({
    verdict: Verdict.optional().describe("Only projects with this verdict"),
    q: text(200).optional().describe("Only projects whose name or folder holds this, in either case"),
    workspace: text(200).optional().describe("Only declared in this workspace, by its id"),
    engine: text(200).optional().describe("Only with containers on this engine"),
    limit: count(0, 5_000).default(1_000).describe("Maximum number of rows"),
  }),
  answers: { 200: json(Projects, "The rows") },
});

const one = route({
  method: "get",
  path: "/projects/{id}",
  summary: "A project with its units and their differences",
  description: "The id is `<group>@<workspace>` or `<project>@engine:<name>`. A project's name alone is " +
    "enough while the caller sees only one of that name; otherwise 409 `ambiguous_name` lists the ids.",
  permission: "artifacts:read",
  subject: "found",
  params: z.object({ id: text(500).describe("The project's id, or its name") }),
  answers: { 200: json(ProjectDetail, "The project"), ...problems("artifact_not_found", "ambiguous_name") },
});

export function projects(options: ComparedOptions): { readonly router: CoreRouter } & Feeds {
  const lists = new ComparedAnswers<ProjectList>(options);
  const texts = new WeakMap<ProjectList, Lru<CachedText>>();
  const listOf = (principal: Principal, reach: Reach) =>
    lists.of(
      { principal, reach, question: [] },
      (seen, last) => listProjects(options, seen, { principal, reach, before: last?.revisions ?? new Map() }),
    );
  /** Returns the text that is known of a list, or else makes it. */
  const textOf = (of: ProjectList, question: readonly unknown[], make: () => unknown): CachedText => {
    const own = texts.get(of) ?? new Lru<CachedText>(MOST_TEXTS);
    texts.set(of, own);
    const key = JSON.stringify(question);
    const known = own.get(key) ?? new CachedText(JSON.stringify(make()));
    own.set(key, known);
    return known;
  };
  const made = router()
    .on(list, async ({ query, principal, reach, request }) => {
      const all = await listOf(principal, reach);
      return await textOf(all, ["list", query], () => listed(all, query)).answer(request);
    })
    .on(one, async ({ params, principal, reach, request }) => {
      const all = await listOf(principal, reach);
      const row = find(all.rows, params.id);
      const { ownership } = options.sights;
      const runtime = options.runtime();
      const ports = (await runtime?.holdings())?.ports ?? [];
      const known = all.known.get(row.id)!; // every row has one
      const { permissions, grants } = principal;
      return await textOf(
        all,
        ["one", row.id, permissions, grants],
        () => detailOf(row, known, { principal, ownership, ports, runtime }),
      ).answer(request);
    });
  return { router: made, ...projectFeeds(listOf) };
}

function listed(
  all: ProjectList,
  { verdict, q, workspace, engine, limit }: z.output<NonNullable<typeof list.query>>,
) {
  const wanted = q?.toLowerCase();
  const meant = all.rows.filter((row) =>
    (verdict ?? row.verdict) === row.verdict &&
    (workspace === undefined || row.workspace?.id === workspace) &&
    (engine === undefined || row.engines.includes(engine)) &&
    (wanted === undefined ||
      [row.name, row.project, row.folder].some((one) => one?.toLowerCase().includes(wanted)))
  );
  return { items: meant.slice(0, limit), total: meant.length, ...besideOf(all) };
}

/** Returns the project that an id or a name means. Throws `artifact_not_found` and `ambiguous_name`. */
export function find<Row extends Pick<ProjectRow, "id" | "name" | "project">>(
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

/**
 * Real projects that a real Compose brought up give plans with nothing in them. Their images are stand-ins: one small
 * image under each name, which waits whatever it is told to run. `BERTH_PROOF=1` takes all of them.
 */
import assert from "node:assert/strict";
import type { Group } from "../../artifacts/artifact.ts";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { corpus } from "../support/corpus.ts";
import { nameStandIns, projectsIn, SOME, standIn } from "./corpus_projects.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

const IS_WHOLE = Deno.env.get("BERTH_PROOF") === "1";
/** Gaps that only the author of a project can fill: no plan is made of them, and Compose takes them for something. */
const UNSAID = [
  "project/unknown-variable",
  "project/unknown-value",
  "project/unreadable-file",
  "compose/field-not-supported",
];

interface Result {
  readonly name: string;
  readonly kind: "empty" | "starts" | "unsaid" | "refused" | "wrong";
  readonly why?: unknown;
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  for (const part of ["awesome-compose", "compose", "compose-go"] as const) {
    const root = corpus(part);
    test(
      `what Compose made of the projects of ${part} is what is declared`,
      async (engine) => {
        await using berth = await serveEngines({ [engine.kind]: engine });
        const image = await standIn(engine);
        const names = IS_WHOLE ? [...projectsIn(root!, "")].sort() : SOME[part];
        const results: Result[] = [];
        for (const name of names) {
          results.push(...await ofFolder(engine, berth, image, `${root}/${name}`, name));
        }
        for (const { name, kind, why } of results) if (why !== undefined) console.log(name, kind, why);
        const count = (kind: Result["kind"]) => results.filter((one) => one.kind === kind).length;
        const counts = `${results.length} projects: ${count("empty")} with an empty plan, ${
          count("starts")
        } with nothing but starts, ${count("unsaid")} that leave something open, ${
          count("refused")
        } that Compose cannot make`;
        console.log(counts);
        assert.deepEqual(results.filter(({ kind }) => kind === "wrong"), []);
        assert.ok(count("empty") > (results.length - count("refused")) / 2, counts);
      },
      composeOfToday.missing ?? (root === null ? "there is no corpus" : null),
    );
  }
}

async function ofFolder(
  engine: TestEngine,
  berth: TestService,
  standIn: string,
  from: string,
  name: string,
): Promise<Result[]> {
  const path = `${berth.folder}/workspaces/${name}`;
  await Deno.mkdir(path.replace(/\/[^/]*$/, ""), { recursive: true });
  await new Deno.Command("cp", { args: ["-r", from, path] }).output();
  const { body: { id } } = await berth.call("POST /api/workspaces", { path });
  const model = await new WorkspaceReader(path).read();
  const results: Result[] = [];
  for (const group of model.groups.filter(({ standing, value }) => standing === "main" && value !== null)) {
    await nameStandIns(engine, standIn, group);
    results.push({ name: `${name}/${group.name}`, ...await ofGroup(engine, berth, id, path, group) });
  }
  await berth.call(`DELETE /api/workspaces/${id}`);
  return results;
}

async function ofGroup(
  engine: TestEngine,
  berth: TestService,
  id: string,
  path: string,
  group: Group,
): Promise<Omit<Result, "name">> {
  const files = group.files.flatMap((file) => ["-f", `${path}/${file.path}`]);
  const compose = (...args: string[]) =>
    composeToday(engine.socket, `${path}/${group.folder}`, "-p", group.project, ...files, ...args);
  try {
    // A health check of a stand-in never succeeds: then what is made is looked at, and not started.
    const up = await compose("up", "-d", "--pull", "never", "--no-build", "--wait-timeout", "5");
    if (up !== "") {
      const made = await compose("create", "--pull", "never", "--no-build");
      if (made !== "") return { kind: "refused", why: made.trim().split("\n").at(-1)?.slice(0, 200) };
    }
    const count = await made(engine, group.project);
    let found: Omit<Result, "name"> | null = null;
    // Changes that an engine does not tell by events are seen a little later.
    await eventually(`berth sees what was made of ${group.project}`, async () => {
      const { body } = await berth.call(
        `POST /api/workspaces/${id}/artifacts/groups/${group.name}/plan`,
        { pull: "never" },
      );
      found = verdict(body);
      const { items } = (await berth.call(`GET /api/containers?project=${group.project}`)).body;
      return items.length === count && found.kind !== "wrong";
    }).catch((error) => {
      if (found?.kind !== "wrong") throw error;
    });
    return found!; // it was looked at once at least
  } finally {
    await compose("down", "--volumes", "--timeout", "0");
  }
}

async function made(engine: TestEngine, project: string): Promise<number> {
  const filters = JSON.stringify({ label: [`com.docker.compose.project=${project}`] });
  return (await engine.ask(`GET /containers/json?all=1&filters=${encodeURIComponent(filters)}`)).json.length;
}

function verdict(plan: Plan): Omit<Result, "name"> {
  if (plan.steps === undefined) return { kind: "wrong", why: plan };
  const unsaid = plan.blocked.filter(({ code }) => UNSAID.includes(code));
  if (unsaid.length < plan.blocked.length) return { kind: "wrong", why: plan.blocked };
  // Returns true for a step that builds or pulls at every start, because the file says so, or that follows only then.
  const isByPolicy = ({ why, ifChanged }: Plan["steps"][number]) =>
    ifChanged !== undefined || why.every(({ code }) => code === "policy");
  const changes = plan.steps.filter((step) =>
    !["container.start", "hook.run", "wait"].includes(step.kind) && !isByPolicy(step)
  );
  if (changes.length > 0) {
    return { kind: "wrong", why: changes.map(({ kind, target, why }) => [kind, target, why]) };
  }
  if (unsaid.length > 0) return { kind: "unsaid", why: unsaid.map(({ message }) => message) };
  return { kind: plan.steps.length === 0 ? "empty" : "starts" };
}

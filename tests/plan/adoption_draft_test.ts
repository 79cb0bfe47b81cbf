/** Drafts over the API, on a real engine: what they show, to whom, and that they change nothing. */
import assert from "node:assert/strict";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { type Answer, serveEngines, type TestCaller, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { workspace } from "../streams/live_scene.ts";

const SECRET = "correct-horse-battery";
const DRAFT = "POST /api/workspaces/home/adoptions/draft";

/** A berth beside containers that nobody declared. */
async function scene(engine: TestEngine, stack: AsyncDisposableStack): Promise<TestService> {
  const berth = stack.use(await serveEngines({ [engine.kind]: engine }));
  await workspace(berth, "home", "name: declared\nservices:\n  web:\n    image: none\n");
  await engine.cli("network", "create", "drafted");
  stack.defer(async () => void await engine.cli("network", "rm", "drafted"));
  return berth;
}

async function make(engine: TestEngine, stack: AsyncDisposableStack, name: string, ...args: string[]) {
  const id = await engine.cli("create", "--name", name, ...args, FIXTURE, "idle");
  stack.defer(async () => void await engine.cli("rm", "--force", name));
  return { backend: engine.kind, id: id.trim() };
}

/** Asks until the mirror knows every container. */
const drafted = (caller: TestCaller, body: unknown, route = DRAFT): Promise<Answer> =>
  eventually("the containers are known", async () => {
    const answer = await caller.call(route, body);
    return answer.status === 404 ? null : answer;
  });

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("a draft says what runs without its secrets, and changes neither files nor containers", async (engine) => {
    await using stack = new AsyncDisposableStack();
    const berth = await scene(engine, stack);
    const web = await make(
      engine,
      stack,
      "drafted-web",
      ...["--network", "drafted", "-p", "18490:80", "-e", "MODE=dark", "-e", `DB_PASSWORD=${SECRET}`],
    );
    const db = await make(engine, stack, "drafted-db", "--network", "drafted");
    const alone = await make(engine, stack, "drafted-alone");
    const before = await engine.cli("ps", "--all", "--no-trunc", "--format", "{{.ID}} {{.Status}}");

    const answer = await drafted(berth, { containers: [web, db, alone] });
    assert.equal(answer.status, 200, answer.text);
    const { projects } = answer.body;
    // deno-lint-ignore no-explicit-any -- an answer
    const names = projects.map(({ services }: any) => services.map(({ container }: any) => container));
    assert.deepEqual(
      names.sort(),
      [["drafted-alone"], ["drafted-db", "drafted-web"]],
      "those of one network together",
    );
    for (const { differences, refused, blocked } of projects) {
      assert.deepEqual([differences, refused, blocked], [[], [], []]);
    }
    assert.doesNotMatch(answer.text, new RegExp(SECRET));
    assert.match(answer.text, /MODE.{0,10}dark/);
    assert.equal(await engine.cli("ps", "--all", "--no-trunc", "--format", "{{.ID}} {{.Status}}"), before);
    assert.deepEqual([...Deno.readDirSync(`${berth.folder}/workspaces/home`)].map(({ name }) => name), [
      "compose.yaml",
    ]);

    const named = await drafted(berth, { containers: [web, db, alone], name: "declared" });
    assert.equal(named.body.projects.length, 1);
    assert.match(
      named.body.projects[0].blocked.join(),
      /already/,
      "another workspace's project has the name",
    );

    const shown = await drafted(berth, { containers: [web] }, `${DRAFT}?reveal=true`);
    assert.match(shown.text, new RegExp(SECRET));
    const { body: { items: [told] } } = await berth.call("GET /api/system/audit?limit=1");
    assert.deepEqual(told.particulars, { containers: "drafted-web", shown: "secrets" });
    assert.deepEqual(berth.bugs(), []);
  });

  test("a draft shows callers nothing out of their scope, and berth itself is refused", async (engine) => {
    await using stack = new AsyncDisposableStack();
    const berth = await scene(engine, stack);
    const mine = await make(engine, stack, "drafted-mine", "--label", "team=mine");
    const other = await make(engine, stack, "drafted-other", "-e", `API_TOKEN=${SECRET}`);
    const self = await make(engine, stack, "drafted-self", "--label", "dev.berth.self=1");
    await drafted(berth, { containers: [mine, other, self] });

    const viewer = await berth.key("viewer");
    assert.equal((await viewer.call(DRAFT, { containers: [mine] })).status, 200);
    const hidden = await viewer.call(`${DRAFT}?reveal=true`, { containers: [other] });
    assert.deepEqual([hidden.status, hidden.body.code], [403, "forbidden"]);
    assert.doesNotMatch(hidden.text, new RegExp(SECRET));
    // All of the folder's files, and one container: the others are not there for this key.
    const grants = ["workspace:home", "label:team=mine"].map((on) => ({ role: "viewer", on: [on] }));
    const made = await berth.call("POST /api/settings/api-keys", { name: "scoped", grants });
    const scoped = berth.as(made.body.key);
    assert.equal((await scoped.call(DRAFT, { containers: [mine] })).status, 200);
    for (const containers of [[other], [mine, other]]) {
      const unseen = await scoped.call(DRAFT, { containers });
      assert.deepEqual([unseen.status, unseen.body.code], [404, "artifact_not_found"]);
    }
    const absent = await berth.call(DRAFT, { containers: [{ backend: kind, id: "f".repeat(64) }] });
    assert.deepEqual([absent.status, absent.body.code], [404, "artifact_not_found"]);
    assert.equal(
      (await berth.call("POST /api/workspaces/none/adoptions/draft", { containers: [mine] })).status,
      404,
    );

    const refused = await berth.call(DRAFT, { containers: [self] });
    assert.deepEqual(refused.body.projects[0].refused, [{
      container: "drafted-self",
      why: "it is berth itself",
    }]);
    assert.notDeepEqual(refused.body.projects[0].blocked, []);
    assert.deepEqual(berth.bugs(), []);
  });

  test("hostile labels, commands and a megabyte of variables break no draft, and nothing is lost silently", async (engine) => {
    await using stack = new AsyncDisposableStack();
    const berth = await scene(engine, stack);
    const make = async (name: string, more: object) => {
      const body = { Image: FIXTURE, Cmd: ["idle"], HostConfig: { NetworkMode: "none" }, ...more };
      const { status, json, body: text } = await engine.ask(`POST /containers/create?name=${name}`, body);
      assert.equal(status, 201, text);
      stack.defer(async () => void await engine.ask(`DELETE /containers/${name}?force=1`));
      return { backend: kind, id: json.Id };
    };
    const hostile = await make("hostile", {
      Cmd: [
        "idle",
        "- x: &a *a",
        "!!python/object",
        "${HOME:?}",
        "$(id)",
        "line\r\nbreak",
        "\u2028\ufeff",
        "%",
        "",
      ],
      Env: ["no=yes", "a.b=<<: *x", "TAB=\t#", "__proto__=1", "constructor=2"],
      Labels: { "<<": "&anchor", "on": "~", "a\nb: c": "$$" },
    });
    const heavy = await make("heavy", {
      Env: Array.from({ length: 10 }, (_, n) => `V${n}=${"x y ".repeat(30_000)}`),
    });

    const answer = await drafted(berth, { containers: [hostile] });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body.projects[0].differences, []);

    const large = await drafted(berth, { containers: [heavy] });
    assert.equal(large.status, 200, large.text.slice(0, 300));
    assert.match(large.body.projects[0].blocked.join(), /berth reads no such file/);
    assert.deepEqual(berth.bugs(), []);
  });
}

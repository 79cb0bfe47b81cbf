/** The policy `auto` on real engines: a push becomes running containers, with today's rights of the user who set it, and starts nothing that a person stopped. */
import assert from "node:assert/strict";
import { project, service } from "../apply/apply_scene.ts";
import type { Source } from "../../core/source.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { hasGit } from "../support/git_server.ts";
import { serveEngines } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { SourceScene } from "./source_scene.ts";

const missing = hasGit() ? null : "git is not installed";
const LONG = { timeoutMs: 120_000 };

class AutoScene implements AsyncDisposable {
  private constructor(readonly engine: TestEngine, readonly git: SourceScene) {}

  /** A folder that follows a repository by the policy `auto`, with the files of its first commit in it and running. */
  static async on(
    engine: TestEngine,
    files: Readonly<Record<string, string>>,
    folder?: string,
  ): Promise<AutoScene> {
    const git = await SourceScene.with(files, {
      here: files,
      start: () => serveEngines({ [engine.kind]: engine }, folder === undefined ? {} : { folder }),
    });
    return new AutoScene(engine, git);
  }

  /** Brings groups up as a person does. */
  async up(...groups: string[]): Promise<void> {
    const { berth, id } = this.git;
    for (const group of groups) {
      const plan = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/${group}/plan`);
      assert.equal(plan.status, 201, plan.text);
      const apply = await berth.call(`POST /api/plans/${plan.body.id}/apply`);
      assert.equal(apply.status, 202, apply.text);
      await eventually(
        `${group} is up`,
        async () => (await berth.call(`GET /api/applies/${apply.body.id}`)).body.state === "done" || null,
        LONG,
      );
    }
  }

  /** Pushes, checks, and waits until the policy has nothing more to do. */
  async push(files: Readonly<Record<string, string | null>>): Promise<Source> {
    const head = await this.git.repository.push(files);
    await this.git.check();
    return await this.quiet(head);
  }

  quiet(head: string): Promise<Source> {
    let last: Source | null = null;
    return eventually("the policy has acted", async () => {
      const record = await this.git.berth.berth.store.sources.get(this.git.id);
      last = await this.git.source();
      const isOver = record?.waiting !== null || (record.synced === head && record.todo === null);
      return isOver ? last : null;
    }, LONG).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(last)}`, { cause: error });
    });
  }

  /** The containers of a project as the engine itself lists them: name, id and state. */
  async containers(name: string): Promise<Record<string, { id: string; state: string }>> {
    const stdout = await this.engine.cli(
      "ps",
      "-a",
      "--filter",
      `label=com.docker.compose.project=${name}`,
      "--format",
      "{{.Names}} {{.ID}} {{.State}}",
    );
    return Object.fromEntries(
      stdout.trim().split("\n").filter(Boolean).map((line) => {
        const [container = "", id = "", state = ""] = line.split(" ");
        return [container, { id, state }];
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stdout = await this.engine.cli("ps", "-aq");
    const ids = stdout.trim().split("\n").filter(Boolean);
    await this.git[Symbol.asyncDispose]();
    if (ids.length > 0) await this.engine.cli("rm", "-f", ...ids);
  }
}

/** A container is healthy once this has passed: an apply is still running after the next start. */
const LATE = "healthcheck: { test: [CMD, sh, -c, 'exit 0'], interval: 3s }";

const one = (name: string, lines = "", more: readonly string[] = []) =>
  project(name, [service("web", lines), ...more]);

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  const on = (name: string, run: (engine: TestEngine) => Promise<void>) => test(name, run, missing);

  on(
    "a push to a source with the policy auto replaces what it changes and starts what it adds, and nothing else",
    async (engine) => {
      const files = {
        [`a${kind}/compose.yaml`]: one(`a${kind}`),
        [`b${kind}/compose.yaml`]: one(`b${kind}`),
        [`down${kind}/compose.yaml`]: one(`down${kind}`),
      };
      await using scene = await AutoScene.on(engine, files);
      await scene.up(`a${kind}`, `b${kind}`);
      await scene.git.follow({ policy: "auto" });
      const before = await scene.containers(`b${kind}`);

      const source = await scene.push({
        [`a${kind}/compose.yaml`]: one(`a${kind}`, "environment: { A: '2' }"),
        [`down${kind}/compose.yaml`]: one(`down${kind}`, "environment: { A: '2' }"),
        [`new${kind}/compose.yaml`]: one(`new${kind}`),
      });

      assert.deepEqual([source.state, source.waiting], ["synced", null]);
      const stdout = await engine.cli("inspect", `a${kind}-web-1`, "--format", "{{.Config.Env}}");
      assert.match(stdout, /A=2/);
      assert.equal((await scene.containers(`new${kind}`))[`new${kind}-web-1`]?.state, "running");
      assert.deepEqual(await scene.containers(`down${kind}`), {}, "nobody had started it");
      assert.deepEqual(await scene.containers(`b${kind}`), before, "another project was touched");
      const log = await scene.git.berth.call("GET /api/system/audit?limit=100");
      const actions = log.body.items.map(({ action }: { action: string }) => action);
      assert.ok(actions.includes("source.auto") && actions.includes("source.sync"), actions.join(" "));
    },
  );

  on("a push that asks for the host waits for a person, whatever its owner may do", async (engine) => {
    const name = `host${kind}`;
    const file = `${name}/compose.yaml`;
    await using scene = await AutoScene.on(engine, { [file]: one(name) });
    await scene.up(name);
    await scene.git.follow({ policy: "auto" });
    const before = await scene.containers(name);

    const source = await scene.push({ [file]: one(name, "volumes: ['/etc:/host:ro']") });
    assert.match(source.waiting ?? "", /a push alone never gets.*apply it yourself/);
    assert.deepEqual(await scene.containers(name), before, "nothing has happened");
  });

  on("a push never starts what a person stopped, removes nothing, and says what waits", async (engine) => {
    const name = `stop${kind}`;
    const files = {
      [`${name}/compose.yaml`]: one(name, "", [service("side"), service("gone")]),
      [`dep${kind}/compose.yaml`]: one(`dep${kind}`, "depends_on: [db]", [service("db")]),
    };
    await using scene = await AutoScene.on(engine, files);
    await scene.up(name, `dep${kind}`);
    await scene.git.follow({ policy: "auto" });
    await engine.cli("stop", `${name}-side-1`);
    await eventually("berth has seen that it stopped", async () => {
      const { body } = await scene.git.berth.call("GET /api/containers");
      return body.items.some((one: { name: string; state: string }) =>
        one.name === `${name}-side-1` && one.state === "exited"
      ) || null;
    });
    const before = await scene.containers(name);
    const A = "environment: { A: '2' }";

    const source = await scene.push({ [`${name}/compose.yaml`]: one(name, A, [service("side", A)]) });

    assert.equal(source.waiting, null);
    const after = await scene.containers(name);
    assert.notEqual(after[`${name}-web-1`]?.id, before[`${name}-web-1`]?.id);
    assert.deepEqual(after[`${name}-side-1`], before[`${name}-side-1`]);
    assert.deepEqual(
      after[`${name}-gone-1`],
      before[`${name}-gone-1`],
      "it is removed by nobody but a person",
    );

    await scene.push({ [`dep${kind}/compose.yaml`]: null });
    const removed = await scene.git.source();
    assert.deepEqual([removed.state, removed.synced === removed.head], ["waiting", false]);
    assert.match(removed.waiting ?? "", /removes "dep\w+", which still runs/);
    assert.equal((await scene.git.files())[`dep${kind}/compose.yaml`], files[`dep${kind}/compose.yaml`]);
  });

  on(
    "a push never starts what a person stopped while berth was away, and makes a job anew",
    async (engine) => {
      const folder = await Deno.makeTempDir({ prefix: "berth-test-" });
      try {
        const name = `away${kind}`;
        const file = `${name}/compose.yaml`;
        const units = (lines: string) => [
          service("side", lines),
          service("job", lines, "[sh, -c, 'exit 0']"),
          service("after", "depends_on: { job: { condition: service_completed_successfully } }"),
        ];
        const files = { [file]: one(name, "", units("labels: { a: '1' }")) };
        await using scene = await AutoScene.on(engine, files, folder);
        await scene.up(name);
        await scene.git.follow({ policy: "auto" });
        await scene.git.berth.stop();
        await engine.cli("stop", `${name}-side-1`);
        const before = await scene.containers(name);
        const admin = scene.git.berth.admin!; // it made one
        await using next = await serveEngines({ [engine.kind]: engine }, { folder, admin });

        const head = await scene.git.repository.push({ [file]: one(name, "", units("labels: { a: '2' }")) });
        await next.call(`POST /api/workspaces/${scene.git.id}/source/check`);
        const record = await eventually("the policy has acted", async () => {
          const record = await next.berth.store.sources.get(scene.git.id);
          return record?.waiting !== null || (record.synced === head && record.todo === null) ? record : null;
        }, LONG);

        assert.equal(record?.waiting ?? null, null);
        const after = await scene.containers(name);
        assert.equal(before[`${name}-side-1`]?.state, "exited");
        assert.deepEqual(after[`${name}-side-1`], before[`${name}-side-1`]);
        assert.notEqual(after[`${name}-job-1`]?.id, before[`${name}-job-1`]?.id);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  );

  on(
    "a berth that ends while the policy applies a group applies the others after its next start",
    async (engine) => {
      const folder = await Deno.makeTempDir({ prefix: "berth-test-" });
      try {
        const names = [`first${kind}`, `later${kind}`];
        const textOf = (name: string, lines: string) =>
          one(name, lines, [service("side", `depends_on: [web]\n${lines}`)]);
        const files = (lines: string) =>
          Object.fromEntries(names.map((name) => [`${name}/compose.yaml`, textOf(name, lines)]));
        await using scene = await AutoScene.on(engine, files(""), folder);
        await scene.up(...names);
        await scene.git.follow({ policy: "auto" });
        const { berth, id, repository } = scene.git;
        const head = await repository.push(files(`environment: { A: '2' }\n${LATE}`));
        await scene.git.check();
        await eventually(
          "a group is being applied",
          async () => (await berth.call("GET /api/applies?state=running")).body.items.length > 0 || null,
          LONG,
        );
        await berth.stop();
        await using next = await serveEngines({ [engine.kind]: engine }, { folder, admin: berth.admin! });

        await next.call(`POST /api/workspaces/${id}/source/check`);
        const record = await eventually("the policy has acted", async () => {
          const record = await next.berth.store.sources.get(id);
          return record?.waiting !== null || (record.synced === head && record.todo === null) ? record : null;
        }, LONG);

        assert.deepEqual([record?.waiting, record?.todo], [null, null]);
        for (const name of names) {
          const stdout = await engine.cli("inspect", `${name}-web-1`, "--format", "{{.Config.Env}}");
          assert.match(stdout, /A=2/, name);
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  );

  on(
    "a group that cannot be applied stops the others, says why, and is planned again with the next commit",
    async (engine) => {
      const [first, second] = [`x${kind}`, `y${kind}`];
      const files = {
        [`${first}/compose.yaml`]: one(first),
        [`${second}/compose.yaml`]: one(second),
      };
      await using scene = await AutoScene.on(engine, files);
      await scene.up(first, second);
      await scene.git.follow({ policy: "auto" });
      const before = await scene.containers(second);
      const A = "environment: { A: '2' }";
      const broken = project(first, ["  web: { image: 'nowhere.invalid/none:1', pull_policy: never }\n"]);

      const source = await scene.push({
        [`${first}/compose.yaml`]: broken,
        [`${second}/compose.yaml`]: one(second, A),
      });

      assert.equal(source.state, "waiting");
      assert.match(source.waiting ?? "", new RegExp(`^${first}: `));
      assert.deepEqual(await scene.containers(second), before);
      const mended = await scene.push({ [`${first}/compose.yaml`]: one(first, A) });
      assert.equal(mended.waiting, null);
      for (const name of [first, second]) {
        const stdout = await engine.cli("inspect", `${name}-web-1`, "--format", "{{.Config.Env}}");
        assert.match(stdout, /A=2/, name);
      }
    },
  );

  on(
    "the policy auto waits and says so when its owner is gone or may not apply, and nothing is done",
    async (engine) => {
      const name = `own${kind}`;
      const files = { [`${name}/compose.yaml`]: one(name) };
      await using scene = await AutoScene.on(engine, files);
      await scene.up(name);
      const { berth, id, repository } = scene.git;
      const made = await berth.call("POST /api/settings/api-keys", { name: "robot", role: "admin" });
      const robot = berth.as(made.body.key);
      const set = await robot.call(`PUT /api/workspaces/${id}/source`, {
        url: repository.url,
        branch: "main",
        policy: "auto",
      });
      assert.equal(set.status, 200, set.text);
      await scene.quiet(set.body.head);
      const before = await scene.containers(name);
      assert.equal((await berth.call(`DELETE /api/settings/api-keys/${made.body.id}`)).status, 204);

      const source = await scene.push({ [`${name}/compose.yaml`]: one(name, "environment: { A: '2' }") });

      assert.equal(source.state, "waiting");
      assert.match(source.waiting ?? "", /^robot, who set the policy "auto", is gone or disabled/);
      assert.deepEqual(await scene.git.files(), files);
      assert.deepEqual(await scene.containers(name), before);
      await scene.git.follow({ policy: "auto" });
      const { synced, head, waiting } = await scene.quiet(source.head!);
      assert.deepEqual([synced, waiting], [head, null]);
    },
  );
}

Deno.test({
  name: "a source with the policy auto that is set again keeps what is still to be applied",
  ignore: missing !== null,
  async fn() {
    await using scene = await SourceScene.with({ "blog/compose.yaml": one("blog") });
    await scene.follow({ policy: "auto" });
    const { sources } = scene.berth.berth.store;
    const seen = async () => (await sources.get(scene.id))!;
    await eventually("it is synced and waits for an engine", async () => (await seen()).waiting);
    const { todo } = await seen();
    assert.deepEqual([todo?.groups.map(({ name }) => name), todo?.isTried], [["blog"], true]);

    assert.equal((await scene.follow({ policy: "auto" })).policy, "auto");
    await eventually("it was tried again", async () => (await seen()).waiting);

    assert.deepEqual((await seen()).todo, todo);
    await scene.follow({ policy: "manual" });
    assert.equal((await seen()).todo, null);
  },
});

Deno.test({
  name:
    "the policy auto is set by those alone who may apply in the whole folder, and an earlier commit ends it",
  ignore: missing !== null,
  async fn() {
    await using scene = await SourceScene.with({ "a.txt": "1" });
    const first = (await scene.follow()).head!;
    const key = await scene.berth.key(["workspaces:manage", "workspaces:read", "workspaces:write"]);
    const body = { url: scene.repository.url, branch: "main", policy: "auto" };
    const refused = await key.call(`PUT /api/workspaces/${scene.id}/source`, body);
    assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
    assert.equal((await scene.source()).policy, "manual");

    await scene.follow({ policy: "auto" });
    const second = await scene.repository.push({ "a.txt": "2" });
    await scene.check();
    await eventually("it is synced", async () => (await scene.source()).synced === second || null);
    const back = await scene.berth.call(`POST /api/workspaces/${scene.id}/source/sync`, { commit: first });
    assert.equal(back.status, 200, back.text);
    assert.deepEqual([back.body.policy, back.body.synced, back.body.state], ["manual", first, "behind"]);
    assert.deepEqual(await scene.files(), { "a.txt": "1" });
  },
});

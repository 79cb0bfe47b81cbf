/** Two replicas on one PostgreSQL follow a branch: either is asked, one works, and the other finishes what is left. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { randomSecret } from "../../auth/secret.ts";
import type { Source } from "../../core/source.ts";
import { type BerthProcess, startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { git, GitServer, hasGit, type TestRepository } from "../support/git_server.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { TestCaller } from "../support/service.ts";
import { web } from "./source_scene.ts";

const IS_WHOLE = Deno.env.get("BERTH_PROOF") === "1";
const ignore = CANNOT_RUN_POSTGRES !== null || !hasGit();
const server = ignore ? null! : await sharedPostgres();

class Pair implements AsyncDisposable {
  private constructor(
    readonly repository: TestRepository,
    readonly path: string,
    readonly id: string,
    readonly key: string,
    readonly replicas: [BerthProcess, BerthProcess],
    private readonly start: (replica: string) => Promise<BerthProcess>,
    private readonly owned: AsyncDisposableStack,
  ) {}

  /** Both know of a workspace that follows a branch with these files. */
  static async with(files: Readonly<Record<string, string>>): Promise<Pair> {
    await using stack = new AsyncDisposableStack();
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-pair-" }));
    stack.defer(() => Deno.remove(root, { recursive: true }));
    const gitServer = stack.use(await GitServer.start());
    const repository = await gitServer.repository("home");
    await repository.push(files, "first");
    const { name } = await server.database();
    await Deno.writeTextFile(`${root}/sealing-key`, randomSecret(), { mode: 0o600 });
    const path = `${root}/folders/home`;
    await Deno.mkdir(path, { recursive: true });
    const start = (replica: string) =>
      startBerthProcess({
        data: `${root}/${replica}`,
        env: {
          BERTH_DATABASE_URL: server.url(name),
          BERTH_SEALING_KEY_FILE: `${root}/sealing-key`,
          BERTH_REPLICA: replica,
          BERTH_ROOTS: `${root}/folders`,
        },
      });
    const replicas: [BerthProcess, BerthProcess] = [await start("one"), await start("two")];
    stack.defer(() => Promise.all(replicas.map((one) => one[Symbol.asyncDispose]())).then(() => {}));
    const key = await replicas[0].setUp();
    const made = await new TestCaller(replicas[0].url, key).call("POST /api/workspaces", { path });
    assert.equal(made.status, 201, made.text);
    return new Pair(repository, path, made.body.id, key, replicas, start, stack.move());
  }

  at(which: 0 | 1): TestCaller {
    return new TestCaller(this.replicas[which].url, this.key);
  }

  async follow(policy: Source["policy"]): Promise<Source> {
    const url = this.repository.url;
    const set = await this.at(0).call(`PUT ${this.route}`, { url, branch: "main", policy });
    assert.equal(set.status, 200, set.text);
    return set.body;
  }

  get route(): string {
    return `/api/workspaces/${this.id}/source`;
  }

  async source(which: 0 | 1): Promise<Source> {
    const answer = await this.at(which).call(`GET ${this.route}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  names(): string[] {
    return [...Deno.readDirSync(`${this.path}`)].map(({ name }) => name).sort();
  }

  /** Ends of syncs in the audit log. */
  async ends(): Promise<string[]> {
    const { body } = await this.at(1).call("GET /api/system/audit?limit=100");
    return body.items.filter(({ action }: { action: string }) => action === "source.sync")
      .map(({ particulars: { to, result } }: { particulars: Record<string, string> }) =>
        `${to!.slice(0, 8)} ${result}`
      );
  }

  async again(which: 0 | 1): Promise<void> {
    this.replicas[which] = await this.start(["one", "two"][which]!);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.owned.disposeAsync();
  }
}

/** Enough that a sync of them can be met half done. */
const MANY = 1_500;
const many = (text: string) =>
  Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`f${String(at).padStart(4, "0")}`, text]));
const OVER = { timeoutMs: 90_000 };

Deno.test({
  name: "one of two replicas fetches, both show it, a hook goes to either, and a commit is made once",
  ignore,
  async fn() {
    await using pair = await Pair.with({ "blog/compose.yaml": web("nginx:1") });
    const { head } = await pair.follow("manual");
    const shown = [await pair.source(0), await pair.source(1)];
    for (const { state, head: seen, pending } of shown) {
      assert.deepEqual([state, seen, pending?.groups.map(({ name }) => name)], ["behind", head, ["blog"]]);
    }
    assert.equal((await pair.at(1).call(`POST ${pair.route}/sync`, { commit: head })).body.state, "synced");
    assert.equal((await pair.source(0)).state, "synced");

    const { body: hook } = await pair.at(0).call(`POST ${pair.route}/hook`);
    for (const which of [0, 1] as const) {
      const next = await pair.repository.push({ "blog/compose.yaml": web(`nginx:${which + 2}`) });
      const signature = createHmac("sha256", hook.secret).update("{}").digest("hex");
      const headers = { "x-hub-signature-256": `sha256=${signature}` };
      const stranger = new TestCaller(pair.replicas[which].url, null);
      const answer = await eventually("the hook is answered", async () => {
        const answer = await stranger.call(`POST ${hook.path}`, "{}", { headers });
        return answer.status === 202 ? null : answer;
      });
      assert.deepEqual(answer.body, {
        commit: next,
        groups: [{ name: "blog", change: "changed" }],
        policy: "manual",
      });
      assert.equal((await pair.source(which === 0 ? 1 : 0)).head, next);
    }

    const newest = (await pair.source(0)).head!;
    await pair.at(0).call(`POST ${pair.route}/sync`, { commit: newest });
    await Deno.writeTextFile(`${pair.path}/blog/compose.yaml`, web("nginx:9"));
    await Deno.writeTextFile(`${pair.path}/notes`, "mine");
    const commit = (which: 0 | 1, path: string) =>
      pair.at(which).call(`POST ${pair.route}/commit`, { paths: [path], message: path });
    const both = await Promise.all([commit(0, "blog/compose.yaml"), commit(1, "blog/compose.yaml")]);
    assert.deepEqual(
      both.map(({ status }) => status).sort(),
      [201, 400],
      both.map(({ text }) => text).join(),
    );
    assert.equal((await commit(1, "notes")).status, 201);
    const made = await git(pair.repository.bare, "log", "--format=%s", "--name-status", `${newest}..main`);
    assert.equal(made, "notes\n\nA\tnotes\nblog/compose.yaml\n\nM\tblog/compose.yaml\n");
  },
});

for (const how of ["SIGKILL", "SIGSTOP"] as const) {
  Deno.test({
    name:
      `a replica that meets ${how} in the middle of a sync is replaced by the other one, which writes the same folder`,
    ignore: ignore || (how === "SIGSTOP" && !IS_WHOLE),
    async fn() {
      await using pair = await Pair.with({ ...many("1"), kept: "1" });
      const { head } = await pair.follow("auto");
      await eventually("it is synced", async () => (await pair.source(1)).synced === head, OVER);
      await Deno.writeTextFile(`${pair.path}/.env`, "mine");
      const next = await pair.repository.push(many("2"));
      const texts = () => Object.keys(many("")).map((name) => Deno.readTextFileSync(`${pair.path}/${name}`));
      const last = Object.keys(many("")).at(-1)!;
      const checking = pair.at(0).call(`POST ${pair.route}/check`).catch(() => null);
      await eventually(
        "the sync has begun",
        () => Deno.readTextFileSync(`${pair.path}/f0000`) === "2" || null,
        { ...OVER, everyMs: 1 },
      );
      pair.replicas[0].child.kill(how);
      assert.equal(Deno.readTextFileSync(`${pair.path}/${last}`), "1", "it was met in the middle");
      if (how === "SIGKILL") await checking;
      assert.equal((await pair.source(1)).state, "syncing");

      await eventually(
        "the other one has finished",
        async () => (await pair.source(1)).state === "synced",
        OVER,
      );

      const whole = () => {
        assert.deepEqual(new Set(texts()), new Set(["2"]));
        assert.deepEqual(pair.names(), [".env", ...Object.keys(many("")), "kept"]);
        assert.equal(Deno.readTextFileSync(`${pair.path}/.env`), "mine");
      };
      whole();
      if (how === "SIGKILL") await pair.again(0);
      else {
        const third = await pair.repository.push({ kept: "3" });
        await pair.at(1).call(`POST ${pair.route}/check`);
        await eventually("the next is synced", async () => (await pair.source(1)).synced === third, OVER);
        pair.replicas[0].child.kill("SIGCONT");
        await checking;
      }
      const { state, synced, head: newest, waiting, error, policy } = await eventually(
        "both say the same",
        async () => {
          const [one, two] = [await pair.source(0), await pair.source(1)];
          return one.state === two.state && one.synced === two.synced ? one : null;
        },
      );
      assert.deepEqual([state, synced, waiting, error, policy], ["synced", newest, null, null, "auto"]);
      whole();
      assert.deepEqual((await pair.ends()).filter((end) => end === `${next.slice(0, 8)} done`).length, 1);
    },
  });
}

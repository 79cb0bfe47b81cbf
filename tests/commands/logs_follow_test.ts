/** `berth logs --follow` across a berth that is started again, a lost permission, and containers that are replaced. */
import assert from "node:assert/strict";
import { asTheyCome } from "../../commands/log_sources.ts";
import { answering, type Answers } from "../support/answering.ts";
import { type Ended, runBerth } from "../support/berth_process.ts";

const FAST = new URL("fast_main.ts", import.meta.url).pathname;

/** Runs a command before a berth that has these answers. */
async function before(answers: Answers, ...args: string[]): Promise<Ended & { asked: readonly string[] }> {
  const asked: string[] = [];
  await using berth = answering(answers, ({ pathname, searchParams }) => {
    if (pathname.endsWith("/logs")) asked.push(`${pathname.split("/").at(-2)} ${searchParams.get("cursor")}`);
  });
  const env = { BERTH_URL: berth.url, BERTH_KEY: "berth_a_b" };
  return { ...await runBerth(args, env, null, FAST), asked };
}

const line = (text: string) => ({
  line: text,
  cursor: `at-${text}`,
  time: "2026-01-01T00:00:00Z",
  stream: "stdout",
});
const end = (reason: string) => ({ end: { reason } });

Deno.test("berth logs -f goes on behind its last line when berth is started again or busy, and ends with 4 without the permission", async () => {
  const answers = {
    "/api/containers/web/logs": [[line("one"), end("stopping")], 503, 429, [line("two"), end("not_allowed")]],
  };
  const { code, stdout, stderr, asked } = await before(answers, "logs", "-f", "web");
  assert.deepEqual([code, stdout], [4, "one\ntwo\n"]);
  assert.equal(stderr, "berth: The key may not read this log any more\n");
  assert.deepEqual(asked, ["web null", "web at-one", "web at-one", "web at-one"]);
});

Deno.test("berth logs -f of a project follows the container that takes the place of one that was removed", async () => {
  const project = (id: string) => ({
    project: "shop",
    units: [{ containers: [{ id, name: "shop-web-1", backend: "docker" }] }],
    containers: [],
  });
  const answers = {
    "/api/workspaces": [{ items: [] }],
    "/api/projects/shop": [project("c1"), project("c2")],
    "/api/containers/c1/logs": [[line("old"), end("removed")]],
    "/api/containers/c2/logs": [[line("new"), end("removed")]],
  };
  const { code, stdout, stderr } = await before(answers, "logs", "-f", "shop");
  assert.deepEqual([code, stdout, stderr], [0, "old\nnew\n", ""]);
});

Deno.test("berth logs -f of a project ends well where it is taken down, and asks a berth that is away again", async () => {
  const project = (id: string) => ({
    project: "shop",
    units: [{ containers: [{ id, name: "shop-web-1", backend: "docker" }] }],
    containers: [],
  });
  const answers = {
    "/api/workspaces": [{ items: [] }],
    "/api/projects/shop": [project("c1"), 503, project("c2"), 404],
    "/api/containers/c1/logs": [[line("old"), end("removed")]],
    "/api/containers/c2/logs": [[line("new"), end("removed")]],
  };
  const { code, stdout, stderr } = await before(answers, "logs", "-f", "shop");
  assert.deepEqual([code, stdout, stderr], [0, "old\nnew\n", ""]);
});

Deno.test("berth logs -f of a project holds as much after many lines of one log as before, with another one quiet", async () => {
  const many = 300_000;
  async function* busy() {
    for (let at = 0; at < many; at++) yield record;
  }
  const quiet = Promise.withResolvers<void>();
  async function* silent() {
    await quiet.promise;
    yield record;
  }
  const record = { ...line("one"), stream: "stdout" as const };
  const logs = [{ container: "busy", records: busy() }, { container: "quiet", records: silent() }];
  const before = Deno.memoryUsage().heapUsed;
  let count = 0;
  let grown = 0;
  for await (const { container } of asTheyCome(logs, () => Promise.resolve([]))) {
    count += 1;
    if (count === many) {
      grown = Deno.memoryUsage().heapUsed - before;
      quiet.resolve();
    }
    if (count > many) assert.equal(container, "quiet");
  }
  assert.equal(count, many + 1);
  assert.ok(grown < 40_000_000, `${grown} bytes`);
});

Deno.test("berth logs of a log that berth cuts off says so, and ends with 4", async () => {
  const answers = { "/api/containers/web/logs": [[line("one"), end("stopping")]] };
  const { code, stdout, stderr, asked } = await before(answers, "logs", "web");
  assert.deepEqual([code, stdout, asked.length], [4, "one\n", 1]);
  assert.equal(stderr, "berth: The log is cut off here, because berth was stopped\n");
});

Deno.test("berth logs shows a line of 256 KiB whose every byte is escaped", async () => {
  const long = "\u0001".repeat(2 ** 18);
  const { code, stdout } = await before(
    { "/api/containers/web/logs": [[line(long)]] },
    ...["logs", "--json", "web"],
  );
  assert.deepEqual([code, JSON.parse(stdout).line.length], [0, 2 ** 18]);
});

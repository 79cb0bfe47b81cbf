/** `/api/logs`: logs read backwards, page by page, of several containers, and searched. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

interface Line {
  readonly source: string;
  readonly name: string;
  readonly time: string;
  readonly line: string;
  readonly stream: string;
  readonly cursor: string;
}
interface Page {
  readonly items: readonly Line[];
  readonly next: { readonly before: readonly string[]; readonly until: string } | null;
}

async function page(berth: TestService, asked: Record<string, string | readonly string[]>): Promise<Page> {
  const query = new URLSearchParams(
    Object.entries(asked).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
  );
  const { status, body, text } = await berth.call(`GET /api/logs?${query}`);
  assert.equal(status, 200, text);
  return body;
}

/** Everything, from the end to the beginning, in its order. */
async function all(berth: TestService, asked: Record<string, string | readonly string[]>): Promise<Line[]> {
  const pages: (readonly Line[])[] = [];
  let next: Page["next"] = null;
  do {
    const one: Page = await page(berth, { ...asked, ...next });
    pages.unshift(one.items);
    next = one.next;
    assert.ok(pages.length < 200, "it never ends");
  } while (next !== null);
  return pages.flat();
}

/** Bursts with pauses between, on both streams. */
const writing = (word: string, count: number) => [
  "sh",
  "-c",
  `i=0; while [ $i -lt ${count} ]; do i=$((i+1)); echo ${word} $i; [ $((i % 7)) = 0 ] && echo ${word} odd $i >&2; [ $((i % 400)) = 0 ] && sleep 0.3; done; exec idle`,
];

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("a log read backwards from its end, or from before any line, is the log: each line once, in order", async (engine) => {
    await using berth = await serveEngines({ [kind]: engine });
    const id = await engine.cli("run", "-d", FIXTURE, ...writing("n", 2_400));
    const log = async () =>
      (await berth.call(`GET /api/containers/${id}/logs?format=ndjson`)).text.trim().split("\n")
        .map((line) => JSON.parse(line));
    await eventually("all is written", async () => (await log()).length === 2_400 + 342);
    const whole = await log();
    const backwards = await all(berth, { container: id, limit: "311" });
    assert.deepEqual(
      backwards.filter(({ stream }) => stream === "stdout").map(({ line }) => line),
      Array.from({ length: 2_400 }, (_, index) => `n ${index + 1}`),
    );
    assert.equal(backwards.length, whole.length);

    const from = whole[1_500];
    const before = await all(berth, { container: id, before: `${kind}/${id} ${from.cursor}`, limit: "500" });
    const place = (one: { line: string; stream: string }) => `${one.stream} ${one.line}`;
    assert.deepEqual(before.map(place), whole.slice(0, 1_500).map(place));
    const found = await all(berth, { container: id, q: "ODD", limit: "100" });
    assert.deepEqual(
      found.map(({ line }) => line),
      Array.from({ length: 342 }, (_, index) => `n odd ${7 * (index + 1)}`),
    );
    const none = await page(berth, { container: id, q: "no such text" });
    assert.deepEqual(none, { items: [], next: null });
    await engine.cli("rm", "-f", id);
  });

  test("several logs are merged backwards, within a time, and what cannot be read is refused", async (engine) => {
    await using berth = await serveEngines({ [kind]: engine });
    const a = await engine.cli("run", "-d", "--name", "aa", FIXTURE, ...writing("a", 900));
    const b = await engine.cli("run", "-d", "--name", "bb", FIXTURE, ...writing("b", 50));
    await eventually(
      "all is written",
      async () =>
        (await engine.cli("logs", a)).includes("a 900") && (await engine.cli("logs", b)).includes("b 50"),
    );
    const both = await all(berth, { container: [`${kind}/aa`, "bb"], limit: "100" });
    const of = (name: string) =>
      both.filter((one) => one.name === name && one.stream === "stdout").map(({ line }) => line);
    assert.deepEqual(of("aa"), Array.from({ length: 900 }, (_, index) => `a ${index + 1}`));
    assert.deepEqual(of("bb"), Array.from({ length: 50 }, (_, index) => `b ${index + 1}`));
    if (kind === "docker") { // whose times are exact
      const times = both.filter(({ stream }) => stream === "stdout").map(({ time }) => time);
      assert.deepEqual(times, times.toSorted());
    }
    const later = new Date(Date.now() + 3_600_000).toISOString();
    assert.deepEqual((await page(berth, { container: "aa", since: later })).items, []);
    for (
      const [query, status] of [
        ["", 400],
        ["container=never", 404],
        ["container=aa&before=x", 400],
        [`container=aa&before=${kind}/${a}%20nonsense`, 400],
        ["container=aa&until=yesterday", 400],
        ["container=aa&limit=0", 400],
        [Array.from({ length: 17 }, () => "container=aa").join("&"), 400],
        ["container=nowhere/aa", 404],
      ] as const
    ) {
      assert.equal((await berth.call(`GET /api/logs?${query}`)).status, status, query);
    }
    const few = await berth.key(["containers:read"]);
    assert.equal((await few.call("GET /api/logs?container=aa")).status, 403);
    assert.deepEqual(berth.bugs(), []);
    await engine.cli("rm", "-f", a, b);
  });
}

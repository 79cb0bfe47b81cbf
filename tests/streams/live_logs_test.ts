/** Logs and measurements of many containers over `/api/live`, behind their own cursors. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { LiveVisitor } from "./live_visitor.ts";
import { serveEngines, startService, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

interface Item {
  readonly source: string;
  readonly time: string;
  readonly line?: string;
  readonly gap?: unknown;
}

/** A reader of merged logs that goes on behind what it has read, as a page does. */
class Reader {
  readonly items: Item[] = [];
  cursors: Record<string, string> = {};

  take(visitor: LiveVisitor, id: string): void {
    for (const message of visitor.of(id)) {
      if (message.type !== "lines") continue;
      this.items.push(...message.items);
      Object.assign(this.cursors, message.cursors);
    }
  }

  lines(source: string): string[] {
    return this.items.filter((one) => one.source === source).map(({ line }) => line ?? "a gap");
  }
}

const lines = (visitor: LiveVisitor, id: string): Item[] =>
  visitor.of(id).flatMap((one) => one.type === "lines" ? one.items : []);
const states = (visitor: LiveVisitor, id: string): string[] =>
  visitor.of(id).flatMap((one) => one.type === "sources" ? one.items : [])
    .map(({ name, source, state, reason }) =>
      `${name ?? source} ${state}${reason === undefined ? "" : ` ${reason}`}`
    );

const counting = (
  word: string,
) => ["sh", "-c", `i=0; while :; do i=$((i+1)); echo ${word} $i; sleep 0.02; done`];

async function upTo(visitor: LiveVisitor, id: string, count: number): Promise<void> {
  await eventually(`${count} lines`, () => lines(visitor, id).length >= count);
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("merged logs go on behind the cursor of each source while berth and a container restart: no line is lost or told twice", async (engine) => {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
    const engines = [{ name: kind, url: `unix://${engine.socket}` }];
    const ids = [
      await engine.cli("run", "-d", "--name", "one", FIXTURE, ...counting("one")),
      await engine.cli("run", "-d", "--name", "two", FIXTURE, ...counting("two")),
    ];
    const sources = ids.map((id) => `${kind}/${id}`);
    const reader = new Reader();
    try {
      let admin = "";
      for (const round of [0, 1, 2]) {
        await using berth: TestService = await startService(
          admin === "" ? { folder, engines } : { folder, engines, admin },
        );
        admin = berth.admin ?? admin;
        await using visitor = new LiveVisitor(berth, admin);
        await visitor.subscribe("l", "logs", {
          containers: ["one", `${kind}/two`],
          tail: 10_000,
          cursors: reader.cursors,
        });
        await upTo(visitor, "l", 60);
        if (round === 1) {
          await engine.cli("restart", "-t", "0", "one");
          await eventually("its second life", () => lines(visitor, "l").some(({ line }) => line === "one 1"));
          await eventually(
            "and a part of it",
            () => lines(visitor, "l").some(({ line }) => line === "one 30"),
          );
        }
        reader.take(visitor, "l");
      }
      for (const [index, source] of sources.entries()) {
        const told = reader.lines(source);
        const real = (await engine.cli("logs", ids[index]!)).split("\n").map((line) =>
          line.replace(/^\S+Z /, "")
        );
        assert.deepEqual(
          told,
          real.slice(0, told.length),
          `what was told of ${source} is its log from the beginning`,
        );
        assert.ok(told.length > 100, `${told.length} lines`);
      }
    } finally {
      await engine.cli("rm", "-f", ...ids);
      await Deno.remove(folder, { recursive: true });
    }
  });

  test("a container that is made again under its name is followed by that name, and each end is told", async (engine) => {
    await using berth = await serveEngines({ [kind]: engine });
    await using visitor = new LiveVisitor(berth, berth.admin);
    await engine.cli("run", "-d", "--name", "again", FIXTURE, "sh", "-c", "echo first; exec idle");
    await eventually(
      "it is listed",
      async () => (await berth.call("GET /api/containers/again")).status === 200,
    );
    await visitor.subscribe("l", "logs", { containers: ["again", "never"] });
    await eventually("its line", () => lines(visitor, "l").some(({ line }) => line === "first"));
    await engine.cli("rm", "-f", "again");
    await eventually("its end", () => states(visitor, "l").includes("again ended removed"));
    await engine.cli("run", "-d", "--name", "again", FIXTURE, "sh", "-c", "echo second; exec idle");
    await eventually("the next one", () => lines(visitor, "l").some(({ line }) => line === "second"));
    assert.deepEqual(lines(visitor, "l").map(({ line }) => line), ["first", "second"]);
    const told = states(visitor, "l");
    assert.ok(told.includes("never ended container_not_found"), told.join());
    assert.deepEqual(told.filter((one) => /^again (following|ended removed)$/.test(one)), [
      "again following",
      "again ended removed",
      "again following",
    ]);
    await engine.cli("rm", "-f", "again");
  });

  test("a project's logs are searched while they come, and its measurements come together, the last ones first", async (engine) => {
    await using berth = await serveEngines({ [kind]: engine });
    const project = `p${crypto.randomUUID().slice(0, 6)}`;
    const label = [
      "--label",
      `com.docker.compose.project=${project}`,
      "--label",
      "com.docker.compose.service=s",
    ];
    const run = (word: string) => engine.cli("run", "-d", ...label, FIXTURE, ...counting(word));
    const ids = [await run("a"), await run("b")];
    await eventually(
      "they are listed",
      async () => (await berth.call(`GET /api/containers?project=${project}`)).body.total === 2,
    );
    await using visitor = new LiveVisitor(berth, berth.admin);
    await visitor.subscribe("l", "logs", { project, q: "A 1" });
    await visitor.subscribe("s", "stats", { project });
    await eventually("some lines", () => lines(visitor, "l").length >= 5);
    assert.ok(lines(visitor, "l").every(({ line }) => line!.startsWith("a 1")));
    // A log without a match has a place, too: what it says while nobody reads it comes behind that
    const asked = { containers: ids, q: "needle", tail: 0 };
    await visitor.subscribe("n", "logs", asked);
    const reader = new Reader();
    await eventually("places of both", () => {
      reader.take(visitor, "n");
      return Object.keys(reader.cursors).length === 2;
    });
    visitor.unsubscribe("n");
    await engine.cli("exec", ids[0]!, "sh", "-c", "echo needle >/proc/1/fd/1");
    await visitor.subscribe("m", "logs", { ...asked, cursors: reader.cursors });
    await upTo(visitor, "m", 1);
    assert.deepEqual(lines(visitor, "m").map(({ line }) => line), ["needle"]);
    const samples = (id: string) => visitor.of(id).flatMap((one) => one.type === "samples" ? one.items : []);
    const of = (id: string, container: string) =>
      samples(id).filter(({ source }) => source === `${kind}/${container}`);
    await eventually("samples of both", () => ids.every((id) => of("s", id).length >= 4));
    await visitor.subscribe("again", "stats", { containers: [ids[0]], earlier: true });
    await eventually("the past", () => samples("again").length > 0);
    const first = of("s", ids[0]!);
    assert.equal(samples("again")[0].time, first[0].time, "what was measured before comes first");
    const c = await run("c");
    await eventually("a newcomer is measured, too", () => of("s", c).length > 0);
    await engine.cli("rm", "-f", c);
    await eventually(
      "its end",
      () =>
        visitor.of("s").some(({ type, items }) =>
          type === "sources" &&
          items.some((one: { source: string; state: string }) =>
            one.source === `${kind}/${c}` && one.state === "ended"
          )
        ),
    );
    await engine.cli("rm", "-f", ...ids);
  });
}

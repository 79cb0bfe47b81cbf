/** Connections to an engine that become half open, beside each kind of stream that is read over them. */
import assert from "node:assert/strict";
import { chaosProxy } from "../proof/chaos_proxy.ts";
import { bounded } from "../support/bounded.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { LiveVisitor } from "./live_visitor.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { Visitor } from "../support/stream_service.ts";
import { within } from "../support/within.ts";
import { PROMISED } from "../proof/promised.ts";

const COUNTING = ["sh", "-c", "i=0; while :; do i=$((i+1)); echo line $i; sleep 0.05; done"];

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
type Message = any;

const linesOf = (visitor: LiveVisitor): string[] =>
  visitor.of("logs").flatMap((one) => one.type === "lines" ? one.items : [])
    .map(({ line }: Message) => line ?? "a gap");
const samplesOf = (visitor: LiveVisitor): Message[] =>
  visitor.of("stats").flatMap((one) => one.type === "samples" ? one.items : []);
const statesOf = (visitor: LiveVisitor, id: string): string[] =>
  visitor.of(id).flatMap((one) => one.type === "sources" ? one.items : [])
    .map(({ state, reason }: Message) => reason === undefined ? state : `${state} ${reason}`);

/** Fails unless the lines count from 1 without a gap or a repeat. */
function assertWhole(lines: readonly string[]): void {
  assert.deepEqual(lines, lines.map((_, at) => `line ${at + 1}`));
}

async function watchAll(berth: TestService, name: string): Promise<LiveVisitor> {
  const visitor = new LiveVisitor(berth, berth.admin!);
  await visitor.subscribe("logs", "logs", { containers: [name], tail: 10_000 });
  await visitor.subscribe("stats", "stats", { containers: [name] });
  await visitor.subscribe("events", "events", {});
  await eventually("lines are told", () => linesOf(visitor).length > 10);
  await eventually("samples are told", () => samplesOf(visitor).length > 0);
  return visitor;
}

async function counting(engine: TestEngine, name: string): Promise<AsyncDisposable> {
  await engine.cli("run", "-d", "--name", name, "--network", "none", FIXTURE, ...COUNTING);
  return { [Symbol.asyncDispose]: async () => void await engine.cli("rm", "-f", name) };
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("half-open connections cut logs, measurements and events, and each resumes without a loss (F120)", async (engine) => {
    await using proxy = chaosProxy(engine.socket);
    await using berth = await serveEngines({ [kind]: proxy });
    await using _container = await counting(engine, "count");
    await using visitor = await watchAll(berth, "count");
    const followed: string[] = [];
    const { body } = await berth.fetch("GET /api/containers/count/logs?follow=true");
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    // Deno may forget a signal once nobody holds the response, so an abort might end nothing.
    const leave = () => bounded("leaving a followed log", reader.cancel());
    await using _leaving = { [Symbol.asyncDispose]: leave };
    const reading = (async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) followed.push(next.value);
    })();
    await eventually("the log is followed", () => followed.join("").includes("line 20\n"));

    proxy.freeze();
    const samples = samplesOf(visitor).length;
    const before = linesOf(visitor).length;
    const sent = followed.join("").length;
    await engine.cli("create", "--name", "unseen", "--network", "none", FIXTURE, "idle");

    await within(PROMISED.resumed, "logs, measurements and events come again", () => {
      const missing = {
        lines: linesOf(visitor).length <= before + 20,
        samples: samplesOf(visitor).length <= samples + 1,
        followed: followed.join("").length <= sent + 200,
        events: !visitor.of("events").some(({ items }) => JSON.stringify(items).includes("unseen")),
      };
      if (Object.values(missing).includes(true)) throw new Error(JSON.stringify(missing));
      return true;
    });

    await leave();
    await bounded("the end of a followed log", reading);
    assertWhole(linesOf(visitor));
    assertWhole(followed.join("").split("\n").slice(0, -1));
    assert.equal(statesOf(visitor, "logs").at(-1), "following");
    await engine.cli("rm", "unseen");
  });

  test("a shell over a half-open connection ends in words (F120)", async (engine) => {
    await using proxy = chaosProxy(engine.socket);
    await using berth = await serveEngines({ [kind]: proxy });
    await using _container = await counting(engine, "shell");
    await eventually(
      "it is known",
      async () => (await berth.call("GET /api/containers/shell")).status === 200,
    );
    const shell = new Visitor(
      `${berth.url}/api/containers/shell/exec?cmd=sh`,
      undefined,
      [`berth.bearer.${berth.admin}`],
    );
    await eventually("it runs", () => shell.said("ready").length === 1);

    proxy.freeze();
    const error = await within(PROMISED.resumed, "it is told", () => shell.said("error")[0]);

    assert.equal(error.code, "runtime_unavailable");
    assert.match(
      error.title,
      /^Cannot show the output of a command in container "shell": the connection to engine/,
    );
    await shell.closed;
    await within(
      PROMISED.resumed,
      "its process does not stay",
      async () => !(await engine.cli("exec", "shell", "ps")).split("\n").some((line) => / sh$/.test(line)),
    );
  });

  test("a source whose engine hangs is waiting, and followed again without a loss when it answers (F120)", async (engine) => {
    await using berth = await serveEngines({ [kind]: engine });
    await using _container = await counting(engine, "held");
    await using visitor = await watchAll(berth, "held");

    await engine.pause();
    {
      await using _resuming = { [Symbol.asyncDispose]: () => engine.resume() };
      await within(
        PROMISED.unresponsive,
        "both sources are said to wait",
        () => ["logs", "stats"].every((id) => statesOf(visitor, id).at(-1) === "waiting runtime_unavailable"),
      );
    }
    const count = linesOf(visitor).length;
    await within(
      PROMISED.resumed,
      "both sources are followed",
      () => ["logs", "stats"].every((id) => statesOf(visitor, id).at(-1) === "following"),
    );
    await within(PROMISED.resumed, "lines come again", () => linesOf(visitor).length > count + 20);
    assertWhole(linesOf(visitor));
  });

  test(
    "a quiet followed log whose own connection alone is half open is noticed by a probe (F120)",
    async (engine) => {
      await using proxy = chaosProxy(engine.socket);
      await using berth = await serveEngines({ [kind]: proxy });
      const script = "echo line 1; until [ -e /go ]; do sleep 0.05; done; echo line 2; idle";
      await engine.cli("run", "-d", "--name", "quiet", "--network", "none", FIXTURE, "sh", "-c", script);
      await using visitor = new LiveVisitor(berth, berth.admin!);
      await visitor.subscribe("logs", "logs", { containers: ["quiet"] });
      await eventually("its first line is told", () => linesOf(visitor).length === 1);

      proxy.freeze((request) => request.includes("/logs?follow=true"));
      await engine.cli("exec", "quiet", "touch", "/go");

      await within(PROMISED.probed, "its second line is told", () => linesOf(visitor).length === 2);
      assertWhole(linesOf(visitor));
      await engine.cli("rm", "-f", "quiet");
    },
  );
}

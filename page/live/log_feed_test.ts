/** Logs that cannot be read for now: the reason is told until they are. */
import assert from "node:assert/strict";
import { effect } from "@preact/signals";
import { answerWith, json, silent } from "../../tests/page/fake_berth.ts";
import { eventually } from "../../tests/support/eventually.ts";
import { ContainerLog } from "./container_log.ts";
import type { LogFeed } from "./log_feed.ts";
import { MergedLog } from "./merged_log.ts";
import { TaskLog } from "./task_log.ts";

Object.assign(globalThis, { requestAnimationFrame: (draw: () => void) => setTimeout(draw) });

const lines = (...items: readonly unknown[]): Response =>
  new Response(items.map((item) => `${JSON.stringify(item)}\n`).join(""), {
    headers: { "content-type": "application/x-ndjson" },
  });

/** Follows a feed until the last of its reasons; returns all of them, each once in a row. */
async function reasonsOf(feed: LogFeed, last: string): Promise<string[]> {
  const told: string[] = [];
  const ending = new AbortController();
  const stop = effect(() => {
    const now = feed.problem.value?.title ?? "none";
    if (told.at(-1) !== now) told.push(now);
  });
  const over = feed.follow(ending.signal);
  await eventually("all is told", () => told.length > 1 && told.at(-1) === last);
  ending.abort();
  await over;
  stop();
  return told;
}

const refused = () => json({ code: "engine_failed", title: "no reading" }, 502);

Deno.test("the log of a container that is refused says why between two tries, too, until a line of it comes", async () => {
  const answers = [
    refused,
    () => lines({ error: { code: "engine_failed", title: "no reading" } }),
    () => lines({ cursor: "1", time: "2026-01-01T00:00:00Z", stream: "stdout", line: "hello" }),
  ];
  answerWith((path) => path.endsWith("/logs") ? answers.shift()?.() ?? silent() : null);
  const feed = new ContainerLog("one", "web", { tail: 1 });
  assert.deepEqual(await reasonsOf(feed, "none"), ["none", "no reading", "none"]);
  assert.equal(feed.lines.length, 1);
});

Deno.test("the log of a service that is refused says why", async () => {
  answerWith((path) => path.endsWith("/logs") ? refused() : null);
  assert.deepEqual(await reasonsOf(new TaskLog("web"), "no reading"), ["none", "no reading"]);
});

/** A socket on which berth tells of two sources, of which one cannot be read for now, and then can. */
class Telling extends EventTarget {
  readonly readyState = 1;
  readonly protocol: string;
  onopen: (event: Event) => void = () => {};
  onmessage: (event: MessageEvent) => void = () => {};
  onclose: () => void = () => {};
  constructor(_url: string, [protocol = ""]: readonly string[]) {
    super();
    this.protocol = protocol;
    setTimeout(() => this.onopen(new Event("open")));
  }
  send(text: string): void {
    const { type, id } = JSON.parse(text);
    if (type !== "subscribe") return;
    const tell = (...items: readonly unknown[]) =>
      this.onmessage(
        new MessageEvent("message", {
          data: JSON.stringify({ type: "sources", feed: "logs", id, items, leftOut: 0 }),
        }),
      );
    const web = { source: "one/a", name: "web" };
    tell({ ...web, state: "waiting", reason: "engine_failed" }, {
      source: "one/b",
      name: "db",
      state: "following",
    });
    tell({ source: "one/b", state: "following" });
    setTimeout(() => tell({ ...web, state: "following" }), 20);
  }
  close(): void {}
}

Deno.test("merged logs say which container cannot be read for now, and why, until it can", async () => {
  answerWith(() => null);
  Object.assign(globalThis, { WebSocket: Telling });
  assert.deepEqual(await reasonsOf(new MergedLog({ all: true }, { tail: 1 }), "none"), [
    "none",
    "The log of web on one cannot be read for now (engine_failed); berth tries again.",
    "none",
  ]);
});

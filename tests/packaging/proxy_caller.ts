/**
 * Calls berth through a proxy, from the proxy's own network: `proxy_caller.ts URL KEY SECONDS`. Prints what it saw as
 * JSON.
 */
import { connect as connectTls } from "node:tls";
import { BearerAuth, Client } from "../../client/mod.ts";
import { CONTAINER_EXEC, CONTAINERS } from "../../client/berth/mod.ts";
import { connect } from "../../client/connect.ts";

export interface Seen {
  readonly names: readonly string[];
  /** Milliseconds until the line that was there already had come. */
  readonly firstLineMs: number;
  readonly comments: number;
  /** True if the event stream was still open at the end. */
  readonly eventsOpen: boolean;
  /** The messages that came back through the socket, before and after the silence. */
  readonly echoes: readonly string[];
  /** Milliseconds until the proxy gave up on half a request; null when it did not in time. */
  readonly slowEndedMs: number | null;
}

const [url = "", key = "", seconds = "20"] = Deno.args;
const quietMs = Number(seconds) * 1000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function events(): Promise<Pick<Seen, "firstLineMs" | "comments" | "eventsOpen">> {
  const begun = performance.now();
  const response = await fetch(`${url}/api/containers/poet/logs?follow=true&tail=1&format=sse`, {
    headers: { authorization: `Bearer ${key}` },
  });
  let firstLineMs = -1;
  let comments = 0;
  let eventsOpen = true;
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const reading = (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      if (firstLineMs < 0 && value.includes("a line")) firstLineMs = performance.now() - begun;
      comments += value.split("\n").filter((line) => line.startsWith(":")).length;
    }
  })().catch(() => {}).then(() => eventsOpen = false);
  await Promise.race([pause(quietMs), reading]);
  const seen = { firstLineMs, comments, eventsOpen };
  await reader.cancel().catch(() => {});
  return seen;
}

async function socket(client: Client): Promise<readonly string[]> {
  const query = { cmd: ["cat"], tty: false };
  await using exec = await connect(client, CONTAINER_EXEC, { params: { id: "poet" }, query });
  const messages = exec[Symbol.asyncIterator]();
  const echo = async (text: string) => {
    exec.send(new TextEncoder().encode(text));
    for (;;) {
      const { value, done } = await messages.next();
      if (done) return "closed";
      if (value instanceof Uint8Array) return new TextDecoder().decode(value);
    }
  };
  const before = await echo("before");
  await pause(quietMs);
  return [before, await echo("after")];
}

/** Half a request's head, and nothing more. */
function slow(): Promise<number | null> {
  const { hostname, port } = new URL(url);
  const begun = performance.now();
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const late = setTimeout(() => resolve(null), 35_000);
  const half = connectTls({ host: hostname, port: Number(port || 443), rejectUnauthorized: false }, () => {
    half.write(`GET /api/health HTTP/1.1\r\nHost: ${hostname}\r\nX-Slow: `);
  });
  half.on("error", () => {});
  half.on("close", () => resolve(performance.now() - begun));
  half.resume();
  return promise.finally(() => {
    clearTimeout(late);
    half.destroy();
  });
}

using client = new Client({ baseUrl: url, auth: new BearerAuth(key), verifyTls: true });
const names = (await client.get(CONTAINERS)).json().items.map(({ name }) => name);
const [seen, echoes, slowEndedMs] = await Promise.all([events(), socket(client), slow()]);
const all: Seen = { names, ...seen, echoes, slowEndedMs };
console.log(JSON.stringify(all));
Deno.exit(0);

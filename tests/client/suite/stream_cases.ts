/** Promises about streams: items as they arrive, ends that are told apart, requests that end with their reader. */
import {
  BearerAuth,
  Client,
  ClosedError,
  Endpoint,
  isBodyLimitError,
  isNetworkError,
  isStatusError,
  isTimeoutError,
} from "@berth/client";
import { type ServerSentEvent, stream, type StreamFormat } from "@berth/client/stream";
import { equal, eventually, freshKey, type Ground, ok, promise, rejection } from "./ground.ts";
import { seen } from "./seen.ts";

const STREAM = new Endpoint("do/stream");
const TYPES = { ndjson: "application/x-ndjson", sse: "text/event-stream; charset=utf-8", text: "text/plain" };

/** Returns the query that makes the server send these parts: bytes as characters below 256, one chunk each. */
function query(as: StreamFormat, parts: string[], then: "end" | "silence" | "break", key = freshKey()) {
  return { type: TYPES[as], parts: JSON.stringify(parts.map(bytes)), then, key };
}

/** The UTF-8 bytes of a text, one character each; what is bytes already stays. */
function bytes(text: string): string {
  return /^[\0-\xff]*$/.test(text) ? text : String.fromCharCode(...new TextEncoder().encode(text));
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function at(ground: Ground, options: object = {}): Client {
  return new Client({ baseUrl: ground.http, ...options });
}

promise("109 NDJSON gives each line as it is, wherever chunks break", async (ground) => {
  using client = at(ground);
  const euro = String.fromCharCode(...new TextEncoder().encode('{"c":"€"}'));
  const parts = ['{"a":1}\n{"b"', ":2}\r", "\n\n", euro.slice(0, 7), euro.slice(7) + "\n", "[3]"];
  const items = await collect(stream(client, STREAM, { as: "ndjson", query: query("ndjson", parts, "end") }));
  equal(items, [{ a: 1 }, { b: 2 }, { c: "€" }, [3]]);
});

promise("109 text comes in pieces that never break a character", async (ground) => {
  using client = at(ground);
  const euro = String.fromCharCode(...new TextEncoder().encode("€"));
  const options = {
    as: "text",
    query: query("text", ["a", euro.slice(0, 1), euro.slice(1), "b"], "end"),
  } as const;
  const pieces: string[] = await collect(stream(client, STREAM, options));
  equal([pieces.join(""), pieces.includes("")], ["a€b", false]);
});

promise("109 server-sent events are read as the HTML standard says", async (ground) => {
  using client = at(ground);
  const parts = [
    "\xef\xbb\xbf:comment\nid: 1\ndata: a\ndata:b\n\n",
    "event: tick\r\ndata:  two spaces\r",
    "\n\r\n",
    "data\n\nid: 2\n\nid: x\0y\nretry: 5\nunknown: z\ndata: c\r\r",
    "id\ndata: d\n\ndata: never finished\n",
  ];
  const events: ServerSentEvent[] = await collect(
    stream(client, STREAM, { as: "sse", query: query("sse", parts, "end") }),
  );
  equal(events, [
    { event: "message", data: "a\nb", id: "1" },
    { event: "tick", data: " two spaces", id: "1" },
    { event: "message", data: "", id: "1" },
    { event: "message", data: "c", id: "2" },
    { event: "message", data: "d", id: "" },
  ]);
});

promise("109 nothing is sent before the first item is asked for", async (ground) => {
  using client = at(ground);
  const key = freshKey();
  const items = stream(client, STREAM, { as: "ndjson", query: query("ndjson", [], "end", key) });
  await client.get(new Endpoint("echo"));
  equal((await seen(ground, key)).length, 0);
  await collect(items);
  const [request] = await seen(ground, key);
  equal([request?.method, request?.headers["accept"]], ["GET", "application/x-ndjson"]);
});

promise("109 a POST may be a stream, with its payload", async (ground) => {
  using client = at(ground);
  const key = freshKey();
  const options = { method: "post", payload: { a: 1 }, query: query("ndjson", ["1\n"], "end", key) } as const;
  equal(await collect(stream(client, STREAM, { as: "ndjson", ...options })), [1]);
  const [request] = await seen(ground, key);
  equal([request?.method, request?.body], ["POST", '{"a":1}']);
});

for (const how of ["break", "return() while next() waits", "abort", "close()"] as const) {
  promise(`109 ${how} ends the request: the server sees the connection go`, async (ground) => {
    const key = freshKey();
    const client = at(ground);
    const controller = new AbortController();
    const options = { query: query("ndjson", ["1\n"], "silence", key), signal: controller.signal };
    const items = stream(client, STREAM, { as: "ndjson", ...options });
    equal(await items.next(), { value: 1, done: false });
    if (how === "break") {
      for await (
        const _ of {
          [Symbol.asyncIterator]: () => ({
            next: () => Promise.resolve({ value: 1 }),
            return: () => items.return(),
          }),
        }
      ) break;
    } else {
      const waiting = items.next();
      if (how === "abort") {
        controller.abort("enough");
        equal(await rejection(waiting) as unknown, "enough");
      } else if (how === "close()") {
        client.close();
        ok(await rejection(waiting) instanceof ClosedError, "not a ClosedError");
      } else {
        equal([await items.return(), await waiting], Array(2).fill({ value: undefined, done: true }));
      }
    }
    equal(await items.next(), { value: undefined, done: true });
    await eventually("the server sees it", async () => (await seen(ground, key)).at(-1)?.method === "GONE");
    client.close();
  });
}

promise("109 a stream that breaks off, or ends within a line, is a NetworkError", async (ground) => {
  using client = at(ground);
  for (const [parts, then] of [[["1\n"], "break"], [['{"a":'], "end"], [["1\nx\n"], "end"]] as const) {
    const items = stream(client, STREAM, { as: "ndjson", query: query("ndjson", [...parts], then) });
    ok(isNetworkError(await rejection(collect(items))), `${parts} ${then}`);
  }
});

promise(
  "109 timeoutS ends at the headers, and idleTimeoutS bounds the silence after them",
  async (ground) => {
    using brief = at(ground, { timeoutS: 0.3 });
    ok(
      isTimeoutError(await rejection(collect(stream(brief, new Endpoint("do/hang"), { as: "text" })))),
      "no headers",
    );
    // Long enough for headers on a busy machine, shorter than what is waited for after them.
    using client = at(ground, { timeoutS: 3 });
    const key = freshKey();
    const items = stream(client, STREAM, { as: "ndjson", query: query("ndjson", ["1\n"], "silence", key) });
    await items.next();
    const waiting = items.next();
    const later = await Promise.race([
      waiting,
      new Promise((resolve) => setTimeout(() => resolve("waits"), 3300)),
    ]);
    equal(later, "waits");
    await items.return();
    const idle = { as: "ndjson", idleTimeoutS: 0.05, query: query("ndjson", ["1\n"], "silence") } as const;
    ok(isTimeoutError(await rejection(collect(stream(client, STREAM, idle)))), "idle for ever");
  },
);

promise("109 an item may be as long as maxItemBytes, and no longer", async (ground) => {
  using client = at(ground);
  for (const as of ["ndjson", "sse"] as const) {
    const long = as === "sse" ? "data: " + "x".repeat(5000) : `"${"x".repeat(5000)}"`;
    const options = { as, query: query(as, [long, long], "silence") };
    ok(
      isBodyLimitError(await rejection(collect(stream(client, STREAM, { ...options, maxItemBytes: 4000 })))),
      as,
    );
  }
});

promise("109 another status is a StatusError, and another content type a NetworkError", async (ground) => {
  using client = at(ground);
  const refused = stream(client, new Endpoint("do/status"), { as: "sse", query: { code: 404, body: "{}" } });
  const error = await rejection(collect(refused));
  ok(isStatusError(error) && error.response.text === "{}", `${error}`);
  const html = stream(client, STREAM, { as: "ndjson", query: query("text", ["1"], "end") });
  ok(isNetworkError(await rejection(collect(html))), "text/plain was taken for NDJSON");
  for (const wrong of [{ as: "xml" }, { as: "text", idleTimeoutS: 0 }, { as: "text", maxItemBytes: -1 }]) {
    const options = wrong as { as: "text" };
    ok(await rejection(collect(stream(client, STREAM, options))) instanceof TypeError, JSON.stringify(wrong));
  }
});

promise("109 a 401 is retried once before a stream begins", async (ground) => {
  const tokens = ["stale", "fresh"];
  using client = at(ground, { auth: new BearerAuth(() => tokens.shift() ?? "none") });
  const error = await rejection(collect(stream(client, new Endpoint("do/guarded"), { as: "ndjson" })));
  ok(isNetworkError(error) && /application\/json/.test(error.message) && !tokens.length, `${error}`);
});

promise("109 streams come over node:https as well, and end the request with their reader", async (ground) => {
  using client = new Client({
    baseUrl: `https://127.0.0.1:${ground.https["private CA"].port}`,
    caCerts: [ground.https["private CA"].ca],
  });
  const key = freshKey();
  for await (
    const item of stream(client, STREAM, { as: "ndjson", query: query("ndjson", ["1\n"], "silence", key) })
  ) {
    equal(item, 1);
    break;
  }
  await eventually("the server sees it", async () => (await seen(ground, key)).at(-1)?.method === "GONE");
}, ["browser"]);

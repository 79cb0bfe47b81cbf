/** Promises about sockets: credentials in the subprotocol, JSON and bytes, ends that are told apart. */
import {
  BearerAuth,
  Client,
  Endpoint,
  isBodyLimitError,
  isClosedError,
  isNetworkError,
  isStatusError,
} from "@berth/client";
import { connect, type Connection } from "@berth/client/connect";
import { equal, eventually, freshKey, type Ground, ok, promise, rejection } from "./ground.ts";

const ECHO = new Endpoint("echo");
const hasSockets = typeof WebSocket === "function";

function at(ground: Ground, options: object = {}): Client {
  return new Client({ baseUrl: ground.sockets, ...options });
}

async function first(connection: Connection): Promise<unknown> {
  for await (const message of connection) return message instanceof Uint8Array ? [...message] : message;
}

async function offers(ground: Ground, key: string): Promise<string[]> {
  return await (await fetch(`${ground.sockets}/offers?key=${key}`)).json();
}

/** A promise for the runtimes that have a WebSocket: all but Node 20. */
function socketPromise(name: string, run: (ground: Ground) => Promise<void>): void {
  promise(name, (ground) => hasSockets ? run(ground) : undefined);
}

promise("110 without a WebSocket in the runtime connect() asks for one", async (ground) => {
  const { WebSocket } = globalThis as { WebSocket?: unknown };
  (globalThis as { WebSocket?: unknown }).WebSocket = undefined;
  try {
    using client = at(ground);
    ok(await rejection(connect(client, ECHO)) instanceof TypeError, "not a TypeError");
  } finally {
    (globalThis as { WebSocket?: unknown }).WebSocket = WebSocket;
  }
});

socketPromise("110 JSON and bytes go and come, credentials in the subprotocol only", async (ground) => {
  using client = at(ground, { auth: new BearerAuth("fresh.t0k-en_") });
  const key = freshKey();
  await using connection = await connect(client, ECHO, { query: { key } });
  equal(await offers(ground, key), ["berth.v1, berth.bearer.fresh.t0k-en_"]);
  const arrived: unknown[] = [];
  connection.send({ type: "resize", cols: 80 });
  connection.send(new Uint8Array([1, 2, 255]));
  for await (const message of connection) {
    arrived.push(message instanceof Uint8Array ? [...message] : message);
    if (arrived.length === 2) break;
  }
  equal(arrived, [{ type: "resize", cols: 80 }, [1, 2, 255]]);
  equal((await connection.closed).code, 1000);
  ok(isNetworkError(await rejection(() => connection.send(1))), "sent after the end");
});

socketPromise(
  "110 what a server sends as a batch comes one by one, and a break within it ends all",
  async (ground) => {
    using client = at(ground);
    const batch = (items: unknown) => JSON.stringify({ type: "batch", items });
    const several = batch([{ type: "hello", seq: 1 }, { type: "event", seq: 2, repeated: 7 }, null]);
    for (
      const [say, expected] of [
        [several, [{ type: "hello", seq: 1 }, { type: "event", seq: 2, repeated: 7 }, null]],
        [batch([]), []],
        [batch("none"), [{ type: "batch", items: "none" }]],
        ["null", [null]],
      ] as const
    ) {
      const arrived: unknown[] = [];
      await using connection = await connect(client, ECHO, { query: { say, code: 1000 } });
      for await (const message of connection) arrived.push(message);
      equal(arrived, expected);
    }
    await using connection = await connect(client, ECHO, { query: { say: several } });
    equal(await first(connection), { type: "hello", seq: 1 });
    equal((await connection.closed).code, 1000);
  },
);

socketPromise("110 a token that no subprotocol can hold is refused unquoted", async (ground) => {
  for (const token of ["secret=", "sec/ret"]) {
    using client = at(ground, { auth: new BearerAuth(token) });
    const error = await rejection(connect(client, ECHO));
    ok(error instanceof TypeError && !/sec/.test(error.message.replace("second", "")), `${error}`);
  }
});

socketPromise("110 refused credentials are renewed once by a plain call, then used", async (ground) => {
  const tokens = ["stale", "fresh"];
  using client = at(ground, { auth: new BearerAuth(() => tokens.shift() ?? "none") });
  const key = freshKey();
  await using connection = await connect(client, ECHO, { query: { key, say: '"hello"' } });
  // Node 24 by itself asks twice where it was refused.
  equal([await first(connection), [...new Set(await offers(ground, key))]], [
    "hello",
    ["berth.v1, berth.bearer.stale", "berth.v1, berth.bearer.fresh"],
  ]);
});

socketPromise(
  "110 credentials that stay refused are a StatusError, other refusals a NetworkError",
  async (ground) => {
    using client = at(ground, { auth: new BearerAuth("stale") });
    const error = await rejection(connect(client, ECHO));
    ok(isStatusError(error) && error.response.statusCode === 401, `${error}`);
    for (const auth of [undefined, new BearerAuth("fresh")]) {
      using other = at(ground, { auth });
      ok(isNetworkError(await rejection(connect(other, new Endpoint("missing")))), "404");
      ok(isNetworkError(await rejection(connect(other, new Endpoint("mute")))), "a server without berth.v1");
    }
    using nowhere = new Client({ baseUrl: ground.dead });
    ok(isNetworkError(await rejection(connect(nowhere, ECHO))), "nobody listens");
  },
);

socketPromise("110 a refusal with a problem document is the StatusError that says why", async (ground) => {
  using client = at(ground, { auth: new BearerAuth("fresh") });
  for (const problem of [400, 414, 429, 503]) {
    const error = await rejection(connect(client, ECHO, { query: { problem } }));
    ok(
      isStatusError(error) && error.response.text.includes(`refused with ${problem}`),
      `${problem}: ${error}`,
    );
  }
  // Nobody who would open the socket has a reason to refuse it.
  ok(isNetworkError(await rejection(connect(client, ECHO, { query: { problem: 426 } }))), "426");
});

socketPromise(
  "110 an Auth without credentials is refused by a plain call, and opens no socket before it has some",
  async (ground) => {
    const headers: { authorization?: string } = {};
    using client = at(ground, { auth: { authHeaders: () => ({ ...headers }), invalidate() {} } });
    const key = freshKey();
    const error = await rejection(connect(client, ECHO, { query: { key } }));
    ok(isStatusError(error) && error.response.statusCode === 401, `${error}`);
    equal(await offers(ground, key), []);
    headers.authorization = "Bearer fresh";
    await using connection = await connect(client, ECHO, { query: { key, say: "1" } });
    equal(await first(connection), 1);
  },
);

socketPromise("110 the iterator ends when the server closes, and closed says how", async (ground) => {
  using client = at(ground);
  for (const code of [1000, 4404]) {
    const connection = await connect(client, ECHO, { query: { code, say: "1" } });
    const arrived: unknown[] = [];
    for await (const message of connection) arrived.push(message);
    equal([arrived, await connection.closed], [[1], { code, reason: "as asked" }]);
  }
});

socketPromise("110 an abort and close() end a connection with their reasons", async (ground) => {
  const client = at(ground);
  const controller = new AbortController();
  const one = await connect(client, ECHO, { signal: controller.signal });
  const two = await connect(client, ECHO);
  const [waitOne, waitTwo] = [rejection(first(one)), rejection(first(two))];
  controller.abort("enough");
  equal(await waitOne as unknown, "enough");
  client.close();
  ok(isClosedError(await waitTwo), "not a ClosedError");
  await Promise.all([one.closed, two.closed]);
  ok(isClosedError(await rejection(connect(client, ECHO))), "a closed client connects");
});

socketPromise("110 an abort before or during the handshake opens nothing", async (ground) => {
  using client = at(ground);
  equal(await rejection(connect(client, ECHO, { signal: AbortSignal.abort("early") })) as unknown, "early");
  const controller = new AbortController();
  const connecting = rejection(connect(client, ECHO, { signal: controller.signal }));
  controller.abort("midway");
  equal(await connecting as unknown, "midway");
});

socketPromise("110 what waits unread is bounded", async (ground) => {
  using client = at(ground);
  const connection = await connect(client, ECHO, { query: { flood: 20 } });
  await eventually(
    "the connection ends",
    async () => await Promise.race([connection.closed, undefined]) !== undefined,
  );
  const error = await rejection(async () => {
    for await (const _ of connection);
  });
  ok(isBodyLimitError(error), `${error}`);
});

socketPromise("110 a message that is not JSON is a NetworkError", async (ground) => {
  using client = at(ground);
  await using connection = await connect(client, ECHO, { query: { say: "{" } });
  ok(isNetworkError(await rejection(first(connection))), "it was taken");
});

socketPromise("110 closing codes are 1000, or 3000 to 4999", async (ground) => {
  using client = at(ground);
  await using connection = await connect(client, ECHO);
  for (const code of [1001, 2999, 5000, NaN]) {
    ok(await rejection(() => connection.close(code)) instanceof TypeError, `${code} was accepted`);
  }
});

socketPromise("110 TLS options need a WebSocket of one's own", async (ground) => {
  const baseUrl = "https://127.0.0.1:1";
  const options = [{ caCerts: [ground.https["private CA"].ca] }, { verifyTls: false }];
  for (const option of ground.runtime === "browser" ? [] : options) {
    using client = new Client({ baseUrl, ...option });
    ok(await rejection(connect(client, ECHO)) instanceof TypeError, Object.keys(option).join());
  }
  using client = at(ground);
  const urls: string[] = [];
  const webSocket = (url: string, protocols: string[]) => (urls.push(url), new WebSocket(url, protocols));
  await using connection = await connect(client, ECHO, { webSocket, query: { say: "7" } });
  equal([await first(connection), urls], [7, [ground.sockets.replace("http", "ws") + "/echo?say=7"]]);
});

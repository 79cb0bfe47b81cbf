import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { openSocket, type Socket, type SocketClose, type SocketOptions } from "./socket.ts";

type Handler = (socket: Socket) => void | Promise<void>;

/** A real listener whose every request becomes a socket of `handler`. */
function listen(handler: Handler, options: SocketOptions = {}) {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => openSocket(request, handler, options),
  );
  return {
    url: `ws://127.0.0.1:${server.addr.port}/`,
    port: server.addr.port,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Opens a socket as a browser would and collects all that it is told. */
async function visit(url: string) {
  const wire = new WebSocket(url, ["berth.bearer.secret", "berth.v1"]);
  wire.binaryType = "arraybuffer";
  const heard: unknown[] = [];
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    wire.onclose = ({ code, reason }) => resolve({ code, reason });
  });
  wire.onmessage = ({ data }) => heard.push(typeof data === "string" ? data : new Uint8Array(data));
  await new Promise((resolve, reject) => {
    wire.onopen = resolve;
    wire.onerror = reject;
  });
  return { wire, heard, closed };
}

/** A connection that upgrades by hand and then reads only when told to. */
async function visitRaw(port: number, protocols: string) {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = [
    "GET / HTTP/1.1",
    "Host: x",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    `Sec-WebSocket-Protocol: ${protocols}`,
    "",
    "",
  ];
  await conn.write(new TextEncoder().encode(head.join("\r\n")));
  return conn;
}

async function readAll(conn: Deno.Conn, until: (text: string) => boolean): Promise<string> {
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  while (!until(text)) {
    const size = await conn.read(buffer);
    if (size === null) break;
    text += new TextDecoder("latin1").decode(buffer.subarray(0, size));
  }
  return text;
}

Deno.test("the upgrade answers berth.v1 alone, whatever stands first in the offer (R12)", async () => {
  await using server = listen((socket) => void socket.send("hello"));
  const { wire, heard, closed } = await visit(server.url);

  assert.equal(wire.protocol, "berth.v1");
  assert.deepEqual(await closed, { code: 1000, reason: "" });
  assert.deepEqual(heard, ["hello"]);
});

Deno.test("an offer without berth.v1 is answered without a protocol, never with the credential", async () => {
  await using server = listen(() => {});
  const conn = await visitRaw(server.port, "berth.bearer.secret");
  const head = await readAll(conn, (text) => text.includes("\r\n\r\n"));
  conn.close();

  assert.match(head, /^HTTP\/1\.1 101/);
  assert.doesNotMatch(head, /sec-websocket-protocol|secret/i);
});

Deno.test("messages arrive in order and whole, text as text and bytes as bytes", async () => {
  await using server = listen(async (socket) => {
    for await (const message of socket) {
      socket.send(message);
      if (message === "end") return;
    }
  });
  const { wire, heard, closed } = await visit(server.url);
  const bytes = new Uint8Array(64 * 1024).map((_, at) => at);
  wire.send("one");
  wire.send(bytes);
  wire.send("ü");
  wire.send("end");

  assert.equal((await closed).code, 1000);
  assert.deepEqual(heard, ["one", bytes, "ü", "end"]);
});

Deno.test("what was sent before the handler returned is read before the close, however much waits", async () => {
  const total = 15;
  await using server = listen((socket) => {
    for (let at = 0; at < total; at++) socket.send(new Uint8Array(64 * 1024).fill(at));
  });
  const { heard, closed } = await visit(server.url);

  assert.equal((await closed).code, 1000);
  assert.deepEqual(
    heard.map((bytes) => (bytes as Uint8Array)[0]),
    Array.from({ length: total }, (_, at) => at),
  );
});

Deno.test("a message over 64 KiB closes 1009 and never reaches the handler (F57, R37)", async () => {
  for (
    const message of [new Uint8Array(64 * 1024 + 1), "x".repeat(64 * 1024 + 1), "é".repeat(32 * 1024 + 1)]
  ) {
    const reached: unknown[] = [];
    await using server = listen(async (socket) => {
      for await (const one of socket) reached.push(one);
    });
    const { wire, closed } = await visit(server.url);
    wire.send(message);

    const late = setTimeout(() => wire.close(), 20_000); // a broken promise is told instead of waited for
    const { code } = await closed;
    clearTimeout(late);
    assert.equal(code, 1009);
    assert.deepEqual(reached, []);
  }
});

Deno.test("input that no handler reads is bounded and closes 1009, as bytes and as a flood of empty messages (F57)", async () => {
  for (const [message, times] of [[new Uint8Array(64 * 1024), 200], ["", 200_000]] as const) {
    // Asked on our side: a peer that is still writing may see the reset before the close frame
    const ended = Promise.withResolvers<SocketClose>();
    await using server = listen(async (socket) => ended.resolve(await socket.closed));
    const { wire, closed } = await visit(server.url);
    for (let at = 0; at < times; at++) wire.send(message);

    assert.equal((await ended.promise).code, 1009);
    await closed;
  }
});

Deno.test("a peer that reads nothing gets a gap and close 1013, and the handler learns at once (R36)", async () => {
  const ended = Promise.withResolvers<{ accepted: number; aborted: boolean }>();
  const resume = Promise.withResolvers<void>();
  await using server = listen(async (socket) => {
    let accepted = 0;
    while (socket.send("x".repeat(10_000)) && accepted < 20_000) {
      if (++accepted % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
    ended.resolve({ accepted, aborted: socket.signal.aborted });
    await resume.promise;
  });
  const conn = await visitRaw(server.port, "berth.v1");
  const { accepted, aborted } = await ended.promise;
  resume.resolve();
  const text = await readAll(conn, (text) => text.includes("Too slow to read"));
  conn.close();

  assert.equal(aborted, true);
  assert.ok(accepted < 20_000, "20,000 messages were accepted for a peer that reads nothing");
  assert.match(text, /\{"type":"gap","missed":\d+\}/);
  assert.ok(text.includes("\x03\xf5Too slow to read"), "the close frame says 1013");
});

Deno.test("a producer that awaits drained() never overflows a slow peer", async () => {
  const total = 100;
  await using server = listen(async (socket) => {
    for (let at = 0; at < total; at++) {
      await socket.drained();
      if (!socket.send(new Uint8Array(64 * 1024).fill(at))) throw new Error("overflow");
    }
  });
  const { heard, closed } = await visit(server.url);

  assert.equal((await closed).code, 1000);
  assert.equal(heard.length, total);
});

Deno.test("a revoked credential closes 1008 and a stopping service 1001, also when it happened before the open", async () => {
  for (
    const [name, code] of [["revoked", 1008], ["stopping", 1001]] as const
  ) {
    for (const before of [true, false]) {
      const ending = new AbortController();
      if (before) ending.abort();
      await using server = listen(async (socket) => {
        socket.send("open");
        await socket.closed;
      }, { [name]: ending.signal });
      const { wire, heard, closed } = await visit(server.url);
      if (!before) {
        await new Promise((resolve) => {
          if (heard.length > 0) resolve(undefined);
          wire.addEventListener("message", resolve);
        });
        ending.abort();
      }
      assert.equal((await closed).code, code);
    }
  }
});

Deno.test("a throwing handler costs its own socket only: typed for a ServiceError, generic for a bug (F9)", async () => {
  const failures: unknown[] = [];
  let bug: unknown = new ServiceError("workspace_not_found", `Cannot open a shell: no container "x"`);
  await using server = listen(() => {
    throw bug;
  }, { onFailure: (error) => failures.push(error) });

  const typed = await visit(server.url);
  assert.equal((await typed.closed).code, 4404);
  assert.deepEqual(typed.heard.map((text) => JSON.parse(String(text))), [
    { type: "error", code: "workspace_not_found", title: `Cannot open a shell: no container "x"` },
  ]);
  assert.deepEqual(failures, []);

  bug = new Error("secret inside");
  const generic = await visit(server.url);
  assert.equal((await generic.closed).code, 1011);
  assert.doesNotMatch(String(generic.heard[0]), /secret/);
  assert.deepEqual(failures, [bug]);
});

Deno.test("hostile frames end one socket and leave the listener alive (F57)", async () => {
  const frames: Record<string, number[]> = {
    "unmasked text": [0x81, 0x02, 0x68, 0x69],
    "reserved bits": [0xf1, 0x82, 1, 2, 3, 4, 0, 0],
    "unknown opcode": [0x8b, 0x80, 1, 2, 3, 4],
    "length over the runtime's cap": [0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4],
    "invalid UTF-8": [0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28],
    "fragmented ping": [0x09, 0x80, 1, 2, 3, 4],
  };
  for (const [name, bytes] of Object.entries(frames)) {
    const over = Promise.withResolvers<void>();
    await using server = listen(async (socket) => {
      await socket.closed;
      over.resolve();
    });
    const conn = await visitRaw(server.port, "berth.v1");
    await readAll(conn, (text) => text.includes("\r\n\r\n"));
    await conn.write(new Uint8Array(bytes));
    conn.closeWrite();
    await over.promise;
    conn.close();

    const next = await visit(server.url);
    next.wire.close();
    await next.closed;
    assert.ok(next.wire.readyState === WebSocket.CLOSED, name);
  }
});

Deno.test("a peer that vanishes ends the reading loop and is reported gone once", async () => {
  let gone = 0;
  const over = Promise.withResolvers<void>();
  await using server = listen(async (socket) => {
    for await (const _ of socket);
    await socket.closed;
    over.resolve();
  }, { onGone: () => gone++ });
  const conn = await visitRaw(server.port, "berth.v1");
  await readAll(conn, (text) => text.includes("\r\n\r\n"));
  conn.close();

  await over.promise;
  assert.equal(gone, 1);
});

/** Engines on other hosts with mutual TLS: a real dockerd --tlsverify behind a link, and what certificates do wrong. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { Engine } from "../../engines/calls/engine.ts";
import { at } from "../../engines/calls/path.ts";
import { certificates, type Kind } from "../client/certificates.ts";
import { FIXTURE, NoEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { LiveVisitor } from "../streams/live_visitor.ts";
import { startService, type TestService } from "../support/service.ts";
import { Authority, startTlsEngine, type TlsEngine, type TlsFiles } from "../support/tls_engine.ts";
import { bounded } from "../support/bounded.ts";
import { Visitor } from "../support/stream_service.ts";
import { within } from "../support/within.ts";
import { PROMISED } from "../proof/promised.ts";

const SOON_MS = 10_000;
/** The milliseconds that a link is cut; `BERTH_PROOF=1` takes as long as is promised. */
const CUT_MS = Deno.env.get("BERTH_PROOF") === "1" ? 60_000 : 0;

/** Rounds in which connections stall. */
const STALLS = Deno.env.get("BERTH_PROOF") === "1" ? 20 : 3;

let far: TlsEngine | null = null;
try {
  far = await startTlsEngine();
} catch (error) {
  if (!(error instanceof NoEngine) || Deno.env.get("BERTH_TEST_ENGINES_REQUIRED") === "1") throw error;
  console.error(`NOT RUN: 5 tests on a real docker with TLS, because ${error.message}`);
}
if (far !== null) Deno.test.afterAll(async () => await far[Symbol.asyncDispose]());

function onFar(name: string, run: (far: TlsEngine) => Promise<void>): void {
  const options = { ignore: far === null, sanitizeOps: false, sanitizeResources: false };
  Deno.test(name, options, () => run(far!));
}

function serve(url: string, files: TlsFiles): Promise<TestService> {
  return startService({ unclaimed: { engines: [{ name: "far", url, ...files }] } });
}

async function told(berth: TestService): Promise<{ state: string; reason?: string }> {
  return (await berth.call("GET /api/system/backends")).body.items[0];
}

async function names(berth: TestService): Promise<string> {
  const { body } = await berth.call("GET /api/containers?sort=name");
  return body.items.map(({ name }: { name: string }) => name).join();
}

onFar(
  "an engine behind mutual TLS is listed, changed, read and watched, also after the link was cut (F99)",
  async (far) => {
    await using berth = await serve(far.url, far.client);
    await far.engine.cli(
      "run",
      "-d",
      "--name",
      "far",
      "--network",
      "none",
      FIXTURE,
      "sh",
      "-c",
      "echo hi; idle",
    );
    await eventually("it is listed", async () => await names(berth) === "far");
    assert.equal((await berth.call("GET /api/containers/far/logs")).text, "hi\n");
    for (const verb of ["restart", "pause", "unpause", "stop", "start"]) {
      const { status, body } = await berth.call(`POST /api/containers/far/${verb}`);
      assert.deepEqual([status, body.changed], [200, true], verb);
    }
    assert.equal((await berth.call("POST /api/containers/far/start")).body.changed, false);
    const [made, taken] = await Promise.all(
      [1, 2].map((n) => berth.call("POST /api/networks", { name: `n${n}` })),
    );
    assert.deepEqual([made!.status, taken!.status], [201, 201]);
    assert.equal((await berth.call("DELETE /api/networks/n1")).status, 204);
    assert.equal((await berth.call("DELETE /api/networks/n1")).status, 404);
    assert.equal((await berth.call("DELETE /api/networks/n2")).status, 204);

    await far.cut();
    await within(SOON_MS, "it is unresponsive", async () => (await told(berth)).state === "unresponsive");
    const refused = await berth.call("POST /api/containers/far/stop");
    assert.deepEqual([refused.status, refused.body.code], [503, "runtime_unavailable"]);
    await far.engine.cli("stop", "-t", "0", "far");
    await new Promise((resolve) => setTimeout(resolve, CUT_MS));
    await far.mend();
    await within(SOON_MS, "it is up", async () => (await told(berth)).state === "up");
    await within(SOON_MS, "what happened meanwhile is known", async () => {
      const { body } = await berth.call("GET /api/containers");
      return body.items[0].state === "exited" && body.items[0].stale === undefined;
    });
    assert.equal((await berth.call("DELETE /api/containers/far?force=true")).status, 204);
    assert.equal(await names(berth), "");
  },
);

onFar(
  "a followed log whose TLS connection stalls resumes without a lost or doubled line (F120)",
  async (far) => {
    await using berth = await serve(far.url, far.client);
    const counting = "i=0; while :; do i=$((i+1)); echo line $i; sleep 0.02; done";
    await far.engine.cli("run", "-d", "--name", "count", "--network", "none", FIXTURE, "sh", "-c", counting);
    await eventually("it is listed", async () => await names(berth) === "count");
    await using visitor = new LiveVisitor(berth, berth.admin);
    await visitor.subscribe("logs", "logs", { containers: ["count"], tail: 10_000 });
    const lines: string[] = [];
    let taken = 0;
    const count = () => {
      for (; taken < visitor.messages.length; taken++) {
        const { type, items } = visitor.messages[taken];
        if (type === "lines") { for (const { line } of items) lines.push(line ?? "a gap"); }
      }
      return lines.length;
    };
    await eventually("lines are told", () => count() > 20);

    for (let round = 1; round <= STALLS; round++) {
      const began = count();
      await far.stall();
      await within(PROMISED.resumed, `lines come again in round ${round}`, () => count() > began + 100);
      await far.mend();
    }

    assert.deepEqual(lines, lines.map((_, at) => `line ${at + 1}`));
    assert.equal((await berth.call("DELETE /api/containers/count?force=true")).status, 204);
  },
);

onFar("A followed log over TLS has TCP keep-alive, and its certificates are verified", async (far) => {
  const [ca, cert, key] = await Promise.all(
    [far.client.ca, far.client.cert, far.client.key].map((path) => Deno.readTextFile(path)),
  );
  using engine = new Engine("far", { kind: "tls", host: far.host, port: 2376, files: far.client });
  engine.present({ ca: ca!, cert: cert!, key: key! });
  /** The ends here of kept connections: those of tests before this one may still be closing. */
  const kept = async () => {
    const { stdout } = await new Deno.Command("ss", { args: ["-Htno", "dst", far.host] }).output();
    const lines = new TextDecoder().decode(stdout).split("\n").filter((line) => line.includes("keepalive"));
    return new Set(lines.map((line) => line.trim().split(/\s+/)[3]));
  };
  const before = await kept();

  const conn = await engine.connect({ doing: "follow" });
  await eventually("one more is kept", async () => (await kept()).difference(before).size === 1);
  const reading = assert.rejects(conn.read(new Uint8Array(16)));
  conn.close();
  await reading;

  const stranger = await Authority.make(`${far.authority.folder}/stranger`);
  const { ca: theirs } = await stranger.issue("client", "198.51.100.7");
  engine.present({ ca: await Deno.readTextFile(theirs), cert: cert!, key: key! });
  await assert.rejects(engine.connect({ doing: "follow" }), /TLS|certificate/);
});

onFar("A command over TLS has its input to the end, and its whole output", async (far) => {
  await using berth = await serve(far.url, far.client);
  await far.engine.cli("run", "-d", "--name", "sink", "--network", "none", FIXTURE);
  await eventually("it is listed", async () => await names(berth) === "sink");
  const visitor = new Visitor(
    `${berth.url}/api/containers/sink/exec?cmd=cat&tty=false`,
    undefined,
    [`berth.bearer.${berth.admin}`],
  );
  await eventually("it runs", () => visitor.said("ready").length === 1);

  const sent = "line of input\n".repeat(20_000);
  for (let at = 0; at < sent.length; at += 7_000) {
    visitor.wire.send(new TextEncoder().encode(sent.slice(at, at + 7_000)));
  }
  visitor.wire.send(JSON.stringify({ type: "eof" }));

  await bounded("the command", visitor.closed);
  assert.equal(visitor.output, sent);
  assert.equal(visitor.said("exit")[0]?.code, 0);
  await far.engine.cli("rm", "-f", "sink");
});

onFar("a call that needs a new connection over a cut link ends in time (F120)", async (far) => {
  const { client } = far;
  const [ca, cert, key] = await Promise.all(
    [client.ca, client.cert, client.key].map((path) => Deno.readTextFile(path)),
  );
  using engine = new Engine("far", { kind: "tls", host: far.host, port: 2376, files: client });
  engine.present({ ca: ca!, cert: cert!, key: key! });
  await engine.greet();
  await far.cut();
  try {
    const read = engine.text(at`/version`, { doing: "read it", firstByteMs: 200 });
    const change = engine.post(at`/volumes/create`, { doing: "change it", body: {}, firstByteMs: 200 });
    await assert.rejects(read, { code: "engine_timeout" });
    await assert.rejects(change, { code: "engine_timeout" });
    const stream = engine.connect({ doing: "follow it" });
    engine.drop();
    await assert.rejects(stream, { code: "runtime_unavailable" });
  } finally {
    await far.mend();
  }
});

onFar("certificates that do not fit are told, in one sentence with what to do (F100)", async (far) => {
  const folder = await Deno.makeTempDir();
  await using _tidy = { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
  const stranger = await (await Authority.make(`${folder}/other`)).issue("client", far.host);
  const past = await far.authority.issue("past", far.host, -1);
  const { client } = far;
  await Deno.writeTextFile(`${folder}/text`, "no certificate");
  const mistakes: readonly (readonly [TlsFiles, string, RegExp])[] = [
    [{ ...client, ca: stranger.ca }, "away", /not signed by the authority in "ca": take the file/],
    [{ ...stranger, ca: client.ca }, "away", /does not accept berth's certificate: "cert" must be signed by/],
    [past, "away", /does not accept berth's certificate: .*not have ended/],
    [
      { ...client, key: past.key },
      "refused",
      /the key in ".*" is not that of the certificate in ".*": write all/,
    ],
    [{ ...client, cert: `${folder}/text` }, "refused", /one of them is not PEM: write all three again/],
    [{ ...client, key: `${folder}/none` }, "refused", /"\/.*\/none" is not there: correct the path/],
  ];
  for (const [files, state, sentence] of mistakes) {
    await using berth = await serve(far.url, files);
    const one = await eventually("a reason is told", async () => {
      const one = await told(berth);
      return sentence.test(one.reason ?? "") ? one : Promise.reject(new Error(one.reason));
    });
    assert.equal(one.state, state);
  }
});

onFar(
  "certificates that are renewed are used without a new start, and half of them is not (F100)",
  async (far) => {
    const folder = await Deno.makeTempDir();
    await using _tidy = { [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
    const files = { ca: `${folder}/ca.pem`, cert: `${folder}/cert.pem`, key: `${folder}/key.pem` };
    const copy = (from: TlsFiles, ...parts: (keyof TlsFiles)[]) =>
      Promise.all(parts.map((part) => Deno.copyFile(from[part], files[part])));
    const wrong = await (await Authority.make(`${folder}/other`)).issue("client", far.host);
    await copy(far.client, "ca", "cert", "key");
    await using berth = await serve(far.url, files);
    await eventually("it is up", async () => (await told(berth)).state === "up");

    const next = await far.authority.issue("next", far.host);
    await copy(next, "cert");
    await eventually(
      "half of them is noticed",
      () => berth.logged().some((line) => line.includes("cannot be used")),
    );
    assert.equal((await berth.call("POST /api/volumes", { name: "meanwhile" })).status, 201);
    await copy(next, "key");
    await eventually("both are read", () => berth.logged().some((line) => line.includes("were read again")));
    assert.equal((await berth.call("DELETE /api/volumes/meanwhile")).status, 204);

    await copy(wrong, "cert", "key");
    await eventually(
      "they are read",
      () => berth.logged().filter((line) => line.includes("were read again")).length > 1,
    );
    const refused = await berth.call("POST /api/volumes", { name: "never" });
    assert.deepEqual([refused.status, refused.body.code], [503, "runtime_unavailable"]);
  },
);

/** Returns true if this is a head with all of the body that it announces. */
function isWhole(bytes: Uint8Array): boolean {
  const text = new TextDecoder("latin1").decode(bytes);
  const [, head, body = ""] = /^([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(text) ?? [];
  if (head === undefined) return false;
  return body.length >= Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? 0);
}

/** A TLS server that answers each request with the pieces of `script`, then closes; it counts the requests. */
async function scripted(script: (request: string) => readonly string[] | "hang", kind: Kind = "private CA") {
  const { cert, key, ca } = (await certificates())[kind];
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key });
  const requests: string[] = [];
  const answering = new Set<Promise<void>>();
  const serving = (async () => {
    for await (const conn of listener) {
      const answered = (async () => {
        using _conn = conn;
        const buffer = new Uint8Array(64 * 1024);
        let size = 0;
        while (!isWhole(buffer.subarray(0, size))) { // a head and its body may come apart
          const read = await conn.read(buffer.subarray(size));
          if (read === null) return;
          size += read;
        }
        const request = new TextDecoder().decode(buffer.subarray(0, size));
        const isPing = request.startsWith("GET /_ping");
        if (!isPing) requests.push(request);
        const pieces = isPing
          ? ["HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"]
          : script(request);
        if (pieces === "hang") return void await conn.read(buffer);
        for (const piece of pieces) {
          await conn.write(new TextEncoder().encode(piece));
          if (pieces.length > 1) await new Promise((resolve) => setTimeout(resolve, 5));
        }
      })().catch(() => {}).finally(() => answering.delete(answered));
      answering.add(answered);
    }
  })().catch(() => {});
  const { port } = listener.addr;
  const files = { ca: "", cert: "", key: "" };
  const engine = new Engine("far", { kind: "tls", host: "127.0.0.1", port, files });
  engine.present({ ca, cert, key });
  return {
    engine,
    requests,
    post: (firstByteMs = 10_000) =>
      engine.post(at`/containers/x/start`, {
        doing: "start it",
        body: { text: "ü" },
        maxBytes: 64,
        firstByteMs,
      }),
    [Symbol.asyncDispose]: async () => {
      engine[Symbol.dispose]();
      listener.close();
      await serving;
      await Promise.all(answering);
    },
  };
}

const LENGTH = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhällo".replace("5", "6");
const CHUNKS =
  "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n5;x=y\r\n0\r\n\r\n\r\n0\r\n\r\n";

for (
  const [what, pieces, answer] of [
    ["in one piece", [LENGTH], "true hällo"],
    ["byte by byte", [...LENGTH], "true hällo"],
    ["in chunks that hold what looks like an end", [CHUNKS], "true hi0\r\n\r\n"],
    ["in chunks, byte by byte", [...CHUNKS], "true hi0\r\n\r\n"],
    ["until the connection ends", ["HTTP/1.1 200 OK\r\n\r\nall"], "true all"],
    ["without a body", ["HTTP/1.1 204 No Content\r\n\r\n"], "true "],
    ["304", ["HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"], "false "],
    ["a refusal", [
      'HTTP/1.1 409 Conflict\r\nContent-Length: 22\r\n\r\n{"message":"it is so"}',
    ], 'conflict Cannot start it: engine "far" says "it is so"'],
    ["too long", [`HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n${"x".repeat(40_000)}`], "engine_failed "],
    ["cut in its head", ["HTTP/1.1 200 O"], "runtime_unavailable "],
    ["cut in its body", ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"], "runtime_unavailable "],
    [
      "cut between chunks",
      ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n"],
      "runtime_unavailable ",
    ],
    ["nothing at all", [], "runtime_unavailable "],
    ["what is no HTTP", ["hello\r\n\r\n"], "engine_failed "],
  ] as const
) {
  Deno.test(`a change over TLS is sent exactly once and its answer is understood: ${what}`, async () => {
    await using server = await scripted(() => pieces);
    const said = await server.post().then(
      ({ changed, text }) => `${changed} ${text}`,
      (error) => error instanceof ServiceError ? `${error.code} ${error.message}` : `untyped ${error}`,
    );
    assert.ok(said.startsWith(answer), said);
    assert.equal(server.requests.length, 1);
    assert.match(server.requests[0]!, /^POST \/v1\.41\/containers\/x\/start HTTP\/1\.1\r\n/);
    assert.ok(server.requests[0]!.endsWith('\r\n\r\n{"text":"ü"}'));
  });
}

Deno.test("a change over TLS that is not answered is given up, and not sent again", async () => {
  await using server = await scripted(() => "hang");
  await assert.rejects(server.post(200), { code: "engine_timeout" });
  assert.equal(server.requests.length, 1);
});

Deno.test("a spare connection that the engine closes is not used for a change", async () => {
  await using server = await scripted(() => [LENGTH]);
  for (let number = 0; number < 3; number += 1) {
    server.engine.prepare();
    assert.equal((await server.post()).text, "hällo");
  }
  assert.equal(server.requests.length, 3);
});

Deno.test("a spare connection whose greeting is never answered is given up with its credentials and its engine", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { cert, key, ca } = (await certificates())["private CA"];
  const address = { kind: "tls", host: "127.0.0.1", port: listener.addr.port } as const;
  using engine = new Engine("far", { ...address, files: { ca: "", cert: "", key: "" } });
  for (const _credentials of ["first", "next"]) {
    engine.present({ ca, cert, key });
    engine.prepare();
    using conn = await bounded("another one is opened", listener.accept(), 5_000);
    assert.notEqual(await conn.read(new Uint8Array(64 * 1024)), null, "it greets");
  }
  // Anything left of the last one once the engine is disposed of fails this test.
});

for (
  const [kind, sentence] of [
    ["expired", /its certificate has ended: renew it on its host$/],
    ["wrong host", /its certificate is for another name: use a name or an address that is in it$/],
  ] as const
) {
  Deno.test(`an engine whose certificate is that of the kind "${kind}" is told so, and nothing is sent to it (F100)`, async () => {
    await using server = await scripted(() => [LENGTH], kind);
    await assert.rejects(server.engine.greet(), sentence);
    await assert.rejects(server.engine.connect({ doing: "reach it" }), sentence);
    assert.deepEqual(server.requests, []);
  });
}

/** Pulls from engines that lie, break off, fall silent or go on for ever: no failure ever looks like success. */

import assert from "node:assert/strict";
import type { BuildOrder, BuildSpec } from "../../core/engine_acts.ts";
import { Engine } from "../../engines/calls/engine.ts";
import type { Link } from "../../engines/links/link.ts";
import { LinkActs } from "../../plugins/containers/acts/engine_acts.ts";
import type { PullRules } from "../../plugins/containers/backends/logins.ts";
import type { Inspections } from "../../plugins/containers/containers/inspected.ts";
import { build } from "../../plugins/containers/images/build.ts";
import { bounded } from "../support/bounded.ts";
import { eventually } from "../support/eventually.ts";
import { quiet } from "../support/quiet_engine.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { CHUNKED, LAST_CHUNK, type ScriptedCall, ScriptedEngine } from "../support/scripted_engine.ts";

const REFERENCE = "registry.example/app:1";
const IMAGE = { Id: `sha256:${"a".repeat(64)}`, RepoTags: [REFERENCE] };

function chunk(text: string): string {
  return `${new TextEncoder().encode(text).byteLength.toString(16)}\r\n${text}\r\n`;
}

/** An engine that answers a pull with `pull`, and afterwards has the image if `has` says so. */
function pulling(pull: (call: ScriptedCall) => Promise<void>, has = false): ScriptedEngine {
  let pulled = false;
  return new ScriptedEngine(async (call) => {
    if (call.path.startsWith("/images/create")) {
      await pull(call);
      pulled = true;
    } else if (call.path.startsWith("/images/registry.example")) {
      await (pulled && has ? call.json(IMAGE) : call.json({ message: "No such image" }, 404));
    } else await quiet(call);
  });
}

async function pull(app: TestService, headers: Record<string, string> = {}) {
  return await app.call("POST /api/images/pull", { reference: REFERENCE }, { headers });
}

const failures: {
  readonly what: string;
  readonly code: string;
  readonly status: number;
  readonly body: string;
}[] = [
  {
    what: "reports an error",
    code: "pull_failed",
    status: 502,
    body: chunk('{"errorDetail":{"message":"disk full"},"error":"disk full"}\n'),
  },
  {
    what: "reports an error without a newline",
    code: "pull_failed",
    status: 502,
    body: chunk('{"error":"disk full"}'),
  },
  {
    what: "reports a refusal",
    code: "pull_refused",
    status: 403,
    body: chunk('{"error":"unauthorized: authentication required"}\n'),
  },
  {
    what: "reports an image that is not there",
    code: "image_not_found",
    status: 404,
    body: chunk('{"error":"manifest unknown"}\n'),
  },
  {
    what: "reports nothing and has no image",
    code: "pull_failed",
    status: 502,
    body: chunk('{"status":"Status: Downloaded newer image"}\n'),
  },
  { what: "answers nothing at all", code: "pull_failed", status: 502, body: "" },
  {
    what: "answers nonsense",
    code: "pull_failed",
    status: 502,
    body: chunk("\x00\x1e<html>[1,2]\nnull\n7\n"),
  },
];
for (const { what, code, status, body } of failures) {
  Deno.test(`POST /api/images/pull fails as ${code} when the engine ${what} (F87)`, async () => {
    await using engine = pulling(({ write }) => write(`${CHUNKED}${body}${LAST_CHUNK}`));
    await using app = await serveEngines({ one: engine });

    const refused = await pull(app);

    assert.deepEqual([refused.status, refused.body.code], [status, code], refused.text);
  });
}

Deno.test("POST /api/images/pull cut at any point of its progress is a failure, although the image is there (F15, F29)", async () => {
  const whole = `${CHUNKED}${chunk('{"status":"Pulling","id":"1"}\n')}${chunk('{"status":"Done"}\n')}`;
  let cut = CHUNKED.length;
  await using engine = pulling(({ write }) => write(whole.slice(0, cut)), true);
  await using app = await serveEngines({ one: engine });
  for (; cut <= whole.length; cut += 5) {
    const { status, body, text } = await pull(app);
    assert.deepEqual([status, body.code], [502, "pull_failed"], `${cut}: ${text}`);
  }
});

Deno.test("POST /api/images/pull ends a stream with the error that came after its progress began (F29)", async () => {
  await using engine = pulling(({ write }) =>
    write(
      `${CHUNKED}${
        chunk('{"status":"Downloading","id":"layer","progressDetail":{"current":5,"total":10}}\n')
      }${chunk('{"errorDetail":{"message":"no space left on device"}}\n')}${LAST_CHUNK}`,
    )
  );
  await using app = await serveEngines({ one: engine });

  const { status, text } = await pull(app, { accept: "application/x-ndjson" });

  const frames = text.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(status, 200);
  assert.deepEqual(frames[0], { layer: "layer", status: "Downloading", current: 5, total: 10 });
  assert.equal(frames.at(-1).error.code, "pull_failed");
  assert.match(frames.at(-1).error.title, /no space left/);
  const { body } = await app.call("GET /api/system/audit?action=POST%20/api/images/pull");
  const told = body.items.map((
    one: { result: string; particulars: unknown },
  ) => [one.result, one.particulars]);
  const reference = { reference: REFERENCE };
  assert.deepEqual(
    told,
    [["pull_failed", reference], ["begun", reference]],
    "the audit log tells its real end",
  );
});

Deno.test("progress of a pull never names the tag as a layer, as Docker's own does", async () => {
  await using engine = pulling(
    ({ write }) =>
      write(
        `${CHUNKED}${chunk('{"status":"Pulling from app","id":"1"}\n')}${
          chunk('{"status":"Pull complete","id":"0a1b2c3d4e5f"}\n')
        }${LAST_CHUNK}`,
      ),
    true,
  );
  await using app = await serveEngines({ one: engine });

  const { text } = await pull(app, { accept: "application/x-ndjson" });

  const frames = text.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(frames.slice(0, 2).map(({ layer }) => layer), [null, "0a1b2c3d4e5f"]);
});

for (const accept of ["application/json", "application/x-ndjson", "text/event-stream"]) {
  Deno.test(`leaving a pull (${accept}) cancels it at the engine`, async () => {
    let ended = false;
    await using engine = pulling(async ({ write, conn }) => {
      await write(`${CHUNKED}${chunk('{"status":"Downloading","id":"layer"}\n')}`);
      await conn.read(new Uint8Array(1)).catch(() => null);
      ended = true;
    });
    await using app = await serveEngines({ one: engine });
    const leaving = new AbortController();
    const answer = app.fetch("POST /api/images/pull", { reference: REFERENCE }, {
      headers: { accept },
      signal: leaving.signal,
    }).then((response) => response.text());
    const refused = assert.rejects(answer);
    await eventually("the pull began", () => engine.calls.some((call) => call.includes("/images/create")));

    leaving.abort();

    await refused;
    await eventually("the engine's connection is closed", () => ended);
  });
}

Deno.test("a pull sends its credentials in its own call only, for the reference's registry (R55)", async () => {
  const sent: { path: string; auth: string }[] = [];
  await using engine = new ScriptedEngine(async (call) => {
    const [, auth] = /^x-registry-auth: (.*)$/im.exec(call.head) ?? [];
    if (auth !== undefined) sent.push({ path: call.path.replace(/\?.*/, ""), auth: auth.trim() });
    if (call.path.startsWith("/images/create")) await call.write(`${CHUNKED}${LAST_CHUNK}`);
    else if (call.path.startsWith("/images/registry.example")) await call.json(IMAGE);
    else await quiet(call);
  });
  await using app = await serveEngines({ one: engine });

  const { status } = await app.call("POST /api/images/pull", {
    reference: REFERENCE,
    auth: { username: "ann", password: "pässword?>" },
  });

  assert.equal(status, 200);
  assert.deepEqual(sent.map(({ path }) => path), ["/images/create"]);
  const bytes = Uint8Array.fromBase64(sent[0]?.auth ?? "", { alphabet: "base64url" });
  assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes)), {
    username: "ann",
    password: "pässword?>",
    serveraddress: "registry.example",
  });
});

Deno.test("a pull survives lines without end and progress of impossible sizes", async () => {
  await using engine = pulling(async ({ write }) => {
    await write(CHUNKED);
    const long = "x".repeat(64 * 1024);
    for (let count = 0; count < 64; count++) await write(chunk(long));
    await write(chunk('\n{"status":"ok","progressDetail":{"current":-1,"total":1e400}}\n'));
    await write(LAST_CHUNK);
  }, true);
  await using app = await serveEngines({ one: engine });

  const { text } = await pull(app, { accept: "application/x-ndjson" });

  const frames = text.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(frames[0], { layer: null, status: "ok", current: null, total: null });
  assert.equal(frames.at(-1).done.id, IMAGE.Id);
});

const buildOf = (signal: AbortSignal): BuildOrder => {
  const spec = {
    tags: ["app:1"],
    args: {},
    labels: {},
    extraHosts: [],
    cacheFrom: [],
  } as unknown as BuildSpec;
  return {
    spec,
    place: {} as BuildOrder["place"],
    context: new Blob(["a tar"]).stream(),
    signal,
    progress: () => {},
  };
};
const STEP = chunk('{"stream":"Step 1/2 : FROM scratch\\n"}\n');

Deno.test("a pull or a build of an apply whose connection breaks off counts as an engine that is away", async () => {
  await using scripted = pulling(({ write }) => write(`${CHUNKED}${STEP}`), true);
  const { script } = scripted;
  await using broken = new ScriptedEngine(async (call) =>
    call.path.startsWith("/build") ? await call.write(`${CHUNKED}${STEP}`) : await script(call)
  );
  using engine = new Engine("docker", { kind: "unix", path: broken.socket });
  const link = { engine, mirror: { images: { touch: () => {} } } } as unknown as Link;
  const logins = { find: () => Promise.resolve(undefined) };
  const acts = new LinkActs(link, {} as Inspections, { registries: null, logins } as unknown as PullRules);
  const { signal } = new AbortController();
  const order = { platform: "", digest: null, loginFor: () => undefined, signal, progress: () => {} };

  for (
    const act of [() => acts.pull({ ...order, reference: REFERENCE }), () => acts.build(buildOf(signal))]
  ) {
    await assert.rejects(act, (error: Error) => {
      assert.match(error.message, /the engine's answer was cut short/);
      return acts.isAway(error);
    });
  }
});

Deno.test("a build over a connection that may be half open ends once no byte comes any more", async () => {
  const begun = Promise.withResolvers<void>();
  await using scripted = new ScriptedEngine(async ({ write, conn }) => {
    await write(`${CHUNKED}${STEP}`);
    begun.resolve();
    await conn.read(new Uint8Array(1)).catch(() => null);
  });
  using engine = new Engine("docker", { kind: "unix", path: scripted.socket });
  let isOver = false;
  const order = buildOf(new AbortController().signal);
  const built = assert.rejects(
    build(engine, "podman", order, 30).finally(() => isOver = true),
    { code: "engine_timeout" },
  );
  await begun.promise;
  await new Promise((done) => setTimeout(done, 60));
  assert.equal(isOver, false, "a step may say nothing for long");

  engine.silent("2026-01-01T00:00:00Z");

  await bounded("the end of the build", built);
});

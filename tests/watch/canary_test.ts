/** Promise: a secret in environment, label and log is in no message of any kind, and in no file of the data folder. */
import assert from "node:assert/strict";
import { compose, workspace } from "../streams/live_scene.ts";
import { type EngineKind, FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { mailServerMissing, startMailServer } from "../support/mail_server.ts";
import { serveEngines } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

const CANARY = "canary-7d1e40bb";
const KINDS = ["webhook", "ntfy", "slack", "apprise"] as const;
const TIMES = { beginMs: 0, tickMs: 100, wellMs: 1_000, notices: { tickMs: 50, foldMs: 0 } };

if (mailServerMissing !== null) console.error(`NOT RUN: a canary in mail, because ${mailServerMissing}`);

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  test(
    "a secret in environment, label and log is in no message of any kind, and in no file",
    (engine) => isNowhere(kind, engine),
  );
}

async function isNowhere(on: EngineKind, engine: TestEngine): Promise<void> {
  const taken = new Map<string, string>();
  await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const [, kind = ""] = new URL(request.url).pathname.split("/");
    const all = `${JSON.stringify([...request.headers])} ${await request.text()}`;
    taken.set(kind, `${taken.get(kind) ?? ""}${all}`);
    return new Response(null, { status: 204 });
  });
  await using stack = new AsyncDisposableStack();
  const mail = mailServerMissing === null ? stack.use(await startMailServer({ tls: "none" })) : null;
  await using berth = await serveEngines({ [on]: engine }, { watchTimes: TIMES });
  await eventually("berth watches", () => berth.berth.store.incidents.wasWatched());
  const targets: Record<string, string> = Object.fromEntries(
    KINDS.map((kind) => [kind, `http://127.0.0.1:${receiver.addr.port}/${kind}/topic`]),
  );
  if (mail !== null) targets["mail"] = `smtp://127.0.0.1:${mail.port}?from=a@b.c&to=d@e.f&tls=no`;
  for (const [kind, address] of Object.entries(targets)) {
    const made = await berth.call("POST /api/notices", { name: kind, kind, address, afterS: 0 });
    assert.equal(made.status, 201, made.text);
  }
  const script = `echo "password=${CANARY}"; echo "$$API_TOKEN"; echo "DB_PASSWORD=${CANARY}" >&2; ` +
    "until test -f /go; do sleep 0.1; done; exit 3";
  const text = (canary: string) =>
    `services:\n  web:\n    image: "${FIXTURE}"\n    command: [sh, -c, '${script}']\n` +
    `    environment: { API_TOKEN: "${canary}", DB_PASSWORD: "${canary}" }\n` +
    `    labels: { "app.password": "${canary}", "app.note": "${canary}" }\n`;
  const { id, path } = await workspace(berth, "told", text(CANARY));
  assert.equal(await compose(engine, path, "up", "-d"), "");
  const toldAll = (words: string) =>
    eventually(`all are told: ${words}`, () => {
      const texts = [...KINDS.map((kind) => taken.get(kind) ?? ""), ...mail === null ? [] : [mailText()]];
      return texts.every((one) => one.includes(words));
    });
  const mailText = () => (mail?.taken ?? []).map((one) => one.text).join("\n");
  // Its values differ: fields are told by their names alone.
  await Deno.writeTextFile(`${path}/compose.yaml`, text(`${CANARY}-2`));
  await eventually("it differs", async () => {
    const { items } = (await berth.call("GET /api/incidents?state=open&kind=differs")).body;
    return items.length === 1 && items[0].fields.length > 0;
  });
  const container = (await engine.cli("ps", "-q", "--filter", "name=told")).trim();
  await engine.cli("exec", container, "touch", "/go").catch(() => {}); // it may end before it is told
  await toldAll("told.web");
  await toldAll("broken");
  await eventually("its words are kept", async () => {
    const { items } = (await berth.call(`GET /api/endings?workspace=${id}`)).body;
    return items[0]?.words === "kept";
  });
  for (const [kind, all] of [...taken, ["mail", mailText()] as const]) {
    assert.ok(!all.includes(CANARY), `${kind}: ${all.slice(0, 2_000)}`);
  }
  let files = 0;
  for await (const path of filesIn(`${berth.folder}/data`)) {
    const bytes = new TextDecoder("latin1").decode(await Deno.readFile(path));
    assert.ok(!bytes.includes(CANARY), path);
    files++;
  }
  assert.ok(files > 0, "there is a store");
  assert.ok(!berth.logged().join("\n").includes(CANARY), "the log of berth");
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isFile, isDirectory } of Deno.readDir(folder)) {
    if (isFile) yield `${folder}/${name}`;
    if (isDirectory) yield* filesIn(`${folder}/${name}`);
  }
}

/** The sentences of the audit log: one for each request that berth audits, with its own parts in it. */
import assert from "node:assert/strict";
import { actions, actionsOf, kindOf, KINDS } from "../../page/parts/audit_kinds.ts";
import { sentenceOf } from "../../page/parts/audit_sentence.ts";
import { audited as german } from "../../page/words/de_audit.ts";
import { audited as english } from "../../page/words/en_audit.ts";
import { startService } from "../support/service.ts";

/** Sockets that change nothing and are not audited. */
const READING = ["/api/live", "/api/containers/{id}/stats", "/api/terminal/compose-logs"];

Deno.test("every request that can change something has a sentence, and no sentence is of another", async () => {
  await using berth = await startService();
  const { paths } = (await berth.call("GET /api/openapi.json")).body;
  const routes = Object.entries<Record<string, object>>(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      if ("x-websocket" in operation) return READING.includes(path) ? [] : [`WS ${path}`];
      return ["post", "put", "delete", "patch"].includes(method) ? [`${method.toUpperCase()} ${path}`] : [];
    })
  );
  const said = Object.keys(english).filter((action) => action.includes(" "));
  assert.deepEqual(
    routes.filter((route) => !said.includes(route)),
    [],
    "say these in page/words/en_audit.ts",
  );
  assert.deepEqual(said.filter((action) => !routes.includes(action)), [], "no such request");
  const partsIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  for (const [action, sentence] of Object.entries(english)) {
    assert.deepEqual(partsIn(german[action as keyof typeof german]), partsIn(sentence), action);
  }
});

Deno.test("every act with a sentence is of one kind, and each kind fits into one question", () => {
  assert.deepEqual(actions().filter((action) => kindOf(action) === null), []);
  assert.deepEqual([...new Set(actions().map(kindOf))].sort(), [...KINDS].sort());
  for (const kind of KINDS) assert.ok(actionsOf(kind).length <= 100, kind); // as many as the service takes
  assert.deepEqual([kindOf("POST /api/newer"), kindOf("constructor")], [null, null]);
});

Deno.test("a sentence names what was acted on, decoded, and a path whole", () => {
  const of = (action: string, target: string | null, particulars = {}) =>
    sentenceOf({ action, target, particulars });
  assert.equal(
    of("POST /api/containers/{id}/start", "/api/containers/web/start"),
    "started the container web",
  );
  assert.equal(of("POST /api/projects/{id}/plan", "/api/projects/shop%40home/plan"), "planned shop@home");
  assert.equal(
    of("PUT /api/workspaces/{id}/files/{path}", "/api/workspaces/home/files/shop/compose.yaml"),
    "saved shop/compose.yaml in home",
  );
  assert.equal(of("POST /api/images/pull", "/api/images/pull", { reference: "nginx:1" }), "pulled nginx:1");
  assert.equal(of("POST /api/system/prune", null, { dryRun: "true" }), "listed what is not in use");
  assert.equal(of("POST /api/system/prune", null, { plan: "1" }), "removed what is not in use");
  const to = "d12b2364".padEnd(40, "0");
  assert.equal(
    of("source.sync", "/api/workspaces/home/source", { workspace: "home", to }),
    "brought the folder home to commit d12b2364",
  );
  assert.equal(of("apply container.swap", "shop-web-1"), "in an apply: Replace shop-web-1");
  const until = { until: "2026-01-01T00:00:00Z" };
  const muted = (particulars: object) => of("POST /api/mutes", "/api/mutes", { ...particulars, ...until });
  assert.equal(muted({ on: "project:shop" }), "muted project:shop until 2026-01-01T00:00:00Z");
  assert.equal(
    muted({ on: "project:shop", unit: "web" }),
    "muted web of project:shop until 2026-01-01T00:00:00Z",
  );
  assert.equal(muted({ incident: "7" }), "muted the incident 7 until 2026-01-01T00:00:00Z");
  assert.equal(of("DELETE /api/containers/{id}", null), "removed the container …");
  assert.equal(of("POST /api/newer", null), null);
});

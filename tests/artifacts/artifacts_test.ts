/** Artifacts over HTTP: lists, details, validation with unsaved edits, drawings, and what they refuse. */
import assert from "node:assert/strict";
import Ajv from "npm:ajv@8.17.1";
import { startService, type TestService } from "../support/service.ts";

const SHOP = `name: shop
services:
  # the shop window
  web: # public
    image: nginx:1.27
    depends_on:
      - db
    environment:
      PASSWORD: hunter2
  db:
    image: postgres:17
`;

/** A workspace of the given files; its id is the name. */
async function register(berth: TestService, files: Record<string, string>, name = "work"): Promise<string> {
  const path = `${berth.folder}/workspaces/${name}`;
  for (const [file, text] of Object.entries(files)) {
    await Deno.mkdir(`${path}/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${path}/${file}`, text);
  }
  const made = await berth.call("POST /api/workspaces", { path });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

Deno.test("GET artifacts lists groups, units and cards, narrowed by kind and text, with a tag that lasts", async () => {
  await using berth = await startService();
  const id = await register(berth, {
    "compose.yaml": SHOP,
    "c.card.yaml":
      "apiVersion: berth/v1\nkind: Card\nmetadata: { name: shop-card }\nspec: { subject: group:shop }\n",
  });

  const all = await berth.call(`GET /api/workspaces/${id}/artifacts`);
  assert.deepEqual(all.body.items.map((item: { id: string }) => item.id), [
    "group:shop",
    "unit:shop.web",
    "unit:shop.db",
    "card:shop-card",
  ]);
  assert.equal(all.body.total, 4);
  assert.match(all.body.revision, /^sha256:/);
  assert.deepEqual(all.body.items[1].source, { file: "compose.yaml", line: 4, column: 3 });
  const units = await berth.call(`GET /api/workspaces/${id}/artifacts?kind=unit&q=POSTGRES`);
  assert.deepEqual(units.body.items.map((item: { id: string }) => item.id), ["unit:shop.db"]);
  const again = await berth.call(`GET /api/workspaces/${id}/artifacts`, undefined, {
    headers: { "if-none-match": all.headers.get("etag") ?? "" },
  });
  assert.equal(again.status, 304);
  assert.equal((await berth.call(`GET /api/workspaces/${id}/artifacts?kind=pod`)).status, 400);
  assert.equal((await berth.call("GET /api/workspaces/none/artifacts")).body.code, "workspace_not_found");
});

Deno.test("GET a unit answers the author's own text, comments and all, and references both ways (R15)", async () => {
  await using berth = await startService();
  const id = await register(berth, { "compose.yaml": SHOP });

  const web = await berth.call(`GET /api/workspaces/${id}/artifacts/units/shop.web`);
  assert.equal(
    web.body.yaml,
    "  # the shop window\n  web: # public\n    image: nginx:1.27\n    depends_on:\n      - db\n    environment:\n      PASSWORD: ********\n",
  );
  assert.deepEqual(web.body.environment, [
    { name: "PASSWORD", value: "********", from: "environment", file: "compose.yaml" },
  ]);
  const { source, ...reference } = web.body.references[0];
  assert.deepEqual(reference, {
    kind: "depends_on",
    under: "depends_on",
    written: "db",
    target: "unit:shop.db",
    resolved: true,
    implicit: false,
    condition: "service_started",
    required: true,
  });
  assert.deepEqual([source.range.start.line, source.range.start.column], [7, 9]);
  const db = await berth.call(`GET /api/workspaces/${id}/artifacts/units/db`);
  assert.deepEqual(
    db.body.referencedBy.map(({ kind, from }: { kind: string; from: string }) => [kind, from]),
    [
      ["depends_on", "unit:shop.web"],
    ],
  );
  const group = await berth.call(`GET /api/workspaces/${id}/artifacts/groups/shop`);
  assert.deepEqual(group.body.units, ["unit:shop.web", "unit:shop.db"]);
  assert.equal(group.body.yaml, SHOP.replace("hunter2", "********"));
});

Deno.test("a bare name that fits several units is refused with all of them, an unknown one is not found", async () => {
  await using berth = await startService();
  const id = await register(berth, {
    "a/compose.yaml": SHOP.replace("shop", "a"),
    "b/compose.yaml": SHOP.replace("shop", "b"),
  });

  const several = await berth.call(`GET /api/workspaces/${id}/artifacts/units/web`);
  assert.deepEqual([several.status, several.body.code], [409, "ambiguous_name"]);
  assert.deepEqual(several.body.errors.map(({ message }: { message: string }) => message), [
    "unit:a.web",
    "unit:b.web",
  ]);
  for (const path of ["units/nobody", "groups/nobody", "cards/nobody"]) {
    const none = await berth.call(`GET /api/workspaces/${id}/artifacts/${path}`);
    assert.deepEqual([none.status, none.body.code], [404, "artifact_not_found"]);
  }
});

Deno.test("POST validate names the line and column of a broken line, and lays unsaved files over the folder", async () => {
  await using berth = await startService();
  const id = await register(berth, { "compose.yaml": SHOP });
  const validate = (body?: unknown, query = "") =>
    berth.call(`POST /api/workspaces/${id}/artifacts/validate${query}`, body);

  const good = await validate();
  assert.deepEqual([good.status, good.body.valid, good.body.summary.error], [200, true, 0]);
  assert.deepEqual([good.body.summary.groups, good.body.summary.units, good.body.summary.edges], [1, 2, 1]);
  const bad = await validate({ files: { "compose.yaml": SHOP.replace("- db", "- bd") } });
  assert.equal(bad.body.valid, false);
  const [first] = bad.body.diagnostics;
  assert.deepEqual([first.code, first.location.range.start, first.location.path], [
    "ref/unknown-service",
    { line: 7, column: 9, offset: SHOP.indexOf("- db") + 2 },
    ["services", "web", "depends_on", 0],
  ]);
  assert.equal(first.message, '"web" needs the undefined service "bd"; did you mean "db"?');
  assert.equal(first.subject, "unit:shop.web");
  assert.equal((await validate()).body.valid, true, "the edit left no trace");
  assert.notEqual(bad.body.revision, good.body.revision);
  assert.equal((await validate({ files: { "../out.yaml": "a: b" } })).body.code, "invalid_request");
  assert.equal((await validate({ file: {} })).body.code, "invalid_request");
});

Deno.test("a workspace inside another one is told so", async () => {
  await using berth = await startService();
  await register(berth, { "compose.yaml": SHOP, "inner/compose.yaml": SHOP });
  const inner = await berth.call("POST /api/workspaces", { path: `${berth.folder}/workspaces/work/inner` });
  const report = await berth.call(`POST /api/workspaces/${inner.body.id}/artifacts/validate`);
  assert.deepEqual(
    report.body.diagnostics.filter(({ code }: { code: string }) => code === "workspace/nested").map((
      { message }: { message: string },
    ) => message),
    ['This folder is inside the workspace "work"'],
  );
});

Deno.test("GET dag answers JSON, Mermaid and DOT, each with a tag that stays until the files change", async () => {
  await using berth = await startService();
  const id = await register(berth, { "compose.yaml": SHOP });
  const types = {
    json: "application/json",
    mermaid: "text/vnd.mermaid; charset=utf-8",
    dot: "text/vnd.graphviz; charset=utf-8",
  };
  for (const [format, type] of Object.entries(types)) {
    const drawn = await berth.call(`GET /api/workspaces/${id}/artifacts/dag?format=${format}`);
    assert.deepEqual([drawn.status, drawn.headers.get("content-type")], [200, type]);
    const headers = { "if-none-match": drawn.headers.get("etag") ?? "" };
    const again = await berth.call(`GET /api/workspaces/${id}/artifacts/dag?format=${format}`, undefined, {
      headers,
    });
    assert.deepEqual([again.status, again.text], [304, ""]);
  }
  const dag = await berth.call(`GET /api/workspaces/${id}/artifacts/dag`);
  assert.deepEqual(dag.body.layers, [["unit:shop.db"], ["unit:shop.web"]]);
  const none = await berth.call(`GET /api/workspaces/${id}/artifacts/dag?group=nobody`);
  assert.equal(none.body.code, "artifact_not_found");
});

Deno.test("without a runtime everything is answered, and nothing is known of what runs", async () => {
  await using berth = await startService({ install: [] });
  const id = await register(berth, { "compose.yaml": SHOP });
  assert.equal((await berth.call(`GET /api/workspaces/${id}/artifacts/units/web`)).body.live, undefined);
  assert.equal((await berth.call(`GET /api/workspaces/${id}/artifacts/dag?live=true`)).status, 200);
  const projects = await berth.call("GET /api/system/tool-projects");
  assert.deepEqual([projects.status, projects.body.total, projects.body.items[0].status], [
    200,
    1,
    "unknown",
  ]);
});

Deno.test("reading artifacts takes the permission artifacts:read", async () => {
  await using berth = await startService();
  const id = await register(berth, { "compose.yaml": SHOP });
  const without = await berth.key(["system:read"]);
  for (
    const route of [
      `GET /api/workspaces/${id}/artifacts`,
      `GET /api/workspaces/${id}/artifacts/units/web`,
      `GET /api/workspaces/${id}/artifacts/dag`,
      `POST /api/workspaces/${id}/artifacts/validate`,
    ]
  ) assert.deepEqual([route, (await without.call(route)).status], [route, 403]);
  assert.equal((await berth.anonymous().call("GET /api/system/tool-projects")).status, 401);
});

/** The schema of the parts of SARIF 2.1.0 that are used here, written from the standard. */
const SARIF = {
  type: "object",
  required: ["version", "runs"],
  properties: {
    version: { const: "2.1.0" },
    $schema: { type: "string", format: "uri" },
    runs: {
      type: "array",
      items: {
        type: "object",
        required: ["tool", "results"],
        properties: {
          columnKind: { enum: ["utf16CodeUnits", "unicodeCodePoints"] },
          tool: {
            type: "object",
            required: ["driver"],
            properties: {
              driver: {
                type: "object",
                required: ["name"],
                properties: {
                  rules: {
                    type: "array",
                    uniqueItems: true,
                    items: {
                      type: "object",
                      required: ["id"],
                      properties: { shortDescription: { type: "object", required: ["text"] } },
                    },
                  },
                },
              },
            },
          },
          results: {
            type: "array",
            items: {
              type: "object",
              required: ["message"],
              properties: {
                ruleIndex: { type: "integer", minimum: 0 },
                level: { enum: ["none", "note", "warning", "error"] },
                message: {
                  type: "object",
                  required: ["text"],
                  properties: { text: { type: "string", minLength: 1 } },
                },
                locations: { type: "array", items: { $ref: "#/definitions/location" } },
                relatedLocations: {
                  type: "array",
                  uniqueItems: true,
                  items: { $ref: "#/definitions/location" },
                },
                codeFlows: {
                  type: "array",
                  items: {
                    type: "object",
                    required: ["threadFlows"],
                    properties: {
                      threadFlows: {
                        type: "array",
                        minItems: 1,
                        items: {
                          type: "object",
                          required: ["locations"],
                          properties: { locations: { type: "array", minItems: 1 } },
                        },
                      },
                    },
                  },
                },
                partialFingerprints: { type: "object", additionalProperties: { type: "string" } },
              },
            },
          },
        },
      },
    },
  },
  definitions: {
    location: {
      type: "object",
      properties: {
        id: { type: "integer", minimum: -1 },
        physicalLocation: {
          type: "object",
          required: ["artifactLocation"],
          properties: {
            artifactLocation: { type: "object", required: ["uri"], properties: { uri: { type: "string" } } },
            region: {
              type: "object",
              properties: {
                startLine: { type: "integer", minimum: 1 },
                startColumn: { type: "integer", minimum: 1 },
                endLine: { type: "integer", minimum: 1 },
                endColumn: { type: "integer", minimum: 1 },
                charOffset: { type: "integer", minimum: -1 },
                charLength: { type: "integer", minimum: 0 },
              },
            },
          },
        },
      },
    },
  },
};

Deno.test("POST validate?format=sarif answers SARIF 2.1.0 with rules, places and the path of a cycle", async () => {
  await using berth = await startService();
  const cycle = "services:\n  a: { image: 'a:1', depends_on: [b] }\n  b: { image: 'b', depends_on: [a] }\n";
  const id = await register(berth, { "my shop/compose.yaml": cycle });
  const answer = await berth.call(`POST /api/workspaces/${id}/artifacts/validate?format=sarif`);
  assert.equal(answer.headers.get("content-type"), "application/sarif+json");
  const isSarif = new Ajv.default({ strict: false, validateFormats: false }).compile(SARIF);
  const valid: boolean = isSarif(answer.body);
  assert.ok(valid, JSON.stringify(isSarif.errors));
  const [run] = answer.body.runs;
  const found = run.results.find(({ ruleId }: { ruleId: string }) => ruleId === "graph/cycle");
  assert.equal(found.level, "error");
  assert.equal(run.tool.driver.rules[found.ruleIndex].id, "graph/cycle");
  const { artifactLocation, region } = found.locations[0].physicalLocation;
  assert.equal(artifactLocation.uri, "my%20shop/compose.yaml");
  assert.deepEqual([region.startLine, region.startColumn], [2, 35]);
  assert.equal(found.codeFlows[0].threadFlows[0].locations.length, 2);
});

Deno.test("GET …/artifacts answers in pages, and a line for each as it is made", async () => {
  await using berth = await startService();
  const services = Array.from({ length: 450 }, (_, index) => `  s${index}: { image: 'a:1' }\n`).join("");
  const id = await register(berth, { "compose.yaml": `services:\n${services}` });

  const whole = (await berth.call(`GET /api/workspaces/${id}/artifacts`)).body;
  const page = (await berth.call(`GET /api/workspaces/${id}/artifacts?limit=3&offset=449`)).body;
  const lines = await berth.call(`GET /api/workspaces/${id}/artifacts?format=ndjson&kind=unit`);

  assert.equal(whole.items.length, 451);
  assert.deepEqual(page, { items: whole.items.slice(449), total: 451, revision: whole.revision });
  assert.equal(lines.headers.get("content-type"), "application/x-ndjson");
  assert.deepEqual(
    lines.text.trimEnd().split("\n").map((line) => JSON.parse(line)),
    whole.items.filter(({ kind }: { kind: string }) => kind === "unit"),
  );
});

/** Secrets in forms of files that are odd, cut or broken, and in the engine's own objects: no answer and no message holds one. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { servedDocuments } from "../support/served_documents.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { formsOf } from "./masked_forms.ts";
import { askAll, hearAll, type Known } from "./masked_places.ts";
import { CANARY, fileOf, SHAPES } from "./masked_shapes.ts";

const { test } = await sharedEngine("docker");

/** Registers a workspace for each form. */
async function registered(berth: TestService): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [at, [name, form]] of formsOf(fileOf(SHAPES, FIXTURE)).entries()) {
    const path = `${berth.folder}/workspaces/form${at}`;
    await Deno.mkdir(path);
    await Deno.writeFile(`${path}/compose.yaml`, form);
    const made = await berth.call("POST /api/workspaces", { path });
    assert.equal(made.status, 201, `${name}: ${made.text}`);
    ids.push(made.body.id);
  }
  return ids;
}

test("a viewer sees no secret of files in any form, in any answer, feed or socket", async (engine) => {
  const secret = `app.token=${CANARY}`;
  const id = (await engine.cli(
    "run",
    "-d",
    "--name",
    "secretive",
    "--network",
    "none",
    "--label",
    secret,
    "-e",
    `DB_PASSWORD=${CANARY}`,
    FIXTURE,
    "sh",
    "-c",
    `sleep 600; echo --password=${CANARY}`,
  )).trim();
  await engine.cli(
    "commit",
    "-c",
    `ENV DB_PASSWORD=${CANARY}`,
    "-c",
    `LABEL ${secret}`,
    "-c",
    `CMD ["redis-cli", "-a", "${CANARY}"]`,
    id,
    "secretive:1",
  );
  await engine.cli("volume", "create", "--label", secret, "secretive");
  await engine.cli("network", "create", "--internal", "--label", secret, "secretive");
  await using berth = await serveEngines({ docker: engine });
  const viewer = await berth.key("viewer");
  const made = await berth.call("POST /api/settings/api-keys", { name: "listens", role: "viewer" });
  const { openapi } = await servedDocuments();
  const workspaces = await registered(berth);
  const { body: { permissions } } = await viewer.call("GET /api/auth/me");
  const { body: projects } = await viewer.call("GET /api/projects");
  const known: Known = (path) => {
    if (path.startsWith("/api/workspaces/{id}/files/")) return workspaces.map((one) => [one, "compose.yaml"]);
    if (path.startsWith("/api/workspaces/{id}/artifacts/units/")) {
      return workspaces.flatMap((one) => [0, 9, 20, 39].map((unit) => [one, `s${unit}`]));
    }
    if (path.startsWith("/api/workspaces/{id}/artifacts/groups/")) {
      return workspaces.map((one, at) => [one, `form${at}`]);
    }
    if (path.startsWith("/api/workspaces/{id}")) return workspaces.map((one) => [one]);
    if (path.startsWith("/api/projects/{id}")) return projects.items.map((one: { id: string }) => [one.id]);
    if (path.startsWith("/api/containers/{id}")) return [[id]];
    if (path.startsWith("/api/images/{id")) return [["secretive:1"]];
    return path.includes("{") ? [["secretive"]] : [[]];
  };

  const answers = await askAll(viewer, openapi, permissions, known);
  const listening = { workspaces, containers: [id] };
  const messages = await hearAll(berth, made.body.key, listening, async () => {
    await engine.cli("exec", id, "sh", "-c", `: --password=${CANARY}`);
    await engine.cli("run", "--rm", "--label", secret, "--network", "none", FIXTURE, "true");
    await eventually("the end is known", async () => {
      return (await viewer.call("GET /api/containers")).body.items.length === 1;
    });
  });
  const audit = await berth.call("GET /api/system/audit?limit=500");

  assert.ok(!audit.text.includes(CANARY));
  for (const line of berth.logged()) assert.ok(!line.includes(CANARY), line);
  console.log(`${workspaces.length} forms, ${answers} answers and ${messages} messages: no canary`);
  await engine.cli("rm", "-f", id);
});

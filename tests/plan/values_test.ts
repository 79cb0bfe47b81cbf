/** Values of variables are shown in fields that an engine shows anyway, unless name, form or a use says that they are secrets. */
import assert from "node:assert/strict";
import { looksPlain } from "../../core/plain_values.ts";
import { namesOf, planted } from "../support/planted_secrets.ts";
import type { TestService } from "../support/service.ts";
import { berthWith, get, type Row } from "./values_scene.ts";

const CLOUD = {
  "cloud/.env": "# versions\nVERSION=31\nMEMORY=512m\nDB_PASSWORD=hunter2\nHOST=cloud.example.org\n",
  "cloud/compose.yaml": `name: cloud
services:
  app:
    image: nextcloud:\${VERSION}-apache
    hostname: \${HOST}
    mem_limit: \${MEMORY}
    user: \${DB_PASSWORD}
    environment: { POSTGRES_PASSWORD: "\${DB_PASSWORD}" }
`,
};

Deno.test("A difference, the reason of a row, the reasons of a plan and a unit tell which value a variable has, and where it is set", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await berthWith(stack, CLOUD, { cloud: ["app"] });
  const { units: [unit], reason } = await get(berth, "/projects/cloud");
  const by = new Map<string, Row>(unit.drift.map((one: Row) => [one.field, one]));
  const version = { name: "VERSION", file: "cloud/.env", line: 2 };
  assert.deepEqual([unit.image, unit.resolved, unit.from], [
    "nextcloud:${VERSION}-apache",
    "nextcloud:31-apache",
    [version],
  ]);
  const image = by.get("image");
  assert.deepEqual([image.declared, image.resolved, image.from], [
    "nextcloud:${VERSION}-apache",
    "nextcloud:31-apache",
    [version],
  ]);
  assert.equal(by.get("hostname").resolved, "cloud.example.org");
  assert.equal(by.get("limits.memory").resolved, "512m");
  assert.equal(by.get("user").resolved, "********");
  const environment = unit.drift.find(({ field }: Row) => field.startsWith("environment"));
  assert.deepEqual([environment.resolved, environment.from], [undefined, undefined]);
  const [first] = unit.drift;
  assert.deepEqual(reason.difference.resolved, first.resolved);

  const plan = (await berth.call("POST /api/projects/cloud/plan", { backend: "one" })).body;
  const why: Row[] = plan.steps.flatMap(({ why }: Row) => why);
  const planned = why.find(({ field }) => field === "image");
  assert.deepEqual([planned.declared, planned.resolved, planned.from], [
    "nextcloud:${VERSION}-apache",
    "nextcloud:31-apache",
    [version],
  ]);
  assert.doesNotMatch(JSON.stringify([unit, plan]), /hunter2/);
});

Deno.test("Values need containers:read on the project, and an unsaved text never tells any", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await berthWith(stack, CLOUD, { cloud: ["app"] });
  const reader = await berth.key(["artifacts:read"]);
  assert.doesNotMatch(JSON.stringify(await get(reader, "/projects/cloud")), /resolved|31-apache|"from"/);
  const made = await berth.call("POST /api/settings/api-keys", {
    name: "engine",
    grants: [{ permissions: ["artifacts:read"] }, { permissions: ["containers:read"], on: ["engine:one"] }],
  });
  assert.doesNotMatch(JSON.stringify(await get(berth.as(made.body.key), "/projects/cloud")), /31-apache/);
  const overlay = { files: { "cloud/compose.yaml": "services:\n  app:\n    image: x:${DB_PASSWORD}\n" } };
  const checked = await berth.call("POST /api/workspaces/all/artifacts/validate?live=true", overlay);
  assert.equal(checked.status, 200, checked.text);
  assert.doesNotMatch(checked.text, /hunter2|resolved/);
});

Deno.test("Showing all values takes artifacts:reveal, and is in the audit log", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await berthWith(stack, CLOUD, { cloud: ["app"] });
  const { units: [unit] } = await get(berth, "/projects/cloud?reveal=true");
  const of = (field: string) => unit.drift.find((one: Row) => one.field.startsWith(field)).resolved;
  assert.deepEqual([of("user"), of("environment"), of("image")], [
    "hunter2",
    "hunter2",
    "nextcloud:31-apache",
  ]);
  const denied = await (await berth.key("operator")).call("GET /api/projects/cloud?reveal=true");
  assert.deepEqual([denied.status, denied.body.code], [403, "forbidden"]);
  const { items } = await get(berth, "/system/audit?limit=20");
  const shown = items.filter(({ action, particulars }: Row) =>
    action === "GET /api/projects/{id}" && particulars.project === "cloud@all"
  );
  assert.equal(shown.length, 1, JSON.stringify(items.slice(0, 3)));
  assert.doesNotMatch(JSON.stringify(await get(berth, "/projects/cloud")), /hunter2/);
});

/** Asks for everything that tells of a project, and returns the texts that are among it. */
async function told(berth: TestService, project: string, texts: readonly string[]): Promise<string[]> {
  const answers = [
    await get(berth, "/projects"),
    await get(berth, `/projects/${project}`),
    await get(berth, "/overview?limit=5000"),
    (await berth.call(`POST /api/projects/${project}/plan`, { backend: "one" })).body,
    await get(berth, `/workspaces/all/artifacts/groups/${project}`),
  ];
  const said = answers.map((one) => JSON.stringify(one)).join("\n");
  return texts.filter((one) => new RegExp(`(?<![A-Za-z0-9])${RegExp.escape(one)}(?![A-Za-z0-9])`).test(said));
}

Deno.test("Of 200 planted secrets in names, forms and uses of one large file none is shown, and all plain values beside them are", async () => {
  await using stack = new AsyncDisposableStack();
  const { env, services, secrets, plain } = planted();
  // Other files of other projects that read the same variables.
  env.push("SHARED='fig77'", "MADE='kiwi77'", "FILED='lime77'");
  secrets.push("fig77", "kiwi77", "lime77");
  services.push(
    "  a:\n    image: 'app:${SHARED}'\n  b:\n    image: 'app:${MADE}'\n",
    "  c:\n    image: 'app:${FILED}'\n    env_file: [c.env]\n",
  );
  const files = {
    ".env": `${env.join("\n")}\n`,
    "c.env": "DB_PASSWORD=${FILED}\n",
    "compose.yaml": `name: main\nservices:\n${services.join("")}secrets:\n  made: { environment: MADE }\n`,
    "other.group.yaml":
      "apiVersion: berth/v1\nkind: Group\nmetadata: { name: other }\nspec:\n  compose: [other.yml]\n  envFiles: [.env]\n",
    "other.yml": 'services:\n  x:\n    image: x\n    environment: { PASSWORD: "${SHARED}" }\n',
  };
  const berth = await berthWith(stack, files, { main: namesOf(services) });
  assert.ok(secrets.length >= 200);
  assert.deepEqual(await told(berth, "main", secrets), []);
  assert.deepEqual(await told(berth, "main", plain), plain);
  const revealed = JSON.stringify(await get(berth, "/projects/main?reveal=true"));
  assert.deepEqual(secrets.filter((one) => !revealed.includes(one)), []);
});

Deno.test("Of the same secrets in small files of many projects none is shown, and all plain values beside them are", async () => {
  await using stack = new AsyncDisposableStack();
  const { env, services, secrets, plain } = planted();
  const files: Record<string, string> = {};
  const projects: Record<string, string[]> = {};
  for (let at = 0; at < services.length; at += 20) {
    const own = services.slice(at, at + 20);
    files[`p${at}/.env`] = `${env.join("\n")}\n`;
    files[`p${at}/compose.yaml`] = `services:\n${own.join("")}`;
    projects[`p${at}`] = namesOf(own);
  }
  const berth = await berthWith(stack, files, projects);
  const found: string[] = [];
  for (const project of Object.keys(projects)) {
    assert.deepEqual(await told(berth, project, secrets), [], project);
    found.push(...await told(berth, project, plain));
  }
  assert.deepEqual([...new Set(found)].sort(), plain.toSorted());
});

Deno.test("Plain values are numbers, versions, paths, hosts, images and a few words, and no random text", () => {
  const values = [
    "31",
    "31-apache",
    "17.2-alpine3.20",
    "true",
    "512m",
    "/srv/data/app",
    "./data",
    "cloud.example.org",
    "Europe/Berlin",
    "ghcr.io/immich-app/immich-server:v1.132.3",
    "https://cloud.example.org/path",
    "127.0.0.1:8080",
    "1000:1000",
    "production",
    "de_DE.UTF-8",
    "unless-stopped",
    `postgres:17@sha256:${"a".repeat(64)}`,
    "release",
  ];
  assert.deepEqual(values.filter((value) => !looksPlain(value)), []);
  const secrets = [
    "i+nxqzyT",
    "a8f3k2b9",
    "550e8400-e29b-41d4-a716-446655440000",
    "d41d8cd98f00b204",
    "correct horse battery staple",
    "https://user:word@host",
    "x?token=abc",
    "nxqzyT",
    "qwrtpsdfg",
    "123456789012",
    "Ds6/AudtRris",
    "Xk7/Qbr",
    "AudtRris",
    "P@ssw0rd",
  ];
  assert.deepEqual(secrets.filter(looksPlain), []);
});

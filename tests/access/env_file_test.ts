/** Plain values of `.env` are shown and edited; secrets of all shapes stay masked in every route, also after an edit. */
import assert from "node:assert/strict";
import { namesOf, planted } from "../support/planted_secrets.ts";
import { keyOn } from "../support/scoped_world.ts";
import { servedDocuments } from "../support/served_documents.ts";
import type { Answer, TestCaller, TestService } from "../support/service.ts";
import { berthWith, get, type Row } from "../plan/values_scene.ts";
import { askAll, type Known } from "./masked_places.ts";

/** A long word stands for itself; a short one is looked for as a whole word. */
const within = (text: string, word: string) =>
  new RegExp(`(?<![A-Za-z0-9])${RegExp.escape(word)}(?![A-Za-z0-9])`).test(text);

Deno.test("A viewer and an operator of one project see none of 200 secrets planted in its files, and all plain values in .env", async () => {
  await using stack = new AsyncDisposableStack();
  const { env, services, secrets, plain } = planted();
  env.push("SHARED='fig77'", "MADE='kiwi77'", "HASH=v1 # was lemon77=lemon78", "NOTED='2.1'");
  secrets.push("fig77", "kiwi77", "lemon78");
  services.push("  a:\n    image: 'app:${SHARED}'\n  b:\n    image: 'app:${MADE}-${HASH}'\n");
  const files = {
    ".env": `${env.join("\n")}\n`,
    "compose.yaml": `name: main\nservices:\n${services.join("")}secrets:\n  made: { environment: MADE }\n`,
    // A project that is out of scope takes one of the values as a password.
    "other.group.yaml":
      "apiVersion: berth/v1\nkind: Group\nmetadata: { name: other }\nspec:\n  compose: [other.yml]\n  envFiles: [.env]\n",
    "other.yml": 'services:\n  x:\n    image: x\n    environment: { PASSWORD: "${SHARED}" }\n',
  };
  const berth = await berthWith(stack, files, { main: namesOf(services) });
  assert.ok(secrets.length >= 200);
  const { openapi } = await servedDocuments();
  const known: Known = (path) => {
    if (path.startsWith("/api/workspaces/{id}/files/")) return [["all", ".env"], ["all", "compose.yaml"]];
    if (path.startsWith("/api/workspaces/{id}/artifacts/units/")) {
      return namesOf(services).map((one) => ["all", one]);
    }
    if (path.startsWith("/api/workspaces/{id}/artifacts/groups/")) return [["all", "main"]];
    if (path.startsWith("/api/workspaces/{id}")) return [["all"]];
    if (path.startsWith("/api/projects/{id}")) return [["main@all"]];
    return path.includes("{") ? [] : [[]];
  };
  const leakIn = (text: string) => secrets.filter((one) => within(text, one)).join() || null;
  for (const role of ["viewer", "operator"]) {
    const caller = await keyOn(berth, "project:main", role);
    const { grants } = await get(caller, "/auth/me");
    const permissions = grants.flatMap((one: Row) => one.permissions);
    const answers = await askAll(caller, openapi, permissions, known, leakIn);
    assert.ok(answers > namesOf(services).length, `${role}: ${answers}`);
    const { text } = await get(caller, "/workspaces/all/files/.env");
    assert.deepEqual(plain.filter((one) => !within(text, one)), [], role);
    assert.match(text, /^NOTED=\*{8}$/m, "no field of an engine shows it");
    assert.match(text, /^HASH=\*{8}$/m);
    if (role === "operator") {
      const plan = await caller.call("POST /api/projects/main/plan", { backend: "one" });
      assert.equal(plan.status, 201);
      assert.equal(leakIn(plan.text), null);
    }
  }
});

const COMPOSE = `name: cloud
services:
  app:
    image: nextcloud:\${VERSION}-apache
    ports: ["\${PORT:-8080}:80"]
    hostname: \${COPY}
    environment: { POSTGRES_PASSWORD: "\${DBP}", TZ: "\${ZONE}" }
  db:
    image: postgres:\${DBP}
`;
const ENV = `# versions
export VERSION=31
PORT="8081" # the door
DBP=changeme
ZONE=Europe/Berlin
COPY=apple-day
ADMIN_TOKEN=apple-day
`;

interface Cloud {
  readonly berth: TestService;
  readonly folder: string;
  read(path?: string, caller?: TestCaller): Promise<Answer>;
  save(text: string, etag: string): Promise<Answer>;
}

async function cloud(
  stack: AsyncDisposableStack,
  files: Readonly<Record<string, string>> = {},
): Promise<Cloud> {
  const berth = await berthWith(stack, { ".env": ENV, "compose.yaml": COMPOSE, ...files }, {
    cloud: ["app"],
  });
  assert.equal((await berth.call("PUT /api/workspaces/all", { editable: true })).status, 200);
  return {
    berth,
    folder: `${berth.folder}/workspaces/all`,
    read: (path = ".env", caller = berth) => caller.call(`GET /api/workspaces/all/files/${path}`),
    save: (text, etag) =>
      berth.call("PUT /api/workspaces/all/files/.env", { text }, { headers: { "if-match": etag } }),
  };
}

const SHOWN = `# versions
export VERSION=31
PORT="8081" # the door
DBP=********
ZONE=********
COPY=********
ADMIN_TOKEN=********
`;

Deno.test("A version and a port in .env are read and edited in place, and the secrets beside them stay", async () => {
  await using stack = new AsyncDisposableStack();
  const { folder, read, save } = await cloud(stack);
  const { body: { text }, headers } = await read();
  assert.equal(text, SHOWN);
  const saved = await save(text.replace("=31", "=32").replace("8081", "8082"), headers.get("etag")!);
  assert.equal(saved.status, 200, saved.text);
  assert.equal(saved.body.text, SHOWN.replace("=31", "=32").replace("8081", "8082"));
  assert.equal(await Deno.readTextFile(`${folder}/.env`), ENV.replace("=31", "=32").replace("8081", "8082"));
  assert.equal(saved.headers.get("etag"), (await read()).headers.get("etag"), "it can be saved again");
});

Deno.test("A save is refused when another file has changed what is masked since the file was read", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, folder, read, save } = await cloud(stack);
  const { body: { text }, headers } = await read();
  await Deno.writeTextFile(
    `${folder}/compose.yaml`,
    COMPOSE.replace("${ZONE}", 'x", DB_PASSWORD: "${VERSION}'),
  );
  await berth.call("POST /api/workspaces/all/artifacts/validate");
  const refused = await save(text.replace("=31", "=32"), headers.get("etag")!);
  assert.deepEqual([refused.status, refused.body.code], [412, "file_changed"], refused.text);
  assert.match((await read()).body.text, /VERSION=\*{8}/);
  assert.equal(await Deno.readTextFile(`${folder}/.env`), ENV);
});

Deno.test("An edit that would take the reason of a mask away is refused, and shows nothing", async () => {
  await using stack = new AsyncDisposableStack();
  const { folder, read, save } = await cloud(stack);
  const { body: { text }, headers } = await read();
  const refused = await save(text.replace(/^ADMIN_TOKEN=.*\n/m, ""), headers.get("etag")!);
  assert.deepEqual([refused.status, refused.body.code], [422, "mask_moved"], refused.text);
  assert.doesNotMatch(refused.text, /apple-day/);
  assert.equal(await Deno.readTextFile(`${folder}/.env`), ENV);
});

const CLOSED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a line that is no variable": { ".env": `${ENV}no variable here\n` },
  "a quote that is never closed": { ".env": `${ENV}LAST="open\n` },
  "a Compose file that cannot be read": { "compose.yaml": `${COMPOSE}\t- broken: [\n` },
  "the file being a secret itself": {
    "compose.yaml": `${COMPOSE}secrets:\n  all: { file: .env }\n`,
  },
  "the file being mounted": {
    "compose.yaml": COMPOSE.replace("    ports", "    volumes: [./.env:/app/.env]\n    ports"),
  },
};

for (const [name, files] of Object.entries(CLOSED)) {
  Deno.test(`Every value of .env is masked because of ${name}`, async () => {
    await using stack = new AsyncDisposableStack();
    const { read } = await cloud(stack, files);
    const { body: { text } } = await read();
    assert.doesNotMatch(text.replace(/#.*/g, ""), /31|8081|changeme|apple|Berlin/, text);
  });
}

Deno.test("Earlier texts of .env, which no workspace has any more, are masked as a whole", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, read, save } = await cloud(stack);
  const { body: { text }, headers } = await read();
  await save(text.replace("=31", "=32"), headers.get("etag")!);
  const { items: [version] } = await get(berth, "/workspaces/all/versions?path=.env");
  const earlier = await get(berth, `/workspaces/all/versions/${version.id}`);
  assert.match(earlier.text, /VERSION=\*{8}\nPORT=\*{8}\nDBP=\*{8}\n/);
});

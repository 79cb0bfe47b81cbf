/** The files that projects name and that declare nothing: listed, shown masked, and saved as all others. */
import assert from "node:assert/strict";
import { secretsInPlain } from "../../artifacts/report/plain_secrets.ts";
import { startService, type TestCaller, type TestService } from "../support/service.ts";

const SECRET = "c4n4ryquill";
const COMPOSE = `name: shop
services:
  web:
    image: nginx:1.27
    env_file: web.env
    volumes:
      - ./conf/nginx.conf:/etc/nginx/nginx.conf:ro
      - ./data:/data
      - ./logo.png:/logo.png
      - ./large.txt:/large.txt
      - ./absent.conf:/absent.conf
      - ./outside.conf:/outside.conf
      - /etc/hostname:/etc/hostname
    secrets: [db]
    configs: [app]
secrets:
  db: { file: ./secrets/db.txt }
configs:
  app: { file: ./conf/app.yml }
`;
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  "compose.yaml": COMPOSE,
  "web.env": `A=${SECRET}0\n`,
  "conf/nginx.conf": `worker_processes 1;\nproxy_set_header X-Api-Key ${SECRET}1;\n`,
  "conf/app.yml": `name: app\ndb:\n  password:\n    ${SECRET}2\n  host: db\n`,
  "secrets/db.txt": `${SECRET}3\n\n${SECRET}4\n`,
  "data/inside.txt": "not named by itself\n",
  "logo.png": new Uint8Array([137, 80, 78, 71, 0, 255, 254]),
  "large.txt": "x".repeat(1024 * 1024 + 1),
};

async function openShop(stack: AsyncDisposableStack): Promise<TestService> {
  const berth = stack.use(await startService({ keepsCaller: true }));
  const folder = `${berth.folder}/workspaces/shop`;
  for (const [path, text] of Object.entries(FILES)) {
    await Deno.mkdir(`${folder}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeFile(
      `${folder}/${path}`,
      typeof text === "string" ? new TextEncoder().encode(text) : text,
    );
  }
  await Deno.writeTextFile(`${berth.folder}/workspaces/other.conf`, SECRET);
  await Deno.symlink("../other.conf", `${folder}/outside.conf`);
  assert.equal((await berth.call("POST /api/workspaces", { path: folder })).status, 201);
  await berth.call("PUT /api/workspaces/shop", { editable: true });
  return berth;
}

const read = (caller: TestCaller, path: string) => caller.call(`GET /api/workspaces/shop/files/${path}`);

Deno.test("Files that a project names are listed with their kind, those that are text below the folder, and read masked", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await openShop(stack);
  const { body } = await berth.call("GET /api/workspaces/shop/files");
  assert.deepEqual(body.items.map(({ path, kind }: Record<string, string>) => [path, kind]), [
    ["compose.yaml", "compose"],
    ["conf/app.yml", "config"],
    ["conf/nginx.conf", "mounted"],
    ["secrets/db.txt", "secret"],
    ["web.env", "env"],
  ]);
  assert.equal((await read(berth, "secrets/db.txt")).body.text, "********\n\n********\n");
  assert.equal(
    (await read(berth, "conf/nginx.conf")).body.text,
    "worker_processes 1;\nproxy_set_header X-Api-Key ********\n",
  );
  assert.equal(
    (await read(berth, "conf/app.yml")).body.text,
    "name: app\ndb:\n  password:\n    ********\n  host: db\n",
  );
  for (const path of ["logo.png", "large.txt", "outside.conf", "data/inside.txt", "absent.conf"]) {
    const { status, body } = await read(berth, path);
    assert.deepEqual([path, status, body.code], [path, 404, "file_not_found"]);
  }
  const shown = await berth.call("GET /api/workspaces/shop/files/secrets/db.txt?reveal=true");
  assert.equal(shown.body.text, FILES["secrets/db.txt"]);
  const viewer = await berth.key("viewer");
  const denied = await viewer.call("GET /api/workspaces/shop/files/secrets/db.txt?reveal=true");
  assert.equal(denied.status, 403);
});

Deno.test("A file that a project names is saved with its secrets put back, keeps its earlier texts, and changes the list", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await openShop(stack);
  const folder = `${berth.folder}/workspaces/shop`;
  const hashOf = async (path: string) =>
    (await berth.call("GET /api/workspaces/shop/files")).body.items
      .find((one: { path: string }) => one.path === path)?.sha256;
  const before = await hashOf("conf/nginx.conf");
  const { body, headers } = await read(berth, "conf/nginx.conf");
  const saved = await berth.call("PUT /api/workspaces/shop/files/conf/nginx.conf", {
    text: body.text.replace("processes 1", "processes 2"),
  }, { headers: { "if-match": headers.get("etag")! } });
  assert.equal(saved.status, 200, saved.text);
  assert.equal(
    await Deno.readTextFile(`${folder}/conf/nginx.conf`),
    `worker_processes 2;\nproxy_set_header X-Api-Key ${SECRET}1;\n`,
  );
  assert.doesNotMatch(saved.text, new RegExp(SECRET));
  assert.notEqual(await hashOf("conf/nginx.conf"), before);
  const versions = await berth.call("GET /api/workspaces/shop/versions?path=conf/nginx.conf");
  const [{ id }] = versions.body.items;
  const version = await berth.call(`GET /api/workspaces/shop/versions/${id}`);
  assert.match(version.body.text, /processes 1/);
  assert.doesNotMatch(version.text, new RegExp(SECRET));
  const whole = await read(berth, "secrets/db.txt");
  const again = await berth.call("PUT /api/workspaces/shop/files/secrets/db.txt", { text: "new\n" }, {
    headers: { "if-match": whole.headers.get("etag")! },
  });
  assert.equal(again.status, 200, again.text);
  assert.equal(await Deno.readTextFile(`${folder}/secrets/db.txt`), "new\n");
  assert.equal(again.body.text, "********\n");
  assert.deepEqual(berth.bugs(), []);
});

Deno.test("A caller with one project in scope reads only the files that it names", async () => {
  await using stack = new AsyncDisposableStack();
  const berth = await openShop(stack);
  const other = `${berth.folder}/workspaces/shop/blog`;
  await Deno.mkdir(other);
  await Deno.writeTextFile(`${other}/blog.conf`, "title x\n");
  await Deno.writeTextFile(
    `${other}/compose.yaml`,
    "name: blog\nservices:\n  page:\n    image: page:1\n    volumes: [./blog.conf:/blog.conf]\n",
  );
  const grants = [{ role: "viewer", on: ["project:shop"] }];
  const { body } = await berth.call("POST /api/settings/api-keys", { name: "part", grants });
  const part = berth.as(body.key);
  const { items } = (await part.call("GET /api/workspaces/shop/files")).body;
  assert.ok(items.some(({ path }: { path: string }) => path === "conf/nginx.conf"));
  assert.ok(!items.some(({ path }: { path: string }) => path.startsWith("blog")));
  assert.equal((await read(part, "blog/blog.conf")).status, 404);
  assert.equal((await read(berth, "blog/blog.conf")).status, 200);
});

Deno.test("Secrets in configuration files of many programs are masked whole", () => {
  const texts = [
    `requirepass ${SECRET}`,
    `masterauth "${SECRET}"`,
    `{"db":{"password":"${SECRET}"}}`,
    `<user><password>${SECRET}</password></user>`,
    `password = ${SECRET}`,
    `db_password=${SECRET}`,
    `  auth_token: '${SECRET}'`,
    `secret_key_base:\n  - ${SECRET}\n  - ${SECRET}`,
    `credentials {\n  user x ${SECRET}\n}`,
    `"apiKey":\n   "${SECRET}"`,
    `url = postgres://u:${SECRET}@db/x`,
    `ada:$2y$05$${SECRET}`,
    `ada:$apr1$x$${SECRET}`,
    `Authorization: Bearer ${SECRET}`,
    `salt: ${SECRET}`,
    `set $private ${SECRET};`,
  ];
  for (const text of texts) {
    let shown = "";
    let at = 0;
    for (const [start, end] of secretsInPlain({ path: "app.conf", text })) {
      shown += `${text.slice(at, start)}*`;
      at = end;
    }
    assert.doesNotMatch(shown + text.slice(at), new RegExp(SECRET), text);
  }
  for (const path of [".htpasswd", "db_password.txt", "id_rsa", "tls/server.key", "x.pem", "api-token"]) {
    assert.deepEqual(secretsInPlain({ path, text: "abc" }), [[0, 3]], path);
  }
  assert.deepEqual(secretsInPlain({ path: "nginx.conf", text: "worker_processes 1;\nlisten 80;\n" }), []);
});

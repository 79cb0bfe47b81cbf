/** Whole files of a workspace over HTTP: as they were read, with their secrets masked. */
import assert from "node:assert/strict";
import { BearerAuth, Client } from "@berth/client";
import { WORKSPACE_FILE } from "@berth/client/berth";
import { startService, type TestService } from "../support/service.ts";

const SECRET = "c4n4ry";
const FILES: Readonly<Record<string, string>> = {
  "compose.yaml": `name: shop
services:
  # ask ada for API_TOKEN=${SECRET}01
  web:
    image: nginx:1.27
    environment:
      DB_PASSWORD: "${SECRET}02"
      PLAIN: shown
      URLS: postgres://a:${SECRET}03@db/a redis://:${SECRET}04@cache
      TLS_PRIVATE: |
        ${SECRET}05
        ${SECRET}06
`,
  ".env": `PLAIN=${SECRET}07\n`,
  "deep/ünder <img onerror=1>/compose.yaml": "services:\n  db:\n    image: postgres:17\n",
  "deep/other.txt": `password: ${SECRET}08\n`,
  "data.yaml": `password: ${SECRET}09\n`,
};

/** The id of the workspace of these files. */
async function register(berth: TestService, files = FILES, name = "shop"): Promise<string> {
  const path = `${berth.folder}/workspaces/${name}`;
  for (const [file, text] of Object.entries(files)) {
    await Deno.mkdir(`${path}/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${path}/${file}`, text);
  }
  const made = await berth.call("POST /api/workspaces", { path });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

Deno.test("the files that were read are listed and answered in full, masked, with the place of every mask", async () => {
  await using berth = await startService();
  const id = await register(berth);
  const viewer = await berth.key("viewer");

  const { body: list } = await viewer.call(`GET /api/workspaces/${id}/files`);
  assert.deepEqual(
    list.items.map(({ path, kind }: Record<string, unknown>) => [path, kind]),
    [[".env", "env"], ["compose.yaml", "compose"], ["deep/ünder <img onerror=1>/compose.yaml", "compose"]],
  );
  assert.equal(list.total, 3);
  for (const { path } of list.items) {
    const read = await viewer.call(`GET /api/workspaces/${id}/files/${encodeURIComponent(path)}`);
    assert.equal(read.status, 200, read.text);
    assert.doesNotMatch(read.text, new RegExp(SECRET), path);
    const { text, masked } = read.body;
    assert.equal(text.split("\n").length, FILES[path]!.split("\n").length, "lines stay");
    assert.equal(masked.length, text.split("********").length - 1);
    for (const { start, end } of masked) {
      assert.equal(text.slice(start.offset, end.offset), "********");
      assert.equal(text.split("\n")[start.line - 1].slice(start.column - 1, end.column - 1), "********");
    }
  }
  const compose = (await viewer.call(`GET /api/workspaces/${id}/files/compose.yaml`)).body;
  assert.equal(compose.masked.length, 6);
  assert.match(compose.text, /^ {6}DB_PASSWORD: "\*{8}"\n {6}PLAIN: shown$/m);
  const plain = await viewer.call(
    `GET /api/workspaces/${id}/files/deep/ünder%20%3Cimg%20onerror=1%3E/compose.yaml`,
  );
  assert.equal(plain.body.text, FILES["deep/ünder <img onerror=1>/compose.yaml"]);
  // The client writes the slashes as they are: proxies may refuse %2F.
  const asked: string[] = [];
  using client = new Client({
    baseUrl: berth.url,
    auth: new BearerAuth(berth.admin!),
    fetch: (url, init) => (asked.push(url), fetch(url, init)),
  });
  const params = { id, path: "deep/ünder <img onerror=1>/compose.yaml" };
  assert.equal((await client.get(WORKSPACE_FILE, { params })).json().text, plain.body.text);
  assert.doesNotMatch(asked.join(), /%2F/);
});

Deno.test("a file has a tag that lasts until the file changes", async () => {
  await using berth = await startService();
  const id = await register(berth);
  for (const path of ["files", "files/compose.yaml"]) {
    const route = `GET /api/workspaces/${id}/${path}`;
    const etag = (await berth.call(route)).headers.get("etag") ?? "";
    const headers = { "if-none-match": etag };
    assert.equal((await berth.call(route, undefined, { headers })).status, 304, path);
    const file = `${berth.folder}/workspaces/shop/compose.yaml`;
    await Deno.writeTextFile(file, `${await Deno.readTextFile(file)}# ${path}\n`);
    for (const end = Date.now() + 10_000; Date.now() < end;) {
      if ((await berth.call(route, undefined, { headers })).status === 200) break;
    }
    assert.equal((await berth.call(route, undefined, { headers })).status, 200, path);
  }
});

Deno.test("what was not read is no file of the workspace, wherever it lies and however it is named", async () => {
  await using berth = await startService();
  const id = await register(berth);
  await Deno.writeTextFile(`${berth.folder}/workspaces/outside.yaml`, `secret: ${SECRET}\n`);
  await Deno.symlink("../outside.yaml", `${berth.folder}/workspaces/shop/linked.yaml`);
  for (
    const path of [
      "deep/other.txt",
      "data.yaml",
      "..%2Foutside.yaml",
      "deep%2F..%2Fcompose.yaml",
      "%2Fetc%2Fpasswd",
      "linked.yaml",
      "compose.yaml%2F",
      "none",
    ]
  ) {
    const { status, body } = await berth.call(`GET /api/workspaces/${id}/files/${path}`);
    assert.deepEqual([path, status, body.code], [path, 404, "file_not_found"]);
  }
  assert.equal((await berth.call(`GET /api/workspaces/${id}/files/compose.yaml%00`)).status, 400);
  const none = await berth.call("GET /api/workspaces/none/files/compose.yaml");
  assert.deepEqual([none.status, none.body.code], [404, "workspace_not_found"]);
});

Deno.test("reveal shows the file as it is written to callers who may, and is in the audit log with its path", async () => {
  await using berth = await startService();
  const id = await register(berth);
  const route = `GET /api/workspaces/${id}/files/compose.yaml?reveal=true`;
  const operator = await berth.key("operator");
  const refused = await operator.call(route);
  assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
  assert.doesNotMatch(refused.text, new RegExp(SECRET));
  const { body } = await berth.call(route);
  assert.deepEqual([body.text, body.masked], [FILES["compose.yaml"], []]);
  const { body: audit } = await berth.call("GET /api/system/audit?limit=50");
  const entry = audit.items.find(({ action, result }: Record<string, string>) =>
    action === "GET /api/workspaces/{id}/files/{path...}" && result === "done"
  );
  assert.deepEqual(entry.particulars, { file: "compose.yaml", shown: "secrets" });
});

Deno.test("who holds a project sees its files and no others", async () => {
  await using berth = await startService();
  const id = await register(berth, {
    "shop/compose.yaml": "services:\n  web:\n    image: nginx:1\n",
    "blog/compose.yaml": "services:\n  app:\n    image: ghost:5\n",
  });
  const made = await berth.call("POST /api/settings/api-keys", {
    name: "shop",
    grants: [{ role: "viewer", on: ["project:shop"] }],
  });
  const shop = berth.as(made.body.key);
  const { body } = await shop.call(`GET /api/workspaces/${id}/files`);
  assert.deepEqual(body.items.map(({ path }: { path: string }) => path), ["shop/compose.yaml"]);
  assert.equal((await shop.call(`GET /api/workspaces/${id}/files/shop/compose.yaml`)).status, 200);
  const other = await shop.call(`GET /api/workspaces/${id}/files/blog/compose.yaml`);
  assert.deepEqual([other.status, other.body.code], [404, "file_not_found"]);
});

/** Workspaces over HTTP: registered, listed, fetched, forgotten, and true to what lies on disk. */

import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

const WEB = "services:\n  web:\n    image: nginx:1\n";

async function plantIn(berth: TestService, files: Record<string, string>): Promise<string> {
  const root = `${berth.folder}/workspaces`;
  for (const [path, text] of Object.entries(files)) {
    const full = `${root}/${path}`;
    await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(full, text);
  }
  return root;
}

async function workspace(berth: TestService, id: string) {
  return (await berth.call(`GET /api/workspaces/${id}`)).body;
}

Deno.test("POST /api/workspaces registers a folder, and GET shows what is in it", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, { "Web Shop/compose.yaml": WEB, "Web Shop/.env": "A=1\n" });

  const made = await berth.call("POST /api/workspaces", { path: `${root}/Web Shop` });

  assert.deepEqual([made.status, made.headers.get("location")], [201, "/api/workspaces/web-shop"]);
  assert.deepEqual(
    [made.body.id, made.body.name, made.body.path, made.body.state, made.body.counts],
    ["web-shop", "Web Shop", `${root}/Web Shop`, "ready", { groups: 1, units: 1, cards: 0 }],
  );
  const { files, projects, complete, ...rest } = await workspace(berth, "web-shop");
  assert.equal(complete, true);
  assert.deepEqual(rest, made.body);
  assert.deepEqual(files.map((file: { path: string; kind: string }) => [file.path, file.kind]), [
    [".env", "env"],
    ["compose.yaml", "compose"],
  ]);
  assert.deepEqual(projects, [{
    name: "webshop",
    group: "webshop",
    folder: "",
    files: ["compose.yaml"],
    profiles: [],
    standing: "main",
  }]);
  // Of two replicas the other one reads it, too.
  await eventually("it is listed as it was made", async () => {
    assert.deepEqual((await berth.call("GET /api/workspaces")).body, { items: [made.body], total: 1 });
    return true;
  });
});

Deno.test("GET /api/workspaces answers 304 while nothing changed", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, { "a/compose.yaml": WEB });
  await berth.call("POST /api/workspaces", { path: `${root}/a` });
  let etag = "";
  await eventually("it is read, by both of two replicas", async () => {
    const { body, headers } = await berth.call("GET /api/workspaces");
    etag = headers.get("etag")!;
    const again = await berth.call("GET /api/workspaces", undefined, { headers: { "if-none-match": etag } });
    assert.deepEqual([body.items[0].state, again.status], ["ready", 304]);
    return true;
  });

  await Deno.writeTextFile(`${root}/a/compose.yaml`, `${WEB}  more:\n    image: x:1\n`);
  await eventually("the list shows the new service", async () => {
    const changed = await berth.call("GET /api/workspaces", undefined, {
      headers: { "if-none-match": etag },
    });
    return changed.status === 200 && changed.body.items[0].counts.units === 2;
  });
});

Deno.test("DELETE /api/workspaces/{id} forgets a workspace and touches nothing on disk", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, { "a/compose.yaml": WEB });
  await berth.call("POST /api/workspaces", { path: `${root}/a` });

  assert.equal((await berth.call("DELETE /api/workspaces/a")).status, 204);

  assert.equal(await Deno.readTextFile(`${root}/a/compose.yaml`), WEB);
  assert.equal((await berth.call("GET /api/workspaces")).body.total, 0);
  for (const route of ["GET /api/workspaces/a", "DELETE /api/workspaces/a"]) {
    const refused = await berth.call(route);
    assert.deepEqual([refused.status, refused.body.code], [404, "workspace_not_found"]);
  }
});

Deno.test("POST /api/workspaces refuses a folder twice, also through a link", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, { "a/compose.yaml": WEB });
  await Deno.symlink(`${root}/a`, `${root}/b`);
  await berth.call("POST /api/workspaces", { path: `${root}/a` });

  for (const path of [`${root}/a`, `${root}/b`, `${root}/a/`, `${root}/a/../a`]) {
    const refused = await berth.call("POST /api/workspaces", { path });
    assert.deepEqual([path, refused.status, refused.body.code], [path, 409, "workspace_exists"]);
  }
  assert.equal((await berth.call("GET /api/workspaces")).body.total, 1);
});

Deno.test("two folders of one name get two ids", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, { "a/shop/compose.yaml": WEB, "b/shop/compose.yaml": WEB });
  const ids = [];
  for (const path of [`${root}/a/shop`, `${root}/b/shop`]) {
    ids.push((await berth.call("POST /api/workspaces", { path })).body.id);
  }
  assert.deepEqual(ids, ["shop", "shop-2"]);
});

Deno.test("POST /api/workspaces refuses what lies outside the roots, and tells nothing about it (R42, R45)", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, { "a/compose.yaml": WEB });
  await Deno.symlink("/etc", `${root}/etc`);
  await Deno.symlink("/nowhere/at/all", `${root}/nowhere`);
  const titles = new Set<string>();

  for (
    const path of [
      "/etc",
      "/nowhere",
      "/root/nowhere",
      `${root}/../data`,
      `${root}/etc`,
      `${root}/etc/ssl`,
      `${root}/etc/absent`,
      `${root}/nowhere`,
      `${root}-sibling`,
    ]
  ) {
    const refused = await berth.call("POST /api/workspaces", { path });
    assert.deepEqual([path, refused.status, refused.body.code], [path, 403, "path_refused"]);
    titles.add(refused.body.title);
  }

  assert.equal(titles.size, 1);
  assert.equal((await berth.call("GET /api/workspaces")).body.total, 0);
});

Deno.test("POST /api/workspaces refuses what is no folder, a relative path and unknown fields", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, { "a/compose.yaml": WEB });
  const cases: [body: unknown, status: number, code: string][] = [
    [{ path: `${root}/a/compose.yaml` }, 422, "path_unreadable"],
    [{ path: `${root}/absent` }, 422, "path_unreadable"],
    [{ path: "a" }, 403, "path_refused"],
    [{ path: `${root}/a\0b` }, 403, "path_refused"],
    [{ path: `${root}/a`, nmae: "x" }, 400, "invalid_request"],
    [{}, 400, "invalid_request"],
  ];
  for (const [body, status, code] of cases) {
    const refused = await berth.call("POST /api/workspaces", body);
    assert.deepEqual([body, refused.status, refused.body.code], [body, status, code]);
  }
});

Deno.test("a viewer reads workspaces and registers none", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, { "a/compose.yaml": WEB });
  const viewer = await berth.key("viewer");
  const refused = await viewer.call("POST /api/workspaces", { path: `${root}/a` });
  assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
  assert.deepEqual((await viewer.call("GET /api/workspaces")).body, { items: [], total: 0 });
  assert.equal((await berth.anonymous().call("GET /api/workspaces")).status, 401);
});

Deno.test("files with several hard links are read where an admin allows it, and nothing in the folder can", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, {
    "a/compose.yaml": WEB,
    "a/berth.yaml": "allowHardLinks: true\n",
    "outside.yaml": WEB,
  });
  await Deno.mkdir(`${root}/a/linked`);
  await Deno.link(`${root}/outside.yaml`, `${root}/a/linked/compose.yaml`);
  const made = await berth.call("POST /api/workspaces", { path: `${root}/a` });
  assert.deepEqual([made.body.allowHardLinks, made.body.counts.groups], [false, 1]);
  const { diagnostics } = (await berth.call("POST /api/workspaces/a/artifacts/validate")).body;
  const refused = diagnostics.find(({ code }: { code: string }) => code === "fs/unreadable");
  assert.match(refused.message, /several hard links.*an admin can allow/);

  const operator = await berth.key("operator");
  const denied = await operator.call("PUT /api/workspaces/a", { allowHardLinks: true });
  const allowed = await berth.call("PUT /api/workspaces/a", { allowHardLinks: true });

  assert.deepEqual([denied.status, denied.body.code], [403, "forbidden"]);
  assert.deepEqual([allowed.status, allowed.body.allowHardLinks, allowed.body.counts.groups], [200, true, 2]);
  const back = await berth.call("PUT /api/workspaces/a", { allowHardLinks: false });
  assert.equal(back.body.counts.groups, 1);
  const missing = await berth.call("PUT /api/workspaces/none", { allowHardLinks: true });
  assert.deepEqual([missing.status, missing.body.code], [404, "workspace_not_found"]);
});

Deno.test("GET /api/workspaces answers at once while a folder is read, with what is counted so far", async () => {
  await using berth = await startService({ keepsCaller: true });
  const many = Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [`big/p${index}/compose.yaml`, WEB]),
  );
  const root = await plantIn(berth, { ...many, "small/compose.yaml": WEB });
  await berth.call("POST /api/workspaces", { path: `${root}/small` });
  const reading = berth.call("POST /api/workspaces", { path: `${root}/big` });
  const seen: { state: string; groups: number }[] = [];
  let isDone = false;
  void reading.then(() => isDone = true);
  while (!isDone) {
    const { items } = (await berth.call("GET /api/workspaces")).body;
    const small = items.find(({ id }: { id: string }) => id === "small");
    assert.equal(small.state, "ready");
    const big = items.find(({ id }: { id: string }) => id === "big");
    if (big !== undefined) seen.push({ state: big.state, groups: big.counts.groups });
  }
  assert.equal((await reading).body.counts.groups, 600);
  const under = seen.filter(({ state }) => state === "reading");
  assert.ok(under.length > 0, "nobody was answered while the folder was read");
  assert.deepEqual(
    under.map(({ groups }) => groups),
    under.map(({ groups }) => groups).toSorted((a, b) => a - b),
  );
});

Deno.test("a folder that vanishes is missing, and is ready again when it comes back", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, { "a/compose.yaml": WEB });
  await berth.call("POST /api/workspaces", { path: `${root}/a` });

  await Deno.rename(`${root}/a`, `${root}/away`);
  await eventually("missing", async () => (await workspace(berth, "a")).state === "missing");
  const missing = await workspace(berth, "a");
  assert.deepEqual([missing.counts.units, missing.revision, missing.files], [0, null, []]);

  await plantIn(berth, { "a/compose.yaml": `${WEB}  more:\n    image: x:1\n` });
  await eventually("ready", async () => (await workspace(berth, "a")).counts.units === 2);
  assert.equal((await workspace(berth, "a")).state, "ready");

  // Another folder under the same path, without a moment of absence that anybody saw.
  await Deno.rename(`${root}/a`, `${root}/again`);
  await Deno.rename(`${root}/away`, `${root}/a`);
  await eventually("the first one again", async () => (await workspace(berth, "a")).counts.units === 1);
});

Deno.test("an empty folder is empty until there is something in it", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, { "a/notes.txt": "x" });
  const made = await berth.call("POST /api/workspaces", { path: `${root}/a`, name: "My notes" });
  assert.deepEqual([made.status, made.body.state, made.body.id], [201, "empty", "my-notes"]);
  await plantIn(berth, { "a/deep/compose.yaml": WEB });
  await eventually("ready", async () => (await workspace(berth, "my-notes")).state === "ready");
});

Deno.test("every saved change is seen, and a broken file keeps its last good model", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, { "a/compose.yaml": WEB, "a/b/compose.yaml": WEB });
  await berth.call("POST /api/workspaces", { path: `${root}/a` });
  const first = await workspace(berth, "a");

  await Deno.writeTextFile(`${root}/a/compose.yaml`, "services: [\n");
  const broken = await eventually("stale", async () => {
    const shown = await workspace(berth, "a");
    return shown.files.some((file: { stale: boolean }) => file.stale) ? shown : null;
  });
  assert.equal(broken.counts.units, 2);

  await Deno.writeTextFile(`${root}/a/compose.yaml`, WEB);
  await eventually("as before", async () => (await workspace(berth, "a")).revision === first.revision);

  await plantIn(berth, { "a/c/d/compose.yaml": WEB });
  await eventually("a new folder", async () => (await workspace(berth, "a")).counts.groups === 3);
  await Deno.writeTextFile(`${root}/a/c/d/compose.yaml`, `${WEB}  more:\n    image: x:1\n`);
  await eventually("a change in it", async () => (await workspace(berth, "a")).counts.units === 4);
  await Deno.remove(`${root}/a/b`, { recursive: true });
  await eventually("a folder less", async () => (await workspace(berth, "a")).counts.groups === 2);
});

Deno.test("what a project names in a folder that is not walked is seen when it comes, changes and goes", async () => {
  await using berth = await startService();
  const root = await plantIn(berth, {
    "a/.env": "COMPOSE_FILE=.docker/base.yml\n",
    "a/.docker/base.yml": `${WEB}    env_file: .secrets/web.env\n`,
  });
  await berth.call("POST /api/workspaces", { path: `${root}/a` });
  const found = async () => {
    const { body } = await berth.call("POST /api/workspaces/a/artifacts/validate");
    return body.diagnostics.filter(({ severity }: { severity: string }) => severity !== "info")
      .map(({ code }: { code: string }) => code).join();
  };
  assert.equal(await found(), "file/env-file-missing");

  await plantIn(berth, { "a/.secrets/web.env": "A=1\n" });
  await eventually("the new file is seen", async () => await found() === "");

  await Deno.remove(`${root}/a/.secrets/web.env`);
  await eventually("that it went is seen", async () => await found() === "file/env-file-missing");

  await Deno.writeTextFile(`${root}/a/.docker/new`, WEB.replace("image", "imgae"));
  await Deno.rename(`${root}/a/.docker/new`, `${root}/a/.docker/base.yml`);
  await eventually("the edit is seen", async () => (await found()).includes("schema/unknown-property"));
});

Deno.test("registered workspaces are there after a restart", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-restart-" }));
  try {
    let admin: string;
    {
      await using berth = await startService({ folder });
      admin = berth.admin!;
      const root = await plantIn(berth, { "a/compose.yaml": WEB });
      await berth.call("POST /api/workspaces", { path: `${root}/a` });
    }
    await using berth = await startService({ folder, admin });
    await eventually("the workspace is there, and read", async () => {
      const { items } = (await berth.call("GET /api/workspaces")).body;
      assert.deepEqual(items.map((item: { id: string }) => item.id), ["a"]);
      return items[0].state === "ready";
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

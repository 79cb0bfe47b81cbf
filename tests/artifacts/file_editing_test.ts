/** Files of a workspace that are written to: where an admin allows it, with their secrets, and whole or not at all. */
import assert from "node:assert/strict";
import { BearerAuth, Client, isStatusError } from "@berth/client";
import { WORKSPACE_FILE } from "@berth/client/berth";
import { replaceFile } from "../../artifacts/files/replace_file.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { ServiceError } from "../../core/error.ts";
import { LinkFlipper, startFlipper } from "./link_flipper.ts";
import { ON_SQLITE } from "../support/chosen_store.ts";
import { type Answer, startService, type TestCaller, type TestService } from "../support/service.ts";

const SECONDS = Number(Deno.env.get("BERTH_RACE_SECONDS") ?? "2");
const SECRET = "c4n4ry";
const COMPOSE = `name: shop
services:
  # Orders and customers
  db:
    image: postgres:17
    environment:
      POSTGRES_PASSWORD: ${SECRET}01
      POSTGRES_DB: shop
      TLS_PRIVATE: |
        ${SECRET}02
        ${SECRET}03
    command: ["serve", "--password", "${SECRET}04", "--loud"]
  web:
    image: nginx:1.27 # public
    environment:
      - API_TOKEN=${SECRET}05
      - "URL=redis://:${SECRET}06@cache"
`;
const ENV = `PLAIN=${SECRET}07\nOTHER=${SECRET}08\n`;

class Shop implements AsyncDisposable {
  constructor(readonly berth: TestService, readonly id: string, readonly folder: string) {}

  read(path = "compose.yaml", caller: TestCaller = this.berth): Promise<Answer> {
    return caller.call(`GET /api/workspaces/${this.id}/files/${path}`);
  }

  save(text: string, etag: string, path = "compose.yaml", caller: TestCaller = this.berth): Promise<Answer> {
    const headers = { "if-match": etag };
    return caller.call(`PUT /api/workspaces/${this.id}/files/${path}`, { text }, { headers });
  }

  /** Reads the file, changes the text that is shown of it, and saves that. */
  async edit(change: (text: string) => string, path = "compose.yaml"): Promise<Answer> {
    const { body, headers } = await this.read(path);
    const text = change(body.text);
    assert.notEqual(text, body.text, "the edit changes something");
    return await this.save(text, headers.get("etag")!, path);
  }

  onDisk(path = "compose.yaml"): Promise<string> {
    return Deno.readTextFile(`${this.folder}/${path}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.berth[Symbol.asyncDispose]();
  }
}

async function openShop(
  { editable = true, at, files = {} }: {
    readonly editable?: boolean;
    /** The folder below the root; it is made already. */
    readonly at?: string;
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Promise<Shop> {
  const root = at === undefined ? undefined : at.slice(0, at.lastIndexOf("/"));
  const berth = await startService({ keepsCaller: true, ...root === undefined ? {} : { roots: [root] } });
  const folder = at ?? `${berth.folder}/workspaces/shop`;
  for (const [path, text] of Object.entries({ "compose.yaml": COMPOSE, ".env": ENV, ...files })) {
    await Deno.mkdir(`${folder}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
  const made = await berth.call("POST /api/workspaces", { path: folder });
  assert.equal(made.status, 201, made.text);
  if (editable) await berth.call(`PUT /api/workspaces/${made.body.id}`, { editable: true });
  return new Shop(berth, made.body.id, folder);
}

Deno.test("a workspace is written to only where an admin said so, by callers with workspaces:files, and the audit log tells of both", async () => {
  await using shop = await openShop({ editable: false, files: { "berth.yaml": "editable: true\n" } });
  const { berth, id } = shop;
  const named = await berth.key(["artifacts:read", "workspaces:files"]);
  const operator = await berth.key("operator");
  const etag = (await shop.read()).headers.get("etag")!;
  const text = COMPOSE.replace("postgres:17", "postgres:18");

  const off = await shop.save(text, etag, "compose.yaml", named);
  assert.deepEqual([off.status, off.body.code], [409, "not_editable"]);
  const denied = await operator.call(`PUT /api/workspaces/${id}`, { editable: true });
  const nothing = await berth.call(`PUT /api/workspaces/${id}`, {});
  assert.deepEqual([denied.status, nothing.status], [403, 400]);
  const on = await berth.call(`PUT /api/workspaces/${id}`, { editable: true });
  assert.deepEqual([on.status, on.body.editable, on.body.allowHardLinks], [200, true, false]);
  assert.equal((await shop.save(text, etag, "compose.yaml", operator)).status, 403);
  const saved = await shop.save(text, etag, "compose.yaml", named);
  assert.equal(saved.status, 200, saved.text);
  assert.equal(await shop.onDisk(), text);

  const { body: audit } = await berth.call("GET /api/system/audit?limit=50");
  const told = audit.items.map((
    { action, target, result, particulars }: Record<string, string>,
  ) => [action, target, result, particulars]);
  assert.deepEqual(
    told.find(([action, , result]: string[]) =>
      action === "PUT /api/workspaces/{id}" && result === "done"
    )[3],
    {
      editable: "true",
    },
  );
  const writes = told.filter(([action, , result]: string[]) =>
    action === "PUT /api/workspaces/{id}/files/{path...}" && result !== "forbidden"
  );
  assert.deepEqual(writes.map(([, target, result]: string[]) => [target, result]), [
    [`/api/workspaces/${id}/files/compose.yaml`, "done"],
    [`/api/workspaces/${id}/files/compose.yaml`, "begun"],
    [`/api/workspaces/${id}/files/compose.yaml`, "not_editable"],
    [`/api/workspaces/${id}/files/compose.yaml`, "begun"],
  ]);
  assert.doesNotMatch(JSON.stringify(audit), new RegExp(SECRET));
});

Deno.test("a file is saved under the tag that it was read with, and nobody's change is overwritten", async () => {
  await using shop = await openShop();
  const read = await shop.read();
  const etag = read.headers.get("etag")!;
  const route = `PUT /api/workspaces/${shop.id}/files/compose.yaml`;
  const without = await shop.berth.call(route, { text: COMPOSE });
  assert.deepEqual([without.status, without.body.code], [428, "tag_required"]);

  const saved = await shop.save(read.body.text.replace("shop\n", "shop2\n"), `W/${etag}`);
  assert.equal(saved.status, 200, saved.text);
  assert.equal(await shop.onDisk(), COMPOSE.replace("shop\n", "shop2\n"));
  assert.doesNotMatch(saved.text, new RegExp(SECRET));
  const again = await shop.read();
  assert.deepEqual([again.body, again.headers.get("etag")], [saved.body, saved.headers.get("etag")]);
  assert.equal((await shop.berth.call(`GET /api/workspaces/${shop.id}`)).body.projects[0].name, "shop2");

  const late = await shop.save(read.body.text, etag);
  assert.deepEqual([late.status, late.body.code], [412, "file_changed"]);
  // Saved by somebody else, a moment ago: no event has come yet.
  await Deno.writeTextFile(`${shop.folder}/compose.yaml`, COMPOSE.replace("web:", "front:"));
  const behind = await shop.save(`${saved.body.text}# mine\n`, saved.headers.get("etag")!);
  assert.deepEqual([behind.status, behind.body.code], [412, "file_changed"]);
  assert.equal(await shop.onDisk(), COMPOSE.replace("web:", "front:"));
  assert.match((await shop.read()).body.text, /front:/);

  using client = new Client({ baseUrl: shop.berth.url, auth: new BearerAuth(shop.berth.admin!) });
  const params = { id: shop.id, path: "compose.yaml" };
  const before = await client.get(WORKSPACE_FILE, { params });
  const ifMatch = before.headers.get("etag")!;
  const payload = { text: `${before.json().text}# by the client\n` };
  assert.match((await client.put(WORKSPACE_FILE, { params, payload, ifMatch })).json().text, /by the client/);
  const refused = await client.put(WORKSPACE_FILE, { params, payload, ifMatch }).catch((error) => error);
  assert.ok(isStatusError(refused) && refused.response.statusCode === 412, String(refused));
});

Deno.test("owner, group and mode of a file stay, and nothing is left beside it", async () => {
  await using shop = await openShop();
  const file = `${shop.folder}/compose.yaml`;
  await Deno.chmod(file, 0o640);
  const isRoot = Deno.uid() === 0;
  if (isRoot) await Deno.chown(file, 4_321, 1_234);
  else console.log("      only root may give files away: the owner was not tried");
  assert.equal((await shop.edit((text) => `${text}# more\n`)).status, 200);
  const { mode, uid, gid, nlink } = await Deno.lstat(file);
  assert.deepEqual([mode! & 0o7777, nlink], [0o640, 1]);
  if (isRoot) assert.deepEqual([uid, gid], [4_321, 1_234]);
  const names = [...Deno.readDirSync(shop.folder)].map(({ name }) => name).sort();
  assert.deepEqual(names, [".env", "compose.yaml"]);
});

const PUT_BACK:
  readonly (readonly [what: string, change: (text: string) => string, back: (text: string) => string])[] = [
    [
      "another value changes",
      (text) => text.replace("postgres:17", "postgres:18"),
      (text) => text.replace("postgres:17", "postgres:18"),
    ],
    [
      "a comment behind what holds it",
      (text) => text.replace("  db:\n", "  db: # the one\n"),
      (text) => text.replace("  db:\n", "  db: # the one\n"),
    ],
    ["lines move with their masks", swapped, swapped],
    [
      "a masked value is written anew",
      (text) => text.replace("PASSWORD: ********", "PASSWORD: anew"),
      (text) => text.replace(`PASSWORD: ${SECRET}01`, "PASSWORD: anew"),
    ],
    [
      "what is masked goes away",
      (text) => text.replace("      POSTGRES_PASSWORD: ********\n", ""),
      (text) => text.replace(`      POSTGRES_PASSWORD: ${SECRET}01\n`, ""),
    ],
    ["asterisks of the author's own", (text) => `# **********\n${text}`, (text) => `# **********\n${text}`],
    ["everything is indented more", indented, indented],
  ];

function swapped(text: string): string {
  return text.replace(/( {6}POSTGRES_PASSWORD: .*\n)( {6}POSTGRES_DB: shop\n)/, "$2$1");
}

function indented(text: string): string {
  return text.replace(/^( +)/gm, "$1$1");
}

const REFUSED: readonly (readonly [what: string, line: number, change: (text: string) => string])[] = [
  ["under another name", 7, (text) => text.replace("POSTGRES_PASSWORD: *", "POSTGRES_USER: *")],
  ["into another unit", 15, (text) =>
    text.replace("      POSTGRES_PASSWORD: ********\n", "")
      .replace(
        "    environment:\n      - API",
        "    environment:\n      POSTGRES_PASSWORD: ********\n      - API",
      )],
  ["to where it is shown", 5, (text) => text.replace("postgres:17", "********")],
  [
    "twice",
    7,
    (text) => text.replace("      POSTGRES_DB", "      POSTGRES_PASSWORD: ********\n      POSTGRES_DB"),
  ],
  ["one of several lines", 10, (text) => text.replace("        ********\n", "")],
  ["without what makes it a secret", 12, (text) => text.replace("--password", "--name")],
  ["with an anchor", 7, (text) => text.replace("PASSWORD: *", "PASSWORD: &it *")],
  ["below an anchor", 7, (text) => text.replace("  db:", "  db: &db")],
  ["what is left of one", 7, (text) => text.replace("PASSWORD: ********", "PASSWORD: *****")],
  [
    "into a text",
    7,
    (text) => text.replace("environment:\n      POSTGRES", "environment: |\n      POSTGRES"),
  ],
];

Deno.test("masks stay masked, and what they stand for is put back where it was", async (t) => {
  for (const [what, change, back] of PUT_BACK) {
    await t.step(what, async () => {
      await using shop = await openShop();
      const saved = await shop.edit(change);
      assert.equal(saved.status, 200, saved.text);
      assert.equal(await shop.onDisk(), back(COMPOSE));
      assert.doesNotMatch(saved.text, new RegExp(SECRET));
    });
  }
  await t.step("an environment file", async () => {
    await using shop = await openShop();
    const saved = await shop.edit((text) => text.replace("PLAIN=********", "# new\nPLAIN=now"), ".env");
    assert.equal(saved.status, 200, saved.text);
    assert.equal(await shop.onDisk(".env"), `# new\nPLAIN=now\nOTHER=${SECRET}08\n`);
  });
  await t.step("who may see it all writes it all", async () => {
    await using shop = await openShop();
    const { body, headers } = await shop.read("compose.yaml?reveal=true");
    const moved = body.text.replace("POSTGRES_PASSWORD: ", "POSTGRES_USER: ");
    assert.equal((await shop.save(moved, headers.get("etag")!)).status, 200);
    assert.equal(await shop.onDisk(), COMPOSE.replace("POSTGRES_PASSWORD: ", "POSTGRES_USER: "));
  });
});

Deno.test("a mask that was moved, copied or cut is refused with its line, and nothing is written", async (t) => {
  await using shop = await openShop();
  for (const [what, line, change] of REFUSED) {
    await t.step(what, async () => {
      const { status, body } = await shop.edit(change);
      assert.deepEqual([status, body.code], [422, "mask_moved"]);
      assert.match(body.title, new RegExp(`in line ${line} is not where it was`), body.title);
      assert.equal(await shop.onDisk(), COMPOSE);
    });
  }
});

Deno.test("unsaved texts are checked with the secrets behind their masks, and show none of them", async () => {
  await using shop = await openShop();
  const check = async (text: string) => {
    const answer = await shop.berth.call(`POST /api/workspaces/${shop.id}/artifacts/validate`, {
      files: { "compose.yaml": text },
    });
    assert.equal(answer.status, 200, answer.text);
    assert.doesNotMatch(answer.text, new RegExp(SECRET));
    return answer.body.diagnostics.map(({ code }: { code: string }) => code).sort();
  };
  const { body } = await shop.read();
  const saved = await shop.berth.call(`POST /api/workspaces/${shop.id}/artifacts/validate`);
  assert.deepEqual(
    await check(body.text),
    saved.body.diagnostics.map(({ code }: { code: string }) => code).sort(),
  );
  for (const [, , change] of REFUSED) await check(change(body.text));
  const named = body.text.replace("    image: postgres:17", "    image: '********'\n    ports: ['********']");
  await check(named);
});

Deno.test("the last twenty texts of a file are kept sealed, shown masked, and put back with their secrets", async () => {
  await using shop = await openShop();
  const { berth, id } = shop;
  for (let n = 1; n <= 22; n++) {
    assert.equal((await shop.edit((text) => text.replace(/nginx:\S+/, `nginx:${n}`))).status, 200);
  }
  const list = await berth.call(`GET /api/workspaces/${id}/versions?path=compose.yaml`);
  assert.equal(list.body.total, 20);
  const [newest] = list.body.items;
  assert.deepEqual([newest.path, newest.by.kind, newest.by.name], ["compose.yaml", "apiKey", "test admin"]);
  const oldest = list.body.items.at(-2);
  const shown = await berth.call(`GET /api/workspaces/${id}/versions/${oldest.id}`);
  assert.match(shown.body.text, /nginx:3 /);
  assert.ok(shown.body.masked.length > 5);
  assert.doesNotMatch(shown.text + list.text, new RegExp(SECRET));

  const viewer = await berth.key("viewer");
  const route = `POST /api/workspaces/${id}/versions/${oldest.id}/restore`;
  assert.equal((await viewer.call(`GET /api/workspaces/${id}/versions/${oldest.id}`)).status, 403);
  assert.equal((await viewer.call(route)).status, 403);
  assert.equal((await berth.call(route)).body.code, "tag_required");
  const headers = { "if-match": (await shop.read()).headers.get("etag")! };
  const back = await berth.call(route, undefined, { headers });
  assert.equal(back.status, 200, back.text);
  assert.equal(await shop.onDisk(), COMPOSE.replace("nginx:1.27", "nginx:3"));
  assert.equal((await berth.call(route, undefined, { headers })).body.code, "file_changed");
  const missing = await berth.call(`GET /api/workspaces/${id}/versions/999999`);
  assert.deepEqual([missing.status, missing.body.code], [404, "file_version_not_found"]);

  for (const name of ON_SQLITE ? ["berth.db", "berth.db-wal"] : []) { // looks into the files of SQLite
    const bytes = await Deno.readFile(`${berth.folder}/data/${name}`);
    assert.ok(!new TextDecoder("latin1").decode(bytes).includes(SECRET), name);
  }
  assert.equal((await berth.call(`DELETE /api/workspaces/${id}`)).status, 204);
  const made = await berth.call("POST /api/workspaces", { path: shop.folder });
  assert.deepEqual([made.body.id, made.body.editable], [id, false]);
  assert.equal((await berth.call(`GET /api/workspaces/${id}/versions?path=compose.yaml`)).body.total, 0);
});

Deno.test("through links, beside other names, and where it is read-only nothing is written", async () => {
  await using shop = await openShop({
    files: {
      "real/compose.yaml": "services:\n  a:\n    image: a:1\n",
      "fixed/compose.yaml": "services: {}\n",
    },
  });
  const { folder } = shop;
  const outside = `${shop.berth.folder}/workspaces/outside.yaml`;
  await Deno.writeTextFile(outside, COMPOSE);
  await Deno.mkdir(`${folder}/link`);
  await Deno.symlink("../real/compose.yaml", `${folder}/link/compose.yaml`);
  await Deno.chmod(`${folder}/fixed/compose.yaml`, 0o444);
  for (let tries = 0; tries < 200; tries++) {
    const { body } = await shop.berth.call(`GET /api/workspaces/${shop.id}/files`);
    if (body.items.some(({ path }: { path: string }) => path === "link/compose.yaml")) break;
  }
  for (
    const [path, why] of [["link/compose.yaml", /it is a link/], ["fixed/compose.yaml", /read-only/]] as const
  ) {
    const { status, body } = await shop.edit((text) => `${text}# more\n`, path);
    assert.deepEqual([path, status, body.code], [path, 409, "file_not_written"]);
    assert.match(body.title, why);
  }

  // A file is replaced by another thing between its reading and its saving.
  const { body, headers } = await shop.read();
  const save = () => shop.save(`${body.text}# more\n`, headers.get("etag")!);
  const file = `${folder}/compose.yaml`;
  await Deno.rename(file, `${folder}/kept.txt`);
  await Deno.symlink("../outside.yaml", file);
  assert.ok([404, 409, 412].includes((await save()).status));
  await Deno.remove(file);
  await Deno.link(`${folder}/kept.txt`, file);
  assert.ok([404, 409, 412].includes((await save()).status));
  assert.equal(await Deno.readTextFile(outside), COMPOSE);
  assert.equal(await Deno.readTextFile(`${folder}/kept.txt`), COMPOSE);
  assert.deepEqual(shop.berth.bugs(), []);
});

Deno.test("a folder that is exchanged for a link while files are saved leads no write outside", async (t) => {
  const around = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-write-race-" }));
  const [root, outside] = [`${around}/shop`, `${around}/outside`];
  for (const folder of [`${root}/a/b`, `${outside}/b`]) {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(`${folder}/compose.yaml`, "0");
  }
  await Deno.symlink(outside, `${root}/other`);
  try {
    const flipper = await startFlipper(`${root}/a`, `${root}/other`);
    if (!(flipper instanceof LinkFlipper)) {
      return void await t.step({ name: `skipped: ${flipper}`, ignore: true, fn: () => {} });
    }
    await using _ = flipper;
    const before = await Deno.stat(`${outside}/b/compose.yaml`);
    const seen: Record<string, number> = { saved: 0 };
    let text = "0";
    for (const end = performance.now() + SECONDS * 1_000; performance.now() < end;) {
      const next = String(Number(text) + 1);
      try {
        await replaceFile(root, "a/b/compose.yaml", { expected: sha256(text), text: next });
        text = next;
        seen["saved"]!++;
      } catch (error) {
        assert.ok(error instanceof ServiceError, String(error));
        seen[error.code] = (seen[error.code] ?? 0) + 1;
      }
    }
    console.log(`      ${JSON.stringify(seen)}`);
    assert.ok(seen["saved"]! > 0 && Object.keys(seen).length > 1, "they did race");
    const after = await Deno.stat(`${outside}/b/compose.yaml`);
    assert.deepEqual([after.ino, after.size, after.mtime], [before.ino, before.size, before.mtime]);
    assert.deepEqual([...Deno.readDirSync(`${outside}/b`)].map(({ name }) => name), ["compose.yaml"]);
  } finally {
    await Deno.remove(around, { recursive: true });
  }
});

/** True if this machine lets us. */
async function mount(...args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command("mount", { args, stdout: "null", stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

Deno.test("on a full disk and on one that is mounted read-only a file stays as it was, and the answer says why", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-full-" }));
  const folder = `${root}/shop`;
  await Deno.mkdir(folder);
  if (!await mount("-t", "tmpfs", "-o", "size=256k", "tmpfs", folder)) {
    console.log("SKIPPED: no small file system may be mounted here, so a full disk was not tried");
    return await Deno.remove(root, { recursive: true });
  }
  try {
    await using shop = await openShop({ at: folder });
    await fill(`${folder}/ballast`);
    const full = await shop.edit((text) => `${text}# ${"more ".repeat(1_000)}\n`);
    assert.deepEqual([full.status, full.body.code], [507, "disk_full"]);
    assert.equal(await shop.onDisk(), COMPOSE);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assert.deepEqual(names, [".env", "ballast", "compose.yaml"]);
    await Deno.remove(`${folder}/ballast`);
    assert.equal((await shop.edit((text) => `${text}# fits\n`)).status, 200);

    assert.ok(await mount("-o", "remount,ro", folder));
    const fixed = await shop.edit((text) => `${text}# more\n`);
    assert.deepEqual([fixed.status, fixed.body.code], [409, "file_not_written"]);
    assert.match(fixed.body.title, /mounted read-only/);
    const path = `PUT /api/workspaces/${shop.id}`;
    assert.equal((await shop.berth.call(path, { editable: false })).status, 200);
    const refused = await shop.berth.call(path, { editable: true });
    assert.deepEqual([refused.status, refused.body.code], [409, "not_editable"]);
    assert.match(
      refused.body.title,
      /^Cannot make the workspace editable: .*mounted read-only; mount its folder .* docker compose up -d, elsewhere/,
    );
    assert.equal((await shop.berth.call(`GET /api/workspaces/${shop.id}`)).body.editable, false);
    assert.equal(await shop.onDisk(), `${COMPOSE}# fits\n`);

    const [, command = ""] = /elsewhere (mount .*)$/.exec(refused.body.title) ?? [];
    const { success } = await new Deno.Command("sh", { args: ["-c", command] }).output();
    assert.ok(success, `this command is told, and fails: ${command}`);
    assert.equal((await shop.berth.call(path, { editable: true })).status, 200);
  } finally {
    await new Deno.Command("umount", { args: ["-l", folder] }).output();
    await Deno.remove(root, { recursive: true });
  }
});

/** Takes all the room there is. */
async function fill(path: string): Promise<void> {
  using file = await Deno.open(path, { create: true, write: true });
  for (const size of [4_096, 1]) {
    try {
      for (;;) if (await file.write(new Uint8Array(size)) === 0) break;
    } catch {
      // It is full.
    }
  }
}

Deno.test("what is too long, no text, or another workspace's is refused before anything is written", async () => {
  await using shop = await openShop();
  const { berth } = shop;
  const etag = (await shop.read()).headers.get("etag")!;
  assert.equal((await shop.save("a\0b", etag)).status, 400);
  assert.equal((await shop.save("x".repeat(1024 * 1024 + 1), etag)).status, 400);
  const wide = await shop.save("ü".repeat(1024 * 1024), etag);
  assert.deepEqual([wide.status, wide.body.code], [409, "file_not_written"]);
  assert.equal((await shop.save("a: 1\n", etag, "none.yaml")).body.code, "file_not_found");
  assert.equal((await shop.save("a: 1\n", etag, "..%2Fshop%2Fcompose.yaml")).body.code, "file_not_found");
  const made = await berth.call("POST /api/settings/api-keys", {
    name: "elsewhere",
    grants: [{ role: "admin", on: ["workspace:other", "project:shop"] }],
  });
  const other = berth.as(made.body.key);
  const refused = await shop.save("a: 1\n", etag, "compose.yaml", other);
  assert.deepEqual([refused.status, refused.body.code], [404, "workspace_not_found"]);
  assert.equal((await other.call(`GET /api/workspaces/${shop.id}/versions?path=compose.yaml`)).status, 404);
  assert.equal(await shop.onDisk(), COMPOSE);
});

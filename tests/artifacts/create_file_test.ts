/** Files that are created: where nothing is yet, through no link, as the folder's owner, whole or not at all. */
import assert from "node:assert/strict";
import { createFile, whyNotNew } from "../../artifacts/files/create_file.ts";
import { ServiceError } from "../../core/error.ts";
import { LinkFlipper, startFlipper } from "./link_flipper.ts";
import { type Answer, startService, type TestCaller, type TestService } from "../support/service.ts";

const SECONDS = Number(Deno.env.get("BERTH_RACE_SECONDS") ?? "2");
const TEXT = "name: web\nservices:\n  web:\n    image: nginx:1.27\n";

interface Shop {
  readonly berth: TestService;
  readonly folder: string;
  create(path: string, text?: string, caller?: TestCaller): Promise<Answer>;
}

async function openShop(stack: AsyncDisposableStack, editable = true): Promise<Shop> {
  const berth = stack.use(await startService({ keepsCaller: true }));
  const folder = `${berth.folder}/workspaces/shop`;
  await Deno.mkdir(`${folder}/db`, { recursive: true });
  await Deno.writeTextFile(`${folder}/db/compose.yaml`, "services:\n  db:\n    image: postgres:17\n");
  const made = await berth.call("POST /api/workspaces", { path: folder });
  assert.equal(made.status, 201, made.text);
  if (editable) await berth.call(`PUT /api/workspaces/${made.body.id}`, { editable: true });
  return {
    berth,
    folder,
    create: (path, text = TEXT, caller = berth) =>
      caller.call(`PUT /api/workspaces/shop/files/${path}`, { text }, { headers: { "if-none-match": "*" } }),
  };
}

/** Every name below a folder, without what is hidden by name of berth. */
async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    names.push(name);
    if (isDirectory) names.push(...(await namesIn(`${folder}/${name}`)).map((one) => `${name}/${one}`));
  }
  return names.sort();
}

Deno.test("A file is created with its folders, is read at once, and is saved under the tag that it was created with", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, folder, create } = await openShop(stack);
  const made = await create("apps/web/compose.yaml");
  assert.equal(made.status, 201, made.text);
  assert.equal(made.body.path, "apps/web/compose.yaml");
  assert.equal(await Deno.readTextFile(`${folder}/apps/web/compose.yaml`), TEXT);
  assert.equal(made.headers.get("location"), "/api/workspaces/shop/files/apps/web/compose.yaml");
  const { body } = await berth.call("GET /api/workspaces/shop/artifacts/groups/web");
  assert.equal(body.name, "web", "it is in the model when the answer comes");
  const read = await berth.call("GET /api/workspaces/shop/files/apps/web/compose.yaml");
  assert.equal(read.body.sha256, made.body.sha256);
  const saved = await berth.call(
    "PUT /api/workspaces/shop/files/apps/web/compose.yaml",
    { text: TEXT.replace("1.27", "1.28") },
    { headers: { "if-match": made.headers.get("etag")! } },
  );
  assert.equal(saved.status, 200, saved.text);
  const env = await create("apps/web/.env", "TAG=1\n");
  assert.equal(env.status, 201, env.text);
  const plain = await create("apps/web/nginx.conf", "worker_processes 1;\n");
  assert.deepEqual([plain.status, plain.body.kind], [201, "other"], "no project names it yet");
  assert.deepEqual(await namesIn(`${folder}/apps`), [
    "web",
    "web/.env",
    "web/compose.yaml",
    "web/nginx.conf",
  ]);
  assert.deepEqual(berth.bugs(), []);
});

Deno.test("Where anything has the name nothing is created, and what is there stays", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, folder, create } = await openShop(stack);
  await Deno.symlink("/nowhere/at/all", `${folder}/dangling.yaml`);
  await Deno.symlink("db/compose.yaml", `${folder}/link.yaml`);
  const before = await namesIn(folder);
  for (const path of ["db/compose.yaml", "db", "dangling.yaml", "link.yaml"]) {
    const { status, body } = await create(path);
    assert.deepEqual([path, status, body.code], [path, 412, "file_exists"]);
  }
  assert.match(await Deno.readTextFile(`${folder}/db/compose.yaml`), /postgres/);
  assert.deepEqual(await namesIn(folder), before);

  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => create("new/compose.yaml", `${TEXT}# ${n}\n`)),
  );
  const codes = answers.map(({ status }) => status).sort();
  assert.deepEqual(codes, [201, ...Array(7).fill(412)], "one of eight wins");
  const won = answers.findIndex(({ status }) => status === 201);
  assert.equal(await Deno.readTextFile(`${folder}/new/compose.yaml`), `${TEXT}# ${won}\n`);
  assert.deepEqual(berth.bugs(), []);
});

Deno.test("Hidden names, paths that lead elsewhere and more than three new folders are refused, and leave nothing behind", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, folder, create } = await openShop(stack);
  const before = await namesIn(folder);
  const refusals = [
    ".hidden",
    ".git/config",
    "app/.ssh/authorized_keys",
    ".env/compose.yaml",
    "app/.env.local",
    "a/b/c/d/compose.yaml",
    "db/compose.yaml/inside",
    `${"x".repeat(256)}`,
  ];
  for (const path of refusals) {
    const { status, body } = await create(path);
    assert.deepEqual([path, status, body.code], [path, 409, "file_not_written"]);
  }
  for (const path of ["../out.yaml", "a/../../out.yaml", "a//b", "/etc/x", "a/./b", "", "a\\b", "a\nb"]) {
    assert.notEqual(whyNotNew(path), null, path);
    await assert.rejects(createFile(folder, path, { text: TEXT, hidden: [] }), { code: "file_not_written" });
  }
  await assert.rejects(createFile(folder, "data/x", { text: TEXT, hidden: [`${folder}/data`] }), {
    code: "file_not_written",
  });
  const masked = await create("masked.yaml", "PASSWORD: ********\n");
  assert.deepEqual([masked.status, masked.body.code], [422, "mask_moved"]);
  const both = await berth.call("PUT /api/workspaces/shop/files/x.yaml", { text: TEXT }, {
    headers: { "if-none-match": '"tag"' },
  });
  assert.deepEqual([both.status, both.body.code], [428, "tag_required"]);
  assert.deepEqual(await namesIn(folder), before);
  assert.equal((await create("a/b/c/compose.yaml")).status, 201, "three are allowed");
});

Deno.test("Only who holds workspaces:files on a whole editable workspace creates files", async () => {
  await using stack = new AsyncDisposableStack();
  const { berth, folder, create } = await openShop(stack, false);
  const named = await berth.key(["artifacts:read", "workspaces:files"]);
  const off = await create("x.yaml", TEXT, named);
  assert.deepEqual([off.status, off.body.code], [409, "not_editable"]);
  await berth.call("PUT /api/workspaces/shop", { editable: true });
  assert.equal((await create("x.yaml", TEXT, await berth.key("operator"))).status, 403);
  const grants = [{ permissions: ["artifacts:read", "workspaces:files"], on: ["project:db"] }];
  const { body } = await berth.call("POST /api/settings/api-keys", { name: "part", grants });
  assert.equal((await create("db/x.yaml", TEXT, berth.as(body.key))).status, 404);
  assert.equal((await create("x.yaml", TEXT, named)).status, 201);
  assert.deepEqual(await namesIn(folder), ["db", "db/compose.yaml", "x.yaml"]);
  const { body: audit } = await berth.call("GET /api/system/audit?limit=50");
  const told = audit.items.filter(({ target }: Record<string, string>) => target?.endsWith("/files/x.yaml"));
  assert.deepEqual(
    told.map(({ result }: Record<string, string>) => result).slice(0, 2),
    ["done", "begun"],
    "as with every other write",
  );
});

Deno.test({
  name: "A new file and its folders have the owner and the mode of the folder that they are in",
  ignore: Deno.uid() !== 0,
  async fn() {
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-create-" }));
    try {
      await Deno.chmod(root, 0o2751);
      await Deno.chown(root, 1234, 2345);
      await createFile(root, "app/conf/compose.yaml", { text: TEXT, hidden: [] });
      for (
        const [path, mode] of [["app", 0o2751], ["app/conf", 0o2751], [
          "app/conf/compose.yaml",
          0o640,
        ]] as const
      ) {
        const stat = await Deno.stat(`${root}/${path}`);
        assert.deepEqual([path, stat.uid, stat.gid, stat.mode! & 0o7777], [path, 1234, 2345, mode]);
      }
    } finally {
      await Deno.remove(root, { recursive: true });
    }
  },
});

Deno.test("No file is created through a link, nor through a folder that is exchanged for one meanwhile", async (t) => {
  const around = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-create-race-" }));
  const [root, outside] = [`${around}/shop`, `${around}/outside`];
  try {
    for (const folder of [`${root}/a`, `${outside}/b`]) await Deno.mkdir(folder, { recursive: true });
    await Deno.symlink(outside, `${root}/other`);
    const linked = createFile(root, "other/x.yaml", { text: TEXT, hidden: [] });
    await assert.rejects(linked, { code: "file_not_written", message: /a link leads to its folder/ });
    const flipper = await startFlipper(`${root}/a`, `${root}/other`);
    if (!(flipper instanceof LinkFlipper)) {
      return void await t.step({ name: `skipped: ${flipper}`, ignore: true, fn: () => {} });
    }
    await using _ = flipper;
    const seen: Record<string, number> = { created: 0 };
    for (let n = 0, end = performance.now() + SECONDS * 1_000; performance.now() < end; n++) {
      try {
        await createFile(root, `a/b${n}/compose.yaml`, { text: TEXT, hidden: [] });
        seen["created"]!++;
      } catch (error) {
        assert.ok(error instanceof ServiceError, String(error));
        seen[error.code] = (seen[error.code] ?? 0) + 1;
      }
    }
    console.log(`      ${JSON.stringify(seen)}`);
    assert.ok(seen["created"]! > 0 && Object.keys(seen).length > 1, "they did race");
    assert.deepEqual(await namesIn(outside), ["b"]);
  } finally {
    await Deno.remove(around, { recursive: true });
  }
});

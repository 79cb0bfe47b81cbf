/** Only regular files inside the folder are read, whatever is planted there; nothing tells of the outside. */

import assert from "node:assert/strict";
import { plant } from "../../tests/support/planted_folder.ts";
import { isRefusal } from "./file_store.ts";
import { resolve } from "./paths.ts";
import { SafeReader } from "./safe_reader.ts";

Deno.test("a regular file is read with its hash", async () => {
  await using folder = await plant({ "a/compose.yaml": "services: {}\n" });
  const read = await new SafeReader(folder.path).read("a/compose.yaml");
  assert.ok(!isRefusal(read));
  assert.equal(read.text, "services: {}\n");
  assert.match(read.hash, /^[0-9a-f]{64}$/);
});

Deno.test("links inside the folder are followed, links out of it are not (R43)", async () => {
  await using outside = await plant({ "secret.yaml": "secret: 1\n", "folder/x.yaml": "x: 1\n" });
  await using folder = await plant({ "real.yaml": "a: 1\n" });
  await Deno.symlink("real.yaml", `${folder.path}/inside.yaml`);
  await Deno.symlink(`${outside.path}/secret.yaml`, `${folder.path}/out.yaml`);
  await Deno.symlink(`${outside.path}/absent.yaml`, `${folder.path}/dangling.yaml`);
  await Deno.symlink(`${outside.path}/folder`, `${folder.path}/linked`);
  const reader = new SafeReader(folder.path);
  const inside = await reader.read("inside.yaml");
  assert.ok(!isRefusal(inside) && inside.text === "a: 1\n");
  // Present, absent and behind a linked folder: the same words, so that nothing is told about outside.
  const refusals = await Promise.all(
    ["out.yaml", "dangling.yaml", "linked/x.yaml", "linked/absent.yaml"].map((path) => reader.read(path)),
  );
  for (const refusal of refusals) {
    assert.ok(isRefusal(refusal));
    assert.equal(refusal.code, "fs/symlink-escape");
    assert.deepEqual(refusal, refusals[0]);
    assert.ok(!refusal.why.includes(outside.path));
  }
  assert.deepEqual(
    await Promise.all(
      ["out.yaml", "dangling.yaml", "linked/x.yaml", "linked/no"].map((path) => reader.look(path)),
    ),
    ["outside", "outside", "outside", "outside"],
  );
});

Deno.test("pipes, devices, folders, hard links and what is too large are refused without waiting (F51)", async () => {
  await using folder = await plant({
    "folder.yaml/": "",
    "one.yaml": "a: 1\n",
    "large.yaml": "a".repeat(1024 * 1024 + 1),
    "full.yaml": "a".repeat(1024 * 1024),
    "latin1.yaml": new Uint8Array([0x61, 0xe9, 0x0a]),
    "binary.yaml": new Uint8Array([0x61, 0x00, 0x0a]),
  });
  await Deno.link(`${folder.path}/one.yaml`, `${folder.path}/two.yaml`);
  const pipe = await new Deno.Command("mkfifo", { args: [`${folder.path}/pipe.yaml`] }).output();
  assert.ok(pipe.success);
  await Deno.symlink("/dev/zero", `${folder.path}/device.yaml`);
  const reader = new SafeReader(folder.path);
  const codes: Record<string, string> = {};
  for (
    const path of [
      "folder.yaml",
      "two.yaml",
      "large.yaml",
      "latin1.yaml",
      "binary.yaml",
      "pipe.yaml",
      "device.yaml",
      "absent.yaml",
    ]
  ) {
    const refusal = await reader.read(path);
    assert.ok(isRefusal(refusal), path);
    codes[path] = refusal.code;
  }
  assert.deepEqual(codes, {
    "folder.yaml": "fs/unreadable",
    "two.yaml": "fs/unreadable",
    "large.yaml": "fs/too-large",
    "latin1.yaml": "fs/not-utf8",
    "binary.yaml": "fs/not-utf8",
    "pipe.yaml": "fs/unreadable",
    "device.yaml": "fs/symlink-escape",
    "absent.yaml": "missing",
  });
  assert.ok(!isRefusal(await reader.read("full.yaml")));
});

Deno.test("a file that is swapped for a pipe or a link while it is read never hangs and never leads out (F51)", async () => {
  await using outside = await plant({ "secret.yaml": "secret: 1\n" });
  await using folder = await plant({ "real.yaml": "a: 1\n" });
  const made = await new Deno.Command("mkfifo", { args: [`${folder.path}/pipe`] }).output();
  assert.ok(made.success);
  const path = `${folder.path}/x.yaml`;
  const reader = new SafeReader(folder.path);
  let isOver = false;
  const flips = (async () => {
    for (let turn = 0; !isOver; turn++) {
      await Deno.remove(path).catch(() => {});
      if (turn % 3 === 0) await Deno.symlink(`${outside.path}/secret.yaml`, path);
      else if (turn % 3 === 1) await Deno.writeTextFile(path, "a: 1\n");
      else {
        await Deno.rename(`${folder.path}/pipe`, path);
        await Deno.rename(path, `${folder.path}/pipe`);
      }
    }
  })();
  for (let i = 0; i < 300; i++) {
    const read = await reader.read("x.yaml");
    assert.ok(isRefusal(read) || read.text === "a: 1\n" || read.text === "", "read something from outside");
  }
  isOver = true;
  await flips;
});

Deno.test({
  name: "a file that may not be read is refused, and so is a folder",
  // Nothing is forbidden to root.
  ignore: Deno.uid() === 0,
  fn: async () => {
    await using folder = await plant({ "a/compose.yaml": "a: 1\n" });
    await Deno.chmod(`${folder.path}/a/compose.yaml`, 0o000);
    const refusal = await new SafeReader(folder.path).read("a/compose.yaml");
    assert.ok(isRefusal(refusal));
    assert.deepEqual(refusal, { code: "fs/unreadable", why: "access is denied" });
  },
});

Deno.test("what lies in a hidden folder is as far away as what lies outside", async () => {
  await using folder = await plant({ "data/key.yaml": "key: 1\n" });
  const reader = new SafeReader(folder.path, undefined, [`${folder.path}/data`]);
  const refusal = await reader.read("data/key.yaml");
  assert.ok(isRefusal(refusal));
  assert.equal(refusal.code, "fs/symlink-escape");
  assert.equal(await reader.look("data/key.yaml"), "outside");
});

Deno.test({
  name: "no descriptor stays open, whatever was read, refused, listed or looked at",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using outside = await plant({ "x.yaml": "x: 1\n" });
    await using folder = await plant({ "a/x.yaml": "x: 1\n", "a/large.yaml": "x".repeat(100), "a/b/": "" });
    await Deno.symlink(outside.path, `${folder.path}/out`);
    await Deno.symlink(`${folder.path}/a`, `${folder.path}/in`);
    const reader = new SafeReader(folder.path, 50);
    // Other files' tests open and close descriptors of the same process meanwhile.
    const count = () =>
      [...Deno.readDirSync("/proc/self/fd")].filter(({ name }) => targetOf(name).startsWith(folder.path))
        .length;
    const readAll = async () => {
      for (
        const path of ["a/x.yaml", "a/large.yaml", "a/b", "a/absent", "in/x.yaml", "out/x.yaml", "a/x.yaml/y"]
      ) {
        await Promise.all([reader.read(path), reader.look(path), reader.list(path, 10, () => true)]);
      }
    };
    await readAll();
    const before = count();

    for (let turn = 0; turn < 20; turn++) await readAll();

    assert.equal(count(), before);
  },
});

function targetOf(descriptor: string): string {
  try {
    return Deno.readLinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return ""; // closed since it was listed
  }
}

const PATHS: [folder: string, written: string, path: string | null][] = [
  ["a", "./b.yaml", "a/b.yaml"],
  ["a", "../b.yaml", "b.yaml"],
  ["a", "../../b.yaml", null],
  ["a", "/etc/passwd", null],
  ["a", "/ws/c.yaml", "c.yaml"],
  ["a", "/wsx/c.yaml", null],
  ["", "..", null],
  ["", ".", ""],
  ["a", "b\0c", null],
  ["a", "~/x", null],
  ["a", "C:\\x", null],
  ["a", "b//c/./d/../e", "a/b/c/e"],
];
for (const [folder, written, path] of PATHS) {
  Deno.test(`from "${folder}", ${JSON.stringify(written)} leads ${path === null ? "outside" : `to "${path}"`}`, () => {
    assert.equal(resolve("/ws", folder, written), path);
  });
}

Deno.test("a listing says what is not there, but not of names that a file system may take for one that is", async () => {
  await using folder = await plant({ "a/Compose.yaml": "a: 1\n", "a/caf\u00e9.yaml": "a: 1\n" });
  const reader = new SafeReader(folder.path);
  const isYaml = ({ name }: Deno.DirEntry) => name.endsWith(".yaml");
  assert.equal(reader.isListedWithout("a/compose.yml"), false, "nothing was listed yet");
  await reader.list("a", 10, isYaml);
  const told = ["a/b.yaml", "a/compose.yaml", "a/cafe\u0301.yaml", "a/.env", "b/compose.yaml"];
  assert.deepEqual(told.filter((path) => reader.isListedWithout(path)), ["a/b.yaml"]);
});

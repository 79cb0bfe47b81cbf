/**
 * Workspaces whose folders are removed, exchanged and made again: on ext4 a new folder gets the inode of the old one.
 */
import assert from "node:assert/strict";
import type { WorkspaceRecord, WorkspaceStore } from "../../core/store.ts";
import { plant } from "../../tests/support/planted_folder.ts";
import { within } from "../../tests/support/within.ts";
import { Registry } from "./registry.ts";

const service = (image: string) => `services:\n  web:\n    image: ${image}\n`;

function registryOf(folders: readonly string[]): Registry {
  const records = folders.map((path): WorkspaceRecord => {
    const id = path.slice(path.lastIndexOf("/") + 1);
    return { id, name: id, path, createdAt: "", allowHardLinks: false, editable: false };
  });
  const store: Partial<WorkspaceStore> = {
    list: () => Promise.resolve(records),
    get: (id) => Promise.resolve(records.find((record) => record.id === id) ?? null),
  };
  return new Registry({ store: store as WorkspaceStore, roots: [] });
}

async function isRead(registry: Registry, id: string, text: string): Promise<boolean> {
  try {
    const { files } = await registry.model(id);
    return files.every((file) => file.text === text) && files.length === 2;
  } catch {
    return false; // The folder is gone for a moment.
  }
}

function write(folder: string, text: string): void {
  Deno.mkdirSync(`${folder}/app`, { recursive: true });
  for (const file of ["compose.yaml", "app/compose.yaml"]) Deno.writeTextFileSync(`${folder}/${file}`, text);
}

const WAYS: Readonly<Record<string, (folder: string, text: string) => void>> = {
  "removed and copied again": (folder, text) => {
    Deno.removeSync(folder, { recursive: true });
    write(folder, text);
  },
  "emptied and filled again": (folder, text) => {
    for (const { name } of Deno.readDirSync(folder)) {
      Deno.removeSync(`${folder}/${name}`, { recursive: true });
    }
    write(folder, text);
  },
  "exchanged for another": (folder, text) => {
    write(`${folder}.new`, text);
    Deno.renameSync(folder, `${folder}.old`);
    Deno.renameSync(`${folder}.new`, folder);
    Deno.removeSync(`${folder}.old`, { recursive: true });
  },
  "moved away and back": (folder, text) => {
    Deno.renameSync(folder, `${folder}.old`);
    Deno.renameSync(`${folder}.old`, folder);
    write(folder, text);
  },
};

Deno.test("24 of 24 workspaces that were made again notice the next edit", async () => {
  await using planted = await plant();
  const ways = Object.entries(WAYS).flatMap((way) => Array.from({ length: 6 }, () => way));
  const folders = ways.map((_, index) => `${planted.path}/w${index}`);
  for (const folder of folders) write(folder, service("x:1"));
  await using registry = registryOf(folders);
  const all = (text: string) => async () =>
    (await Promise.all(folders.map((_, index) => isRead(registry, `w${index}`, text)))).every(Boolean);
  await within(20_000, "all are read", all(service("x:1")));

  for (const [index, [, way]] of ways.entries()) way(folders[index]!, service("x:2"));
  await within(10_000, "the new folders are read", all(service("x:2")));
  for (const folder of folders) write(folder, service("x:3"));

  for (const [index, [name]] of ways.entries()) {
    await within(
      5_000,
      `an edit is noticed where the folder was ${name}`,
      () => isRead(registry, `w${index}`, service("x:3")),
    );
  }
});

Deno.test("a workspace that is replaced 100 times a second is read as it is afterwards", async () => {
  await using planted = await plant();
  const folder = `${planted.path}/w`;
  write(folder, service("x:0"));
  await using registry = registryOf([folder]);
  await registry.model("w");
  for (let turn = 1; turn <= 200; turn++) {
    WAYS["exchanged for another"]!(folder, service(`x:${turn}`));
    if (turn % 20 === 0) await registry.model("w").catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  write(folder, service("x:last"));

  await within(5_000, "the last text is read", () => isRead(registry, "w", service("x:last")));
});

Deno.test("comparedModel reads an edit that no event has told of yet", async () => {
  await using planted = await plant();
  const folder = `${planted.path}/w`;
  write(folder, service("x:0"));
  await using registry = registryOf([folder]);
  await within(10_000, "the folder is read", () => isRead(registry, "w", service("x:0")));

  for (let turn = 1; turn <= 20; turn++) {
    write(folder, service(`x:${turn}`));
    const { files } = await registry.comparedModel("w");
    assert.deepEqual(new Set(files.map(({ text }) => text)), new Set([service(`x:${turn}`)]));
  }
});

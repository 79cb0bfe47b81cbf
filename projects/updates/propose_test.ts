/** The oracle is berth's own reading of the changed files: the image is the wanted one, and no other line differs. */
import assert from "node:assert/strict";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import type { Group } from "../../artifacts/artifact.ts";
import { ServiceError } from "../../core/error.ts";
import { plant } from "../../tests/support/planted_folder.ts";
import { parseNow } from "../../artifacts/files/parse_file.ts";
import { putBack } from "../../artifacts/report/put_back.ts";
import type { Source } from "../../artifacts/yaml/source.ts";
import { proposeTag } from "./propose.ts";

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly units?: readonly string[];
  readonly tag?: string;
  /** The file, and its lines that differ. */
  readonly changed: string;
}

const web = (image: string, more = "") => `name: shop\nservices:\n  web:\n    image: ${image}\n${more}`;

async function group(path: string): Promise<Group> {
  return (await new WorkspaceReader(path).read()).groups.find(({ name }) => name === "shop")!;
}

const CASES: Readonly<Record<string, Case>> = {
  "a plain line with a comment": {
    files: { "compose.yaml": web("nginx:1.4.2 # pinned: 1.4.2 works") },
    changed: "compose.yaml 4:     image: nginx:1.4.5 # pinned: 1.4.2 works",
  },
  "a quoted line, and a name that holds the version": {
    files: { "compose.yaml": web('"registry.lan:5000/app-1.4.2:1.4.2"') },
    changed: 'compose.yaml 4:     image: "registry.lan:5000/app-1.4.2:1.4.5"',
  },
  "a default in the line": {
    files: { "compose.yaml": web("nginx:${TAG:-1.4.2}") },
    changed: "compose.yaml 4:     image: nginx:${TAG:-1.4.5}",
  },
  "a variable of .env, whose default has the version, too": {
    files: {
      "compose.yaml": web("nginx:${TAG:-1.4.2}"),
      ".env": "# TAG=1.4.2\nOTHER=1.4.2\nPASSWORD=hunter2-1.4.2\nTAG=1.4.2 # ours\n",
    },
    changed: ".env 4: TAG=1.4.5 # ours",
  },
  "a part of the tag in a variable": {
    files: { "compose.yaml": web("nginx:v$TAG-alpine"), ".env": "export TAG='1.4.2'\n" },
    tag: "v1.4.5-alpine",
    changed: ".env 1: export TAG='1.4.5'",
  },
  "a whole image in a variable of a variable": {
    files: { "compose.yaml": web("$IMAGE"), ".env": "V=1.4.2\nIMAGE=nginx:${V}\n" },
    changed: ".env 1: V=1.4.5",
  },
  "Windows line ends": {
    files: { "compose.yaml": web("nginx:1.4.2").replaceAll("\n", "\r\n") },
    changed: "compose.yaml 4:     image: nginx:1.4.5\r",
  },
  "a line with a secret before it": {
    files: {
      "compose.yaml":
        "name: shop\nservices:\n  web: { environment: { PASSWORD: hunter2 }, image: nginx:1.4.2 }\n",
    },
    changed: "compose.yaml 3:   web: { environment: { PASSWORD: hunter2 }, image: nginx:1.4.5 }",
  },
  "two units of one image": {
    files: { "compose.yaml": web("nginx:1.4.2", "  other:\n    image: nginx:1.4.2\n") },
    units: ["web", "other"],
    changed: "compose.yaml 4:     image: nginx:1.4.5 6:     image: nginx:1.4.5",
  },
  "an alias, where its anchor stands": {
    files: { "compose.yaml": `x-image: &image nginx:1.4.2\n${web("*image")}` },
    changed: "compose.yaml 1: x-image: &image nginx:1.4.5",
  },
  "a service that is extended, where its image stands": {
    files: {
      "compose.yaml":
        "name: shop\nservices:\n  web:\n    extends:\n      file: base.yaml\n      service: base\n",
      "base.yaml": "services:\n  base:\n    image: nginx:1.4.2\n",
    },
    changed: "base.yaml 3:     image: nginx:1.4.5",
  },
};

for (const [name, { files, units = ["web"], tag = "1.4.5", changed }] of Object.entries(CASES)) {
  Deno.test(`a newer tag is a change of exactly its line: ${name}`, async () => {
    await using folder = await plant(files);
    const read = await group(folder.path);
    const meant = (of: Group) => of.units.filter(({ label }) => units.includes(label));
    const [before] = meant(read).map(({ service }) => service!.image!);

    const { file, text, shown, changes } = proposeTag(read, meant(read), tag);

    const [old, now] = [files[file.path]!.split("\n"), text.split("\n")];
    const differing = now.flatMap((line, at) => line === old[at] ? [] : [`${at + 1}: ${line}`]);
    assert.equal(`${file.path} ${differing.join(" ")}`, changed);
    const masked = (line: string) => line.replace(/hunter2+/g, "********");
    assert.deepEqual(changes.map(({ line, after }) => `${line}: ${after}`), differing.map(masked));
    for (const { line, before } of changes) assert.equal(before, masked(old[line - 1]!));
    assert.ok(!shown.includes("hunter2"), "other secrets stay masked");
    const source = { path: file.path, kind: file.kind, hash: "" } as Source;
    const back = await putBack({
      file,
      model: null,
      parsed: (text) => Promise.resolve(parseNow({ ...source, text })),
    }, shown);
    assert.deepEqual(back, { text }, "the shown text is saved as the change");
    await folder.write(file.path, text);
    const wanted = before!.slice(0, before!.lastIndexOf(":")) + `:${tag}`;
    assert.deepEqual(
      meant(await group(folder.path)).map(({ service }) => service!.image),
      units.map(() => wanted),
    );
  });
}

const REFUSED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "several variables": {
    "compose.yaml": web("nginx:${MAJOR}.${MINOR}.2"),
    ".env": "MAJOR=1\nMINOR=4\n",
  },
  "escapes": { "compose.yaml": web('"nginx:1.4\\x2e2"') },
  "a block": { "compose.yaml": web("|-\n      nginx:1.4.2") },
};

for (const [name, files] of Object.entries(REFUSED)) {
  Deno.test(`no change is proposed where the version comes from ${name}, and the line is named`, async () => {
    await using folder = await plant(files);
    const read = await group(folder.path);
    assert.match(read.units[0]!.service!.image!, /^nginx:1\.4\.2$/);
    assert.throws(
      () => proposeTag(read, read.units, "1.4.5"),
      (error) =>
        error instanceof ServiceError && error.code === "image_not_editable" &&
        /compose.yaml:\d/.test(error.message),
    );
  });
}

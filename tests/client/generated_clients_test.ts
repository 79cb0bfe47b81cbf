/**
 * Generators of others make clients from the API document, and what they make compiles: for TypeScript always, for Go and
 * Python where `BERTH_PROOF=1` asks for it, with tools that are fetched once.
 */
import assert from "node:assert/strict";
import openapiTS, { astToString } from "npm:openapi-typescript@7.13.0";
import { servedDocuments } from "../support/served_documents.ts";

const GO_TOOL = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const PYTHON_TOOL = "openapi-python-client==0.29.1";

const USE = `
import createClient from "npm:openapi-fetch@0.17.0";
import type { paths } from "./api.ts";

const client = createClient<paths>({ baseUrl: "http://127.0.0.1:8700" });

export async function names(): Promise<string[]> {
  const query = { limit: 5, state: ["running" as const], sort: "name" as const };
  const { data, error } = await client.GET("/api/containers", { params: { query } });
  if (error) throw new Error(error.title);
  return data.items.map(({ name }) => name);
}
export async function lines(id: string) {
  return await client.GET("/api/containers/{id}/logs", { params: { path: { id }, query: { tail: "all", follow: false } } });
}
export async function stop(id: string) {
  // @ts-expect-error a number is a number
  return await client.POST("/api/containers/{id}/stop", { params: { path: { id }, query: { timeoutS: "5" } } });
}
`;

interface Ran {
  readonly code: number;
  readonly text: string;
}

async function run(program: string, args: readonly string[], cwd: string, timeoutMs = 300_000): Promise<Ran> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" },
    signal: AbortSignal.timeout(timeoutMs),
  }).output();
  return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

async function withDocument(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "berth-clients-" });
  try {
    const { openapi } = await servedDocuments();
    await Deno.writeTextFile(`${folder}/openapi.json`, JSON.stringify(openapi));
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const isAsked = Deno.env.get("BERTH_PROOF") === "1";
if (!isAsked) console.warn("SKIPPED: clients made of the document; BERTH_PROOF=1 makes and compiles them");
const inProof = isAsked ? Deno.test : Deno.test.ignore;

inProof(
  "openapi-typescript makes types of the document that compile, and hold its callers to them",
  async () => {
    await withDocument(async (folder) => {
      const types = astToString(await openapiTS(new URL(`file://${folder}/openapi.json`), { silent: true }));
      await Deno.writeTextFile(`${folder}/api.ts`, types);
      await Deno.writeTextFile(`${folder}/use.ts`, USE);
      const { code, text } = await run(
        Deno.execPath(),
        ["check", "--no-config", "--no-lock", "use.ts"],
        folder,
      );
      assert.equal(code, 0, text);
    });
  },
);

Deno.test({
  name: "oapi-codegen makes a Go client of the document that compiles",
  ignore: !isAsked || !has("go", "version"),
  async fn() {
    const tools = await cacheFolder();
    const tool = `${tools}/oapi-codegen`;
    if (!await exists(tool)) {
      const { code, text } = await run("env", [`GOBIN=${tools}`, "go", "install", GO_TOOL], "/");
      assert.equal(code, 0, text);
    }
    await withDocument(async (folder) => {
      await Deno.writeTextFile(`${folder}/go.mod`, "module berth\n\ngo 1.24\n");
      const args = ["-generate", "types,client", "-package", "berth", "-o", "client.go", "openapi.json"];
      const made = await run(tool, args, folder);
      assert.equal(made.code, 0, made.text);
      const tidied = await run("go", ["mod", "tidy"], folder);
      assert.equal(tidied.code, 0, tidied.text);
      const vetted = await run("go", ["vet", "./..."], folder);
      assert.equal(vetted.code, 0, vetted.text);
    });
  },
});

Deno.test({
  name:
    "openapi-python-client makes a Python client of the document, leaves nothing out, and it can be imported",
  ignore: !isAsked || !has("python3", "--version"),
  async fn() {
    const home = `${await cacheFolder()}/python-0.29.1`;
    if (!await exists(`${home}/bin/openapi-python-client`)) {
      for (
        const [program, args] of [
          ["python3", ["-m", "venv", home]],
          [`${home}/bin/pip`, ["install", "-q", PYTHON_TOOL]],
        ] as const
      ) {
        const { code, text } = await run(program, args, "/");
        assert.equal(code, 0, text);
      }
    }
    await withDocument(async (folder) => {
      const args = ["generate", "--path", "openapi.json", "--output-path", "berth_client", "--meta", "none"];
      const { code, text } = await run(`${home}/bin/openapi-python-client`, args, folder);
      assert.equal(code, 0, text);
      assert.doesNotMatch(text, /Unable|unsupported|missing from/i, text);
      const imported = await run(`${home}/bin/python`, ["-c", IMPORT_ALL], folder);
      assert.equal(imported.code, 0, imported.text);
      assert.ok(Number(imported.text) > 100, imported.text);
    });
  },
});

const IMPORT_ALL = [
  "import importlib, pkgutil, berth_client",
  "names = [m.name for m in pkgutil.walk_packages(berth_client.__path__, 'berth_client.')]",
  "[importlib.import_module(name) for name in names]",
  "print(len(names))",
].join("\n");

function has(program: string, flag: string): boolean {
  try {
    return new Deno.Command(program, { args: [flag], stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    console.warn(`SKIPPED: there is no ${program} on this machine to compile a client with`);
    return false;
  }
}

async function cacheFolder(): Promise<string> {
  const base = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME") || "/tmp"}/.cache`;
  await Deno.mkdir(`${base}/berth/generators`, { recursive: true });
  return `${base}/berth/generators`;
}

function exists(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}

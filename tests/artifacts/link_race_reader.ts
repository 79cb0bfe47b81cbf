/** Reads a folder for some seconds while others change it, and prints what it saw of what lies outside. */
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import { isRefusal } from "../../artifacts/files/file_store.ts";
import { SafeReader } from "../../artifacts/files/safe_reader.ts";

const [root = "", seconds = "1"] = Deno.args;
const until = performance.now() + Number(seconds) * 1_000;
const seen = { reads: 0, inside: 0, refused: 0, lists: 0, models: 0, escapes: [] as string[] };
const isOver = () => performance.now() > until || seen.escapes.length > 20;

/** Checks that no text from outside was read: such a file says so in its text and in its name. */
function check(what: string, text: string): void {
  if (text.includes("outside")) seen.escapes.push(what);
}

const reader = new SafeReader(root);

async function readFiles(): Promise<void> {
  while (!isOver()) {
    seen.reads++;
    const read = await reader.read("a/b/compose.yaml");
    if (isRefusal(read)) {
      seen.refused++;
      continue;
    }
    seen.inside++;
    check("a file", read.text);
  }
}

async function list(): Promise<void> {
  while (!isOver()) {
    seen.lists++;
    const entries = await reader.list("a/b", 100, () => true);
    if (!isRefusal(entries)) check("a folder's entries", JSON.stringify(entries.entries));
    if (await reader.look("a/b/outside.yaml") === "file") seen.escapes.push("what is at a path");
  }
}

async function readModels(): Promise<void> {
  while (!isOver()) {
    seen.models++;
    try {
      const model = await new WorkspaceReader(root).read();
      check("a model", JSON.stringify(model.files.map(({ path, text }) => [path, text])));
    } catch (error) {
      if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    }
  }
}

await Promise.all([readFiles(), readFiles(), readFiles(), list(), readModels()]);
console.log(JSON.stringify(seen));

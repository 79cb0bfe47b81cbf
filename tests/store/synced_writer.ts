/** A process that saves a file and exports a store, to be watched from outside. */
import { replaceFile } from "../../artifacts/files/replace_file.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { writeCopy } from "../../store/copy_file.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";

const folder = Deno.args[0]!;
await Deno.writeTextFile(`${folder}/compose.yaml`, "one");
await replaceFile(folder, "compose.yaml", { expected: sha256("one"), text: "two" });
await using store = await openSqliteStore(`${folder}/store.db`);
await writeCopy(store.copy, `${folder}/export.ndjson`);

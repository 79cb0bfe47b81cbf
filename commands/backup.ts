/** `berth backup <file>`: a complete copy of the store, while the service runs or not. */
import { type Config, readConfig } from "../config/config.ts";
import { baseName, folderOf } from "../artifacts/files/paths.ts";
import { backUpStoreFile } from "../store/sqlite/backup.ts";
import { StartFailure } from "../app/start_failure.ts";
import { EXIT } from "./exit_code.ts";
import { tell } from "./failure.ts";
import type { Line } from "./command.ts";

export async function run({ args: [file = ""], option }: Line): Promise<number> {
  try {
    const config = await readConfig();
    mustBeFile(config);
    await mustHaveStore("back up", config);
    await mustBeSpare("back up", file, config);
    if (option("--force") === undefined) await mustBeFree("back up", file);
    await backUpStoreFile(`${config.data}/berth.db`, file);
  } catch (error) {
    return tell(error);
  }
  console.log(`The store was copied to ${file}`);
  return EXIT.FINE;
}

function mustBeFile({ database }: Config): void {
  if (database === null) return;
  throw new StartFailure(
    "Cannot back up: the store is in PostgreSQL, whose own tool does it: " +
      `pg_dump --format=custom --file=berth.dump ${wordOf(database)}`,
  );
}

/** Opening a store makes one where there is none, and a copy of nothing would look like a backup. */
export async function mustHaveStore(what: string, { data, database }: Config): Promise<void> {
  if (database !== null) return;
  try {
    await Deno.stat(`${data}/berth.db`);
  } catch {
    throw new StartFailure(`Cannot ${what}: there is no store in the data folder "${data}"`);
  }
}

/** As `pg_dump` takes it. */
function wordOf({ host, port, user, name }: NonNullable<Config["database"]>): string {
  return `--host=${host} --port=${port} --username=${user} ${name}`;
}

/** The file may be the only good copy of another day. */
export async function mustBeFree(what: string, file: string): Promise<void> {
  const isThere = await Deno.lstat(file).then(() => true, () => false);
  if (isThere) {
    throw new StartFailure(`Cannot ${what}: "${file}" is there already; name another file, or add --force`);
  }
}

/** Files that berth keeps in its data folder: one with such a name would take its place. */
const OWN = [
  "berth.db",
  "berth.db-wal",
  "berth.db-shm",
  "berth.log",
  "config.yaml",
  "running-version",
  "sealing-key",
  "setup-token",
];

/** A store that a restore has put aside, and what lies beside it. */
const PUT_ASIDE = /^berth\.db\.before-restore(-\d+)?(-wal|-shm)?$/;

/**
 * Refuses a file of berth's own, also with `--force`: a copy in its place would end the store that it is of. Compared are
 * the files, which other paths lead to as well, and the names of those that are not there now.
 */
export async function mustBeSpare(
  what: string,
  file: string,
  { data, sealingKeyFile }: Pick<Config, "data" | "sealingKeyFile">,
): Promise<void> {
  const path = Deno.build.os === "windows" ? file.replaceAll("\\", "/") : file;
  const name = baseName(path).toLowerCase(); // as file systems without case have it
  const isOwnName = (OWN.includes(name) || PUT_ASIDE.test(name)) &&
    await isSame(path.includes("/") ? folderOf(path) || "/" : ".", data);
  const own = [...OWN.map((name) => `${data}/${name}`), ...(sealingKeyFile === null ? [] : [sealingKeyFile])];
  const isOwn = isOwnName || (await Promise.all(own.map((one) => isSame(path, one)))).includes(true);
  if (isOwn) throw new StartFailure(`Cannot ${what}: "${file}" is berth's own; name another file`);
}

/** Returns true if both paths lead to one file or folder; where one is not there, writing says so. */
async function isSame(path: string, other: string): Promise<boolean> {
  try {
    if (await Deno.realPath(path) === await Deno.realPath(other)) return true;
    const [one, two] = await Promise.all([Deno.stat(path), Deno.stat(other)]);
    return one.ino !== null && one.ino === two.ino && one.dev === two.dev;
  } catch {
    return false;
  }
}

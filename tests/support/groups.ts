/**
 * Groups of test files, which share a module graph: they run one after the other and load the program once. A file with
 * an engine, a browser or a database of its own, which ends after its last test, stays by itself.
 */
import { sources } from "../house/sources.ts";

/** More of them leave a core with nothing to do at the end. */
const MOST = 10;
/** Nothing of a group is shared but the program: neither what lives as long as its file, nor where a test is said to be. */
const BY_ITSELF =
  /\b(?:shared|start)Browser\b|\bsharedPostgres\b|\bafterAll\b|"unload"|\bsmall_world\b|\bopened\.ts/;
/** Such a file takes a minute, and would begin last: see below. */
const WITH_DATABASE = /\bsharedPostgres\b/;
/** An engine of its own; where none can be had, its tests are left out, and loading the program is all that they cost. */
const WITH_ENGINE = /\b(?:shared|law|proof|start)Engine\b|\bstageOf\b|\bstartSwarm\b/;
const hasEngines = Deno.build.os === "linux" && Deno.uid() === 0 || Deno.env.has("BERTH_TEST_ENGINE");
const HAS_TESTS = /\bDeno\.test\b/;
const ROOT = new URL("../../", import.meta.url);

/**
 * Returns all test files but those that are left out: groups, written into `folder`, and those that stay by themselves. Deno
 * runs the files of the folder with the longest name first, whatever their order here: groups, for one.
 */
export async function grouped(folder: string, leftOut: readonly string[]): Promise<string[]> {
  const alone: string[] = [];
  const rooms = new Map<string, string[]>();
  for await (const path of sources()) {
    // The page's own have its packages: `tests/page/page_units_test.ts` runs them.
    if (!path.endsWith("_test.ts") || path.startsWith("page/") || leftOut.includes(path)) continue;
    const text = await Deno.readTextFile(new URL(path, ROOT));
    // Tests beside their code are small.
    const room = /^tests\/(\w+)\//.exec(path)?.[1] ?? "beside";
    const isAlone = BY_ITSELF.test(text) || (WITH_ENGINE.test(text) ? hasEngines : !HAS_TESTS.test(text));
    if (isAlone && WITH_DATABASE.test(text) && !WITH_ENGINE.test(text)) rooms.set(path, [path]);
    else if (isAlone) alone.push(path);
    else rooms.set(room, [...rooms.get(room) ?? [], path]);
  }
  const groups: string[] = [];
  for (const [room, paths] of rooms) {
    const count = Math.ceil(paths.length / MOST);
    for (let nth = 0; nth < count; nth++) {
      const group = `${folder}/${room.replaceAll("/", "-")}-${nth + 1}.ts`;
      const imports = paths.filter((_, at) => at % count === nth).map((path) =>
        `import "${new URL(path, ROOT)}";\n`
      );
      await Deno.writeTextFile(group, imports.join(""));
      groups.push(group);
    }
  }
  return [...groups, ...alone];
}

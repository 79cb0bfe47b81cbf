/** No pattern of the service is slow on any text: whoever writes a file, a label or a request may make it against one. */
import assert from "node:assert/strict";

/** A look at all of them takes minutes: `BERTH_PROOF=1`. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";
if (!isProof) {
  console.warn("SKIPPED: patterns that are slow on texts made against them; BERTH_PROOF=1 looks for them");
}
const ROOT = new URL("../../", import.meta.url).pathname;
const ROOMS = [
  "artifacts",
  "auth",
  "config",
  "core",
  "engines",
  "http",
  "log",
  "plugins",
  "projects",
  "routes",
  "store",
];

/** Slow on texts that they never see, with the reason. */
const SHORT: Readonly<Record<string, string>> = {
  "^-+|-+$": "runs of dashes are one dash by then",
  "-+$": "at most 50 characters, and runs of dashes are one by then",
  "[.-][0-9A-Za-z_-]{8,}\\.(?:js|css|woff2|svg|png|webp|map)$":
    "an address that was found among the page's files",
  "^(.*@)?(.*)$": "an address of the settings",
  ":.*\\.": "the id of a group or a unit",
  "(\\d+(?:\\.\\d+)?|\\.\\d+)(ns|us|µs|ms|s|m|h|d|w)": "a text that another pattern has taken as a whole",
  "NotCapable|Requires .* access": "the runtime's own words",
};

Deno.env.set("RECHECK_BACKEND", "pure"); // read once, when it is loaded
const { checkSync } = await import("npm:recheck@4.5.0");
if (isProof) checkSync("a", ""); // opens a port that it keeps

/** A regular expression where one can stand. */
const LITERAL =
  /(?<=(?:[(,=:[!&|?{};]|return|=>)\s*)\/(?![*\/])((?:[^\/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g;

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

function* filesIn(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(ROOT + folder)) {
    if (isDirectory) yield* filesIn(`${folder}/${name}`);
    else if (name.endsWith(".ts") && !name.endsWith("_test.ts")) yield `${folder}/${name}`;
  }
}

function patterns(): Pattern[] {
  return ROOMS.flatMap((room) => [...filesIn(room)]).flatMap((file) => {
    const code = Deno.readTextFileSync(ROOT + file).replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");
    return [...code.matchAll(LITERAL)].flatMap(([, source = "", flags = ""]) => {
      try {
        new RegExp(source, flags);
        return [{ file, source, flags }];
      } catch {
        return []; // a division, or a part of a template
      }
    });
  });
}

const name = "every pattern of the service takes linear time on texts made against it (F59, R38)";
Deno.test({ name, ignore: !isProof }, () => {
  const found = patterns();
  assert.ok(found.length > 200, `only ${found.length} patterns were found`);
  const slow: string[] = [];
  const seen = new Set<string>();
  for (const { file, source, flags } of found) {
    const key = `/${source}/${flags}`;
    if (seen.has(key) || source in SHORT) continue;
    seen.add(key);
    const known = flags.replace("d", "").replace("v", "u"); // neither changes what is matched how fast
    const verdict = checkSync(source, known, { timeout: 10_000, checker: "automaton" });
    if (verdict.status === "vulnerable") {
      slow.push(`${file}: ${key} is ${verdict.complexity.summary} on ${verdict.attack.pattern.slice(0, 80)}`);
    }
  }
  assert.deepEqual(slow, [], "write it so that no text has two ways to match (core/without_end.ts may help)");
});

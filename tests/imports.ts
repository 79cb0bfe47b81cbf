/** Which modules may import which: the table of ARCHITECTURE.md, as data and as a check. */

/** Folder → what it may import beside itself: folders (with a slash), files, or packages. First match wins. */
const ALLOWED: readonly (readonly [folder: string, readonly string[]])[] = [
  ["core/", ["zod"]],
  // `node:fs`: Deno's own `open` takes no flags, and the safe reader must not follow a link or wait at a pipe.
  // `node:process`: to keep the YAML parser from it.
  ["artifacts/", ["core/", "zod", "yaml", "node:fs", "node:process"]],
  ["auth/", ["core/", "zod", "jose", "oauth4webapi"]],
  ["store/", ["core/"]],
  ["log/", ["core/"]],
  ["http/", ["core/", "auth/", "hono", "zod"]],
  ["routes/", [
    "http/",
    "core/",
    "artifacts/",
    "auth/",
    "log/",
    "plugins/plugin.ts",
    "plugins/host.ts",
    "hono",
    "zod",
  ]],
  ["plugins/container-runtime/", ["plugins/plugin.ts", "http/", "core/", "hono", "zod"]],
  ["plugins/", ["http/", "core/", "hono", "zod"]],
  ["client/", []],
];

/** The composition root, which nobody imports, and those who import everything. */
const ROOTS = ["main.ts", "start.ts", "compose_app.ts"];
const KNOW_ALL = [...ROOTS, "commands/", "tests/", "bench/"];

/** What Deno brings along that computes and touches nothing outside; `node:sqlite` is the store's alone. */
const BUILTIN = ["node:crypto", "node:zlib", "node:buffer", "node:path", "node:async_hooks"];

const IMPORT =
  /(?:^|[^.\w])(?:import|export)\s+(?:type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?["']([^"']+)["']|import\(\s*["']([^"']+)["']/gm;

/** A breach in words, for every import of the file that the table does not allow. */
export function breaches(file: string, source: string): string[] {
  const found: string[] = [];
  const rule = ALLOWED.find(([folder]) => file.startsWith(folder));
  for (const target of importsOf(file, source)) {
    if (ROOTS.includes(target) && !KNOW_ALL.some((one) => file.startsWith(one))) {
      found.push(`${file} imports ${target}: nobody knows the composition root`);
    } else if (rule !== undefined && !isAllowed(file, target, rule[0], rule[1])) {
      found.push(`${file} imports ${target}, which ${rule[0]} may not`);
    }
  }
  return found;
}

function isAllowed(file: string, target: string, folder: string, allowed: readonly string[]): boolean {
  if (target.startsWith(folder)) return true;
  if (allowed.some((one) => target === one || target.startsWith(one.endsWith("/") ? one : `${one}/`))) {
    return true;
  }
  if (file.endsWith("_test.ts")) {
    return target.startsWith("tests/") || target.startsWith("node:") || target === "fast-check";
  }
  if (target === "node:sqlite") return folder === "store/";
  return BUILTIN.includes(target) && folder !== "client/" && folder !== "core/";
}

/** What a file imports: paths from the root of the project for its own modules, names for packages. */
export function importsOf(file: string, source: string): string[] {
  const targets: string[] = [];
  for (const match of withoutComments(source).matchAll(IMPORT)) {
    const specifier = match[1] ?? match[2];
    if (specifier === undefined) continue;
    targets.push(
      specifier.startsWith(".") ? new URL(specifier, `file:///${file}`).pathname.slice(1) : specifier,
    );
  }
  return targets;
}

/** Examples in comments may import what they like. */
export function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

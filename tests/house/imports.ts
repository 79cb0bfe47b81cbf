/** Which modules may import which: the tables of ARCHITECTURE.md, as data and as checks. */

/** Folder → what it may import beside itself: folders (with a slash), files, or packages. First match wins. */
const ALLOWED: readonly (readonly [folder: string, readonly string[]])[] = [
  // `zod`: a schema that is made by it, and not by `core/schema.ts`, is built at the start of the service.
  ["core/schema", ["zod"]],
  // `node:http`, `node:https`, `node:tls`: Deno's `fetch` cannot be told which address of a name to connect to.
  ["core/", ["node:http", "node:https", "node:tls"]],
  // `node:fs`: Deno's own `open` takes no flags, and the safe reader must not follow a link or wait at a pipe.
  // `node:process`: to keep the YAML parser from it.
  ["artifacts/", ["core/", "yaml", "node:fs", "node:process"]],
  ["projects/", ["core/", "artifacts/"]],
  // `node:dgram`: Deno's own datagrams are not stable.
  // `node:fs`: as artifacts, which it writes to.
  ["git/", ["core/", "artifacts/", "projects/", "node:fs"]],
  ["auth/", ["core/", "jose", "oauth4webapi", "node:dgram"]],
  ["store/", ["core/", "pg"]],
  ["log/", ["core/"]],
  ["http/", ["core/", "auth/", "hono"]],
  ["routes/", [
    "http/",
    "core/",
    "artifacts/",
    "projects/",
    "git/",
    "auth/",
    "log/",
    "plugins/plugin.ts",
    "plugins/host.ts",
    "hono",
  ]],
  // `node:net`, `node:tls`: Deno's own connections over TLS have no TCP keep-alive.
  ["engines/", ["core/", "node:net", "node:tls"]],
  ["plugins/", ["engines/", "http/", "core/", "hono"]],
  ["client/", []],
  // Leaves are loaded when a screen asks for them: one library each, and nothing of the page.
  ["page/leaves/", ["@xterm/", "@codemirror/", "@lezer/highlight"]],
  // The types of a browser are its own; a screen never imports another one (`screenBreach`).
  ["page/", ["client/", "preact", "@preact/signals"]],
];

/** All that a plugin may import of what lies in `plugins/`, beside its own folder. */
const PLUGIN_CONTRACT = "plugins/plugin.ts";
/** The only file of `plugins/` that may import the plugins. */
const PLUGIN_LIST = "plugins/plugins.ts";

/**
 * Large folder → its rooms (folders and files) from the bottom up. A room may import those of the rows before its own,
 * and none of its own row. What is not listed may not be there.
 */
export const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "artifacts/": [
    ["kinds.ts"],
    ["artifact.ts"],
    ["position.ts", "location.ts"],
    ["event_loop.ts"],
    ["yaml/"],
    ["env/"],
    ["files/"],
    ["native/"],
    ["compose/"],
    ["reading/"],
    ["graph/"],
    ["rules/"],
    ["live/"],
    ["drawing/"],
    ["report/"],
    ["registry/"],
  ],
  "projects/": [
    ["fields/"],
    ["hash/", "drift/"],
    ["adopt/"],
    ["specs/", "builds/"],
    ["plan/"],
    ["apply/"],
    ["registries/", "watch/"],
    ["updates/"],
    ["notices/"],
  ],
  "page/": [
    ["verdict.ts", "style.ts"],
    ["words/", "leaves/"],
    ["live/", "router.ts"],
    ["screen_table.ts"],
    ["parts/"],
    ["screens/"],
    ["screens_later.tsx"],
    ["screens.tsx"],
    ["shell.tsx"],
    ["main.tsx", "build.ts"],
  ],
  "engines/": [
    ["calls/"],
    ["rows/", "frames/", "process.ts"],
    ["mirror/"],
    ["links/"],
    ["lent.ts"],
  ],
  "http/": [
    ["declare/"],
    ["site/", "socket/", "live/"],
    ["docs/", "serve/"],
  ],
  "auth/": [
    ["clock.ts", "secret.ts"],
    ["rate_limit.ts", "rate_limit_test.ts"],
    ["audit/"],
    ["keys/", "sealing/"],
    ["provider/"],
    ["sessions/"],
    ["people/"],
    ["access.ts"],
  ],
  "store/": [
    ["copy.ts"],
    ["sql/"],
    ["sqlite/", "postgres/"],
    ["copy_file.ts", "measured.ts", "open.ts"],
  ],
  "plugins/containers/": [
    ["backends/", "settings/"],
    ["containers/", "images/", "networks/", "volumes/", "disk_usage/", "logs/", "exec/", "stats/"],
    ["prune/", "events/", "acts/"],
    ["live/"],
    ["runtime.ts", "routes.ts"],
    ["plugin.ts"],
  ],
};

/** The composition root, which nobody imports, and those who import everything. */
const ROOTS = ["main.ts", "app/"];
const KNOW_ALL = [...ROOTS, "commands/", "tests/", "bench/"];

/** Modules of Deno that compute and touch nothing outside; `node:sqlite` is the store's alone. */
const BUILTIN = ["node:crypto", "node:zlib", "node:buffer", "node:path", "node:async_hooks", "node:timers"];

const IMPORT =
  /(?:^|[^.\w])(?:import|export)\s+(?:type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?["']([^"']+)["']|import\(\s*["']([^"']+)["']/gm;

/** A breach in words, for every import of the file that the table does not allow. */
export function breaches(file: string, source: string): string[] {
  const found: string[] = [];
  const rule = ALLOWED.find(([folder]) => file.startsWith(folder));
  for (const target of importsOf(file, source)) {
    const neighbour = neighbourBreach(file, target) ?? screenBreach(file, target) ?? roomBreach(file, target);
    if (neighbour !== null) found.push(neighbour);
    else if (ROOTS.some((one) => target.startsWith(one)) && !KNOW_ALL.some((one) => file.startsWith(one))) {
      found.push(`${file} imports ${target}: nobody knows the composition root`);
    } else if (rule !== undefined && !isAllowed(file, target, rule[0], rule[1])) {
      found.push(`${file} imports ${target}, which ${rule[0]} may not`);
    }
  }
  for (const [folder, rows] of Object.entries(ROOMS)) {
    if (!file.startsWith(folder) || file.endsWith("_test.ts")) continue;
    const own = roomOf(file.slice(folder.length));
    if (!rows.flat().includes(own)) found.push(`${file}: ${folder}${own} has no row in the table of rooms`);
  }
  return found;
}

/** A plugin imports no other plugin, and nobody else imports one but the list of them. */
function neighbourBreach(file: string, target: string): string | null {
  const own = pluginOf(file);
  const other = pluginOf(target);
  if (own !== null && own !== other && target.startsWith("plugins/") && target !== PLUGIN_CONTRACT) {
    return `${file} imports ${target}: a plugin may import its own folder and ${PLUGIN_CONTRACT} alone`;
  }
  const isInside = own === null && file.startsWith("plugins/") && file !== PLUGIN_LIST;
  return isInside && other !== null
    ? `${file} imports ${target}: only ${PLUGIN_LIST} may import a plugin`
    : null;
}

/** `plugins/<name>/`; null for a file that belongs to no plugin. */
function pluginOf(path: string): string | null {
  return /^plugins\/[^/]+\//.exec(path)?.[0] ?? null;
}

/** A screen of the page imports no other screen, and only the table of screens and the shell import one. */
function screenBreach(file: string, target: string): string | null {
  const [own, other] = [file, target].map((path) => /^page\/screens\/[^/]+\//.exec(path)?.[0] ?? null);
  if (other === null || own === other || SHOW_SCREENS.includes(file)) return null;
  return `${file} imports ${target}: a screen imports its own folder, and nothing else imports one`;
}

const SHOW_SCREENS = [
  "page/screens_later.tsx",
  "page/screens_later.tsx",
  "page/screens.tsx",
  "page/shell.tsx",
];

/** A room imports only what stands below it. */
function roomBreach(file: string, target: string): string | null {
  if (target.endsWith(".css")) return null; // no module
  for (const [folder, rows] of Object.entries(ROOMS)) {
    if (!file.startsWith(folder) || !target.startsWith(folder) || file.endsWith("_test.ts")) continue;
    const [own, other] = [roomOf(file.slice(folder.length)), roomOf(target.slice(folder.length))];
    if (own === other) return null;
    const [ownRow, otherRow] = [own, other].map((room) => rows.findIndex((row) => row.includes(room)));
    if (otherRow === -1) return `${target}: ${folder}${other} has no row in the table of rooms`;
    if (otherRow === ownRow) return `${file} imports ${target}: ${own} and ${other} stand side by side`;
    if (otherRow! > ownRow!) return `${file} imports ${target}: ${other} stands above ${own}`;
  }
  return null;
}

/** `engine/` of `engine/path.ts`; a file by itself is a room too. */
function roomOf(path: string): string {
  return path.slice(0, path.indexOf("/") + 1) || path;
}

/** Files that import each other in a circle, each circle in words. */
export function circles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string) => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(" → "));
    if (done.has(file)) return;
    done.add(file);
    path.push(file);
    for (const target of imports.get(file) ?? []) if (imports.has(target)) visit(target);
    path.pop();
  };
  for (const file of imports.keys()) visit(file);
  return found;
}

function isAllowed(file: string, target: string, folder: string, allowed: readonly string[]): boolean {
  if (target.startsWith(folder)) return true; // within `plugins/`, `neighbourBreach` has looked already
  if (allowed.some((one) => target === one || target.startsWith(one.endsWith("/") ? one : `${one}/`))) {
    return true;
  }
  if (file.endsWith("_test.ts")) {
    return target.startsWith("tests/") || target.startsWith("node:") || target === "fast-check";
  }
  if (target === "node:sqlite") return folder === "store/";
  return BUILTIN.includes(target) && !["client/", "core/", "page/"].includes(folder);
}

/** Returns the imports of a file: paths from the root of the project for its own modules, names for packages. */
export function importsOf(file: string, source: string): string[] {
  return specifiersOf(source).map((specifier) =>
    specifier.startsWith(".")
      ? new URL(specifier, `file:///${file}`).pathname.slice(1)
      : packageOf(specifier)?.name ?? specifier
  );
}

function specifiersOf(source: string): string[] {
  return [...withoutComments(source).matchAll(IMPORT)].flatMap(([, from, dynamic]) => from ?? dynamic ?? []);
}

/** Returns the package that `npm:name@version` names, at whatever path within it; null for any other specifier. */
export function packageOf(specifier: string): { name: string; version: string } | null {
  const [, name, version = ""] = /^npm:((?:@[^/]+\/)?[^@/]+)(?:@([^/]+))?/.exec(specifier) ?? [];
  return name === undefined ? null : { name, version };
}

/** Every `npm:` specifier that a file names. */
export function packagesOf(source: string): { name: string; version: string }[] {
  return specifiersOf(source).flatMap((specifier) => packageOf(specifier) ?? []);
}

/** Examples in comments may import what they like. */
export function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

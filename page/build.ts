/** Builds the page into `page/built/` when its sources have changed. `tools/bundle.ts` bundles the program with what is here. */

const PAGE = new URL("./", import.meta.url);
const BUILT = new URL("built/", PAGE);
const CLIENT = new URL("../client/", PAGE);
/** Scripts besides the page itself, which are asked for by address. */
const SCRIPTS = {
  "late.js": "leaves/late.ts",
  "terminal.js": "leaves/terminal.ts",
  "editor.js": "leaves/editor.ts",
  "de.js": "words/de.ts",
};

/** The place of the source digest in the built page. */
const MARK = /<meta name="berth:build" content="([0-9a-f]{64})">/;

/** Told where something has to be fetched and cannot be. */
export const NO_REGISTRY =
  "The npm registry cannot be reached. Build where it can be, or name another: NPM_CONFIG_REGISTRY=URL";

/** Tells by the runtime's words that a fetch failed, and nothing else. */
export function isUnreachable(words: string): boolean {
  return /client error \(Connect\)|error sending request for url/.test(words);
}

/** Returns the path as the system writes it: on Windows without the slash before the drive. */
export function pathOf({ pathname }: URL): string {
  return decodeURIComponent(Deno.build.os === "windows" ? pathname.slice(1) : pathname);
}

/** Builds when needed. Returns what was done, in a sentence, or null when the page was up to date. */
export async function buildPage(into: URL = BUILT): Promise<string | null> {
  const digest = await digestOf();
  const ms = await replaceFolder(
    into,
    async () => await builtFrom(into) === digest,
    build.bind(null, digest),
  );
  return ms === null ? null : `The page is built (${ms} ms)`;
}

/** Makes a folder anew beside the old one, unless it is up to date. Returns the milliseconds that it took, or null. */
export async function replaceFolder(
  into: URL,
  isMade: () => Promise<boolean>,
  make: (folder: URL) => Promise<void>,
): Promise<number | null> {
  if (await isMade()) return null;
  // Tests begin at the same time, in one process too: one of them builds, and the others wait for it.
  await Deno.mkdir(new URL("../", into), { recursive: true });
  using lock = await Deno.open(`${pathOf(into).slice(0, -1)}.lock`, { create: true, write: true });
  await lock.lock(true);
  if (await isMade()) return null;
  const started = performance.now();
  const folder = new URL(`${into.href.slice(0, -1)}.new/`);
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  try {
    await make(folder);
    await Deno.remove(into, { recursive: true }).catch(() => {});
    await Deno.rename(folder, into);
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
  return Math.round(performance.now() - started);
}

async function build(digest: string, folder: URL): Promise<void> {
  // In parts: what is looked at first, what is looked at later, and what both need.
  await bundle("main.tsx", "--code-splitting", "--outdir", pathOf(folder));
  await nameParts(folder);
  for (const [name, entry] of Object.entries(SCRIPTS)) {
    await bundle(entry, "--output", pathOf(new URL(name, folder)));
  }
  const html = await Deno.readTextFile(new URL("index.html", PAGE));
  const mark = `<meta name="berth:build" content="${digest}">`;
  // Asked for together with the script that needs them, not after it.
  const preload = (await importsOf(new URL("main.js", folder))).map((path) =>
    `<link rel="modulepreload" href="${path}">`
  );
  const head = [mark, ...preload].join("\n    ");
  await Deno.writeTextFile(new URL("index.html", folder), html.replace("<!-- build -->", head));
}

async function builtFrom(folder: URL): Promise<string | null> {
  const html = await Deno.readTextFile(new URL("index.html", folder)).catch(() => "");
  return MARK.exec(html)?.[1] ?? null;
}

/**
 * Names the parts by what is in them: the bundler's names depend on where it was started and where its packages lie.
 * They lie in the folder itself, and files below it ask for them. `settle` is given each script before it is named.
 */
export async function nameParts(
  folder: URL,
  settle: (text: string) => string = (text) => text,
): Promise<void> {
  const texts = new Map<string, string>();
  for (const name of await scriptsBelow(folder)) {
    texts.set(name, settle(await Deno.readTextFile(new URL(name, folder))));
  }
  const kinds = [...texts.keys()].flatMap((name) => {
    const kind = /^(.+)-[0-9A-Z]{8}\.js$/.exec(name)?.[1];
    return kind === undefined ? [] : [[name, `${kind}.js`] as const];
  });
  const renamed = (text: string, names: ReadonlyMap<string, string>) =>
    text.replaceAll(/[\w.-]+-[0-9A-Z]{8}\.js/g, (name) => names.get(name) ?? name);
  const plain = kinds.map(([name, kind]) => [renamed(texts.get(name)!, new Map(kinds)), name, kind] as const)
    .sort();
  const digest = await sha256(new TextEncoder().encode(plain.map(([text]) => text).join("\0")));
  const names = new Map(
    plain.map(([, name, kind], at) => [name, kind.replace(/\.js$/, `-${digest.slice(0, 8)}-${at}.js`)]),
  );
  for (const [name, text] of texts) {
    const to = names.get(name) ?? name;
    await Deno.remove(new URL(name, folder));
    await Deno.writeTextFile(new URL(to, folder), renamed(text, names));
    await Deno.rename(new URL(`${name}.map`, folder), new URL(`${to}.map`, folder)).catch(() => {}); // the page has none
  }
}

async function scriptsBelow(folder: URL, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(below || ".", folder))) {
    if (isDirectory) found.push(...await scriptsBelow(folder, `${below}${name}/`));
    else if (name.endsWith(".js")) found.push(below + name);
  }
  return found;
}

/** Returns the imports that a built script loads at once. */
async function importsOf(script: URL): Promise<string[]> {
  const found = (await Deno.readTextFile(script)).matchAll(/\bfrom\s*"\.(\/[\w-]+\.js)"/g);
  return [...new Set([...found].map(([, path]) => path!))]; // the pattern has this group
}

/** By the runtime's own bundler, which fetches esbuild once, and the packages of `page/deno.lock`. */
async function bundle(entry: string, ...output: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--config",
      pathOf(new URL("deno.json", PAGE)),
      "--platform=browser",
      "--minify",
      ...output,
      pathOf(new URL(entry, PAGE)),
    ],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
  }).output();
  if (success) return;
  const words = new TextDecoder().decode(stderr).trim();
  throw new Error(isUnreachable(words) ? NO_REGISTRY : words);
}

/** Over everything that the built files depend on: sources, client, lock, and the runtime that bundles. */
async function digestOf(): Promise<string> {
  const parts: Uint8Array<ArrayBuffer>[] = [new TextEncoder().encode(Deno.version.deno)];
  for (const root of [PAGE, CLIENT]) {
    for (const path of (await filesBelow(root)).sort()) {
      const text = await Deno.readFile(new URL(path, root));
      parts.push(new TextEncoder().encode(`\n${path}\n${text.byteLength}\n`), text);
    }
  }
  return await sha256(await new Blob(parts).arrayBuffer());
}

export async function sha256(bytes: BufferSource): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

async function filesBelow(folder: URL, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isFile, isDirectory } of Deno.readDir(new URL(below || ".", folder))) {
    if (/^(?:built|shots)/.test(name)) continue; // what is made
    if (isDirectory) found.push(...await filesBelow(folder, `${below}${name}/`));
    else if (isFile && /\.(?:tsx?|css|html|svg|json|lock)$/.test(name)) found.push(below + name);
  }
  return found;
}

/** `page/build.ts [folder]` builds into another folder than `page/built/`. */
if (import.meta.main) {
  const [folder] = Deno.args;
  try {
    const into = folder === undefined ? BUILT : new URL(`${folder}/`, `file://${Deno.cwd()}/`);
    const done = await buildPage(into);
    if (done !== null) console.log(done);
  } catch (error) {
    // berth serves everything else without its page, so this is no reason not to start.
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`The page could not be built, berth goes on without it: ${reason}`);
  }
}

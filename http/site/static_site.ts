/** A built page, served at `/` from a fixed list of files: nothing outside the list can be asked for. */
import { ServiceError } from "../../core/error.ts";
import { holds } from "../declare/etag.ts";
import { gzip, takesGzip } from "../declare/gzip.ts";
import { headOf } from "./head.ts";
import { securityHeaders } from "./security_headers.ts";

/** A built page: its files, and what it may load besides its own origin. */
export interface Site {
  /** A folder, or the files themselves by their paths: `{ "index.html": "<!doctype html>..." }`. */
  readonly files: URL | Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;
  /** Further sources by directive: `{ "img-src": ["blob:"] }`. Scripts and styles come from files of the page alone. */
  readonly sources?: Readonly<Record<string, readonly string[]>>;
  /** Answered in place of the page while it is not there: which command makes it. */
  readonly unbuilt?: string;
}

/** Returns true if the page's files are there. */
export async function isBuilt({ files }: Site): Promise<boolean> {
  if (!(files instanceof URL)) return Object.hasOwn(files, INDEX);
  return await Deno.stat(new URL(INDEX, folderOf(files))).then(({ isFile }) => isFile, () => false);
}

const INDEX = "index.html";

/** One source for each kind of content, ours; frames, plugins and other origins are refused. */
const POLICY: Readonly<Record<string, readonly string[]>> = {
  "default-src": ["'none'"],
  "script-src": ["'self'"],
  "style-src": ["'self'"],
  "img-src": ["'self'", "data:"],
  "font-src": ["'self'"],
  "connect-src": ["'self'"],
  "manifest-src": ["'self'"],
  "worker-src": ["'self'"],
  "base-uri": ["'none'"],
  "frame-ancestors": ["'none'"],
  "form-action": ["'self'"],
  "require-trusted-types-for": ["'script'"],
  "trusted-types": ["'none'"],
};
/** Directives that a page may widen; all others stay as they are. */
const OPENABLE = ["img-src", "font-src", "connect-src", "media-src"];
const SOURCE = /^(?:blob:|data:|(?:https|wss):\/\/[\w.-]+(?::\d+)?)$/;

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  webmanifest: "application/manifest+json",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  ico: "image/x-icon",
  woff2: "font/woff2",
};
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|manifest)|image\/svg)/;
/** A build puts a hash of the content into the name: such a file never changes. */
const HASHED = /[.-][0-9A-Za-z_-]{8,}\.(?:js|css|woff2|svg|png|webp|map)$/;

const MOST_FILES = 2_000;
const MOST_BYTES = 32 * 1024 * 1024;

interface SiteFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  readonly caching: string;
  zipped: Promise<Uint8Array<ArrayBuffer>> | undefined;
}

export class StaticSite {
  readonly #site: Site;
  readonly #headers: readonly [string, string][];
  #files: Promise<ReadonlyMap<string, SiteFile>> | null = null;

  /** Reads nothing before it is asked. Throws for a source that a page may not open. */
  constructor(site: Site, options: { readonly tls: boolean }) {
    this.#site = site;
    this.#headers = securityHeaders({ ...options, contentSecurityPolicy: policyOf(site) });
  }

  /** All files, read once; a page that is not there yet is looked for again by the next who asks. */
  async #read(): Promise<ReadonlyMap<string, SiteFile>> {
    this.#files ??= (async () => {
      if (!await isBuilt(this.#site)) {
        throw new ServiceError("not_found", this.#site.unbuilt ?? `The page has no ${INDEX}`);
      }
      return await readSite(this.#site);
    })();
    try {
      return await this.#files;
    } catch (error) {
      this.#files = null;
      throw error;
    }
  }

  /**
   * Null for what is not the page's: another method, `/api`, a file that is not there. Any other path, where a
   * browser asks for a document, is a view of the page and answered with its `index.html`. Throws `not_found` while the page is not there.
   */
  async answer(request: Request, path: string, requestId: string): Promise<Response | null> {
    if ((request.method !== "GET" && request.method !== "HEAD") || /^\/api(?:\/|$)/.test(path)) return null;
    const files = await this.#read();
    const file = files.get(path) ?? (isView(request) ? files.get("/") : undefined);
    if (file === undefined) return null;
    const headers: [string, string][] = [
      ...this.#headers,
      ["x-request-id", requestId],
      ["etag", file.etag],
      ["cache-control", file.caching],
      ["vary", "accept-encoding"],
    ];
    if (holds(request, file.etag)) return new Response(null, { status: 304, headers });
    headers.push(["content-type", file.type]);
    let { bytes } = file;
    if (COMPRESSIBLE.test(file.type) && takesGzip(request)) {
      bytes = await (file.zipped ??= gzip(bytes));
      headers.push(["content-encoding", "gzip"]);
    }
    const response = new Response(bytes, { headers });
    return request.method === "HEAD" ? await headOf(response, true) : response;
  }
}

async function readSite(site: Site): Promise<ReadonlyMap<string, SiteFile>> {
  const files = new Map<string, SiteFile>();
  let size = 0;
  for await (const [path, bytes] of filesOf(site.files)) {
    size += bytes.byteLength;
    if (files.size >= MOST_FILES || size > MOST_BYTES) {
      throw new Error(`The page has more than ${MOST_FILES} files or ${MOST_BYTES} bytes`);
    }
    files.set(`/${path}`, await siteFile(path, bytes));
  }
  const index = files.get(`/${INDEX}`);
  if (index !== undefined) files.set("/", index);
  return files;
}

/** Somebody navigates: a browser asks for a document. A dot in the path is no file's: containers have such names. */
function isView({ headers }: Request): boolean {
  return (headers.get("accept") ?? "").includes("text/html");
}

function policyOf({ sources = {} }: Site): string {
  for (const [directive, added] of Object.entries(sources)) {
    const refused = OPENABLE.includes(directive) ? added.find((source) => !SOURCE.test(source)) : directive;
    if (refused !== undefined) throw new Error(`The page may not open "${refused}" in its policy`);
  }
  return Object.entries({
    ...POLICY,
    ...Object.fromEntries(
      Object.keys(sources).map((name) => [
        name,
        [...POLICY[name] ?? ["'self'"], ...sources[name] ?? []],
      ]),
    ),
  }).map(([directive, allowed]) => `${directive} ${allowed.join(" ")}`).join("; ");
}

async function siteFile(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<SiteFile> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return {
    bytes,
    type: TYPES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream",
    etag: `"${digest.subarray(0, 12).toHex()}"`,
    // Deno would compress again on every request, and weaken the tag: told not to.
    caching: `${HASHED.test(path) ? "public, max-age=31536000, immutable" : "no-cache"}, no-transform`,
    zipped: undefined,
  };
}

async function* filesOf(
  files: Site["files"],
): AsyncGenerator<[path: string, bytes: Uint8Array<ArrayBuffer>]> {
  if (files instanceof URL) yield* filesBelow(folderOf(files), "");
  else {
    for (const [path, content] of Object.entries(files)) {
      yield [path, typeof content === "string" ? new TextEncoder().encode(content) : content];
    }
  }
}

function folderOf(url: URL): URL {
  return url.href.endsWith("/") ? url : new URL(`${url}/`);
}

/** Regular files only: a link may point outside the folder. */
async function* filesBelow(
  folder: URL,
  below: string,
): AsyncGenerator<[path: string, bytes: Uint8Array<ArrayBuffer>]> {
  for await (const { name, isFile, isDirectory } of Deno.readDir(folder)) {
    const url = new URL(encodeURIComponent(name), folder);
    if (isDirectory) yield* filesBelow(new URL(`${url}/`), `${below}${name}/`);
    else if (isFile) yield [below + name, await Deno.readFile(url)];
  }
}

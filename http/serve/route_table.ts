/** Finds the declared route of a request, with Hono's router. */
import type { Result } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import { getPath, tryDecode } from "hono/utils/url";
import { type Entry, nameOf } from "../declare/router.ts";

export interface FoundRoute {
  readonly entry: Entry;
  /** As `GET /api/containers/{id}`. */
  readonly name: string;
  /** Decoded. */
  readonly params: Record<string, string>;
}

type Named = Omit<FoundRoute, "params">;

const METHODS = ["GET", "POST", "PUT", "DELETE"];
/** Callers may write any other method down, which is found nowhere. */
const ASKED = new Set([...METHODS, "HEAD"]);

export class RouteTable {
  /** Routes of paths without a parameter, by path and method, once they were found. */
  readonly #fixed = new Map<string, Map<string, FoundRoute | null>>();
  readonly #router = new SmartRouter<Named>({ routers: [new RegExpRouter(), new TrieRouter()] });

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) {
      const path = "/api" +
        entry.route.path.replace(/\{(\w+)\.\.\.\}/g, ":$1{.+}").replace(/\{(\w+)\}/g, ":$1");
      if (!path.includes(":")) this.#fixed.set(path, new Map());
      this.#router.add(entry.kind === "socket" ? "GET" : entry.route.method.toUpperCase(), path, {
        entry,
        name: nameOf(entry.route),
      });
    }
  }

  /** HEAD finds the route of GET; of several that fit, the first that was declared counts. */
  find(method: string, path: string): FoundRoute | null {
    const known = this.#fixed.get(path);
    if (known === undefined || !ASKED.has(method)) return this.#found(method, path);
    let found = known.get(method);
    if (found === undefined) known.set(method, found = this.#found(method, path));
    return found;
  }

  #found(method: string, path: string): FoundRoute | null {
    const [[first], texts] = this.#router.match(method === "HEAD" ? "GET" : method, path) as Result<Named>;
    if (first === undefined) return null;
    const [{ entry, name: route }, found] = first;
    const params: Record<string, string> = {};
    for (const name in found) {
      const value = found[name];
      const text = typeof value === "number" ? texts?.[value] : value;
      if (text !== undefined) params[name] = text.includes("%") ? tryDecode(text, decodeURIComponent) : text;
    }
    return { entry, name: route, params };
  }

  /** The methods that this path has, as the header Allow lists them. */
  methodsOf(path: string): readonly string[] {
    return METHODS.filter((method) => this.#router.match(method, path)[0].length > 0)
      .flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]);
  }
}

/** The path of a request, decoded but for what would change its segments. */
export function pathOf(request: Request): string {
  return getPath(request);
}

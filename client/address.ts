/** From base, template, params and query to a URL that says what the caller meant, or to a refusal. */
import type { Query } from "./endpoint.ts";

/** The base as origin and path, ending in one `/`. @throws {TypeError} without quoting it: it may hold a password. */
export function parseBase(baseUrl: string | URL): URL {
  const url = URL.canParse(String(baseUrl)) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError("baseUrl must be an absolute http(s) URL without credentials, query or fragment");
  }
  return new URL(url.origin + url.pathname.replace(/\/*$/, "/"));
}

/** The URL of a call. @throws {TypeError} when it would not be the one that the template says. */
export function address(
  base: URL,
  template: string,
  params: Readonly<Record<string, unknown>> = {},
  query: Query = {},
): string {
  const names = new Set<string>();
  const path = template.replace(/^\//, "").replace(/\{(\w+)(\.{3})?\}/g, (_, name: string, rest?: string) => {
    names.add(name);
    const what = "param " + name;
    if (!Object.hasOwn(params, name)) throw new TypeError(what + " is missing");
    const value = scalar(what, params[name]);
    // Gateways decode %2F, so a dot segment inside a value would climb.
    if (!value || !value.isWellFormed() || /(^|[/\\])\.\.?($|[/\\])/.test(value)) {
      throw new TypeError(what + " is empty, a dot segment or not Unicode");
    }
    // A slash of a `{key...}` is the path's own, because some gateways refuse %2F.
    return rest ? quote(value).replaceAll("%2F", "/") : quote(value);
  });
  for (const name of Object.keys(params)) {
    if (!names.has(name)) throw new TypeError(`param ${name} is not in the path`);
  }
  const url = new URL(base.href + path);
  if (url.origin !== base.origin || url.pathname !== base.pathname + path) {
    throw new TypeError("the path would change on its way");
  }
  let search = "";
  for (const key of Object.keys(query)) {
    const given = query[key];
    for (const value of Array.isArray(given) ? given : [given]) {
      if (value === undefined || value === null) continue;
      const what = "query " + key;
      const text = value instanceof Date && !isNaN(+value) ? value.toISOString() : scalar(what, value);
      search += `${search ? "&" : "?"}${quote(key)}=${quote(text)}`;
    }
  }
  return url.href + search;
}

function scalar(what: string, value: unknown): string {
  const type = typeof value;
  if (type === "string") return value as string;
  if (type === "number" ? !isFinite(value as number) : type !== "boolean" && type !== "bigint") {
    throw new TypeError(what + " is not a finite scalar");
  }
  return String(value);
}

/** RFC 3986: all but `A-Za-z0-9-._~`; `1),O(2` must not become a second predicate. */
function quote(value: string): string {
  if (/^[\w.~-]*$/.test(value)) return value;
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase(),
  );
}

/** Which host a request asks for. */

/**
 * The Host header; over HTTP/2, which only a TLS listener speaks, it may be absent, and the target's authority stands
 * for it. Null when there is neither.
 */
export function hostOf({ headers, url }: Request): string | null {
  const host = headers.get("host");
  if (host !== null || !url.startsWith("https:")) return host;
  const start = "https://".length;
  const end = url.indexOf("/", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

/** The questions that a supervisor asks: whether the process lives, and whether it can serve. Each is answered with a word. */

export const LIVE = "/api/health/live";
export const READY = "/api/health/ready";

/**
 * Returns true for one of the two probes. Supervisors call them by an address of their own choice, so their
 * answers hold nothing that a foreign host name must not see.
 */
export function isProbe({ url }: Request): boolean {
  // Nearly every request ends here.
  if (!url.endsWith("/live") && !url.endsWith("/ready")) return false;
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  return path === LIVE || path === READY;
}

/** A word, for people and programs alike. */
export function word(status: 200 | 503, text: string): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}

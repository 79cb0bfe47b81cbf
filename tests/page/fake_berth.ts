/** A berth at the edge of the process, for units of the page that ask one: each path with its answer. */

/** Answers a request, or null where the path is another's. */
type Answer = (path: string, request: Request) => unknown;

/** The session that every unit has. */
const SESSION = {
  accessToken: "token",
  expiresIn: 900,
  principal: { kind: "user", id: "1", name: "ada", grants: [], permissions: [] },
};

/** The place of the document, which the client reads when it is loaded: this file is imported before it. */
export const place = { origin: "http://127.0.0.1:1", reloads: 0, reload: () => void place.reloads++ };
Object.defineProperty(globalThis, "location", { value: place, configurable: true });

/** Answers every request of the page's client; a `Response` as it is, anything else as JSON. */
export function answerWith(answer: Answer): void {
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  Object.defineProperty(globalThis, "localStorage", { value: localStorage, configurable: true });
  globalThis.fetch = async (input, init) => {
    const request = new Request(input as string, init);
    const path = new URL(request.url).pathname;
    const told = await answer(path, request) ?? (path === "/api/auth/refresh" ? SESSION : null);
    return told instanceof Response
      ? told
      : json(told ?? { title: "No such route" }, told === null ? 404 : 200);
  };
}

export const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

/** An answer that goes on and tells nothing. */
export const silent = (): Response =>
  new Response(new ReadableStream({}), { headers: { "content-type": "application/x-ndjson" } });

/** A server that gives a command the answers of a berth, in turn. */

/** Answers of each path, in turn; the last one stays. A number is a status, an array the lines of a stream. */
export type Answers = Readonly<Record<string, readonly (number | readonly unknown[] | object)[]>>;

/** Serves on a free loopback port until disposed of. Every request is told to `asked` first. */
export function answering(
  answers: Answers,
  asked: (url: URL) => void = () => {},
): AsyncDisposable & { readonly url: string } {
  const turns = new Map(Object.entries(answers).map(([path, all]) => [path, [...all]]));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const url = new URL(request.url);
    asked(url);
    const turn = turns.get(url.pathname) ?? [];
    const answer = turn.length > 1 ? turn.shift() : turn[0];
    if (answer === undefined) return Response.json({ title: "not found" }, { status: 404 });
    if (typeof answer === "number") return Response.json({ title: "no" }, { status: answer });
    if (!Array.isArray(answer)) {
      return Response.json(answer, { status: request.method === "POST" ? 201 : 200 });
    }
    const lines = answer.map((one) => `${JSON.stringify(one)}\n`).join("");
    return new Response(lines, { headers: { "content-type": "application/x-ndjson" } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

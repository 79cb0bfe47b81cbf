/** An engine that says it has a newer API than it has, and keeps what it is asked to create. */

export interface NewerEngine extends AsyncDisposable {
  readonly socket: string;
  /** The bodies of all containers that it was asked for, in that order. */
  // deno-lint-ignore no-explicit-any -- a test reads what it expects
  readonly asked: any[];
}

/** Stands before a real engine, and sends all requests on to it in its own version. */
export async function newerEngine(socket: string, apiVersion: string): Promise<NewerEngine> {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "ne" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  stack.defer(() => client.close());
  const own = await (await fetch("http://engine/version", { client })).json();
  const asked: unknown[] = [];
  const path = `${folder}/socket`;
  const front = Deno.serve({ path, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const plain = pathname.replace(/^\/v[\d.]+/, "");
    const body = request.method === "POST" ? await request.text() : null;
    if (plain === "/containers/create") asked.push(JSON.parse(body!));
    const { method, headers: sent, signal } = request;
    const url = `http://engine/v${own.ApiVersion}${plain}${search}`;
    const answer = await fetch(url, { method, headers: sent, body, client, signal }).catch(() => null);
    if (answer === null) return new Response(null, { status: 502 }); // the client has left
    const headers = new Headers(answer.headers);
    headers.set("api-version", apiVersion);
    if (plain !== "/version") return new Response(answer.body, { status: answer.status, headers });
    return Response.json({ ...await answer.json(), ApiVersion: apiVersion });
  });
  stack.defer(() => front.shutdown());
  const all = stack.move();
  return { socket: path, asked, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

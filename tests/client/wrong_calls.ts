/** Calls that must not compile: nothing here runs, a call that compiles after all is an error. */
import { type Client, Endpoint } from "@berth/client";
import { WORKSPACE, WORKSPACES } from "@berth/client/berth";
import { stream } from "@berth/client/stream";

interface Node {
  readonly name: string;
}

const NODE = new Endpoint("Nodes({id},{namespace})").typed<{
  get: { response: Node; query: { depth?: number; at: string } };
  put: { response: Node; payload: { name: string } };
}>();
const PLAIN = new Endpoint("plain");

/** Each of these would be refused at run time, or by the server; the compiler says so first. */
export async function wrong(client: Client): Promise<void> {
  // @ts-expect-error: params are missing
  await client.get(NODE, { query: { at: "x" } });
  // @ts-expect-error: no options at all
  await client.get(NODE);
  // @ts-expect-error: one param is missing
  await client.get(NODE, { params: { id: 1 }, query: { at: "x" } });
  // @ts-expect-error: a param is misspelt
  await client.get(NODE, { params: { id: 1, namespaces: "a" }, query: { at: "x" } });
  // @ts-expect-error: a param too many
  await client.get(NODE, { params: { id: 1, namespace: "a", extra: 1 }, query: { at: "x" } });
  // @ts-expect-error: params are scalars
  await client.get(NODE, { params: { id: null, namespace: {} }, query: { at: "x" } });
  // @ts-expect-error: params for a path without any
  await client.get(PLAIN, { params: { id: 1 } });
  // @ts-expect-error: a query key is required
  await client.get(NODE, { params: { id: 1, namespace: "a" } });
  // @ts-expect-error: a query key that there is not
  await client.get(NODE, { params: { id: 1, namespace: "a" }, query: { at: "x", deep: 1 } });
  // @ts-expect-error: a query value of another type
  await client.get(NODE, { params: { id: 1, namespace: "a" }, query: { at: "x", depth: "1" } });
  // @ts-expect-error: GET takes no payload
  await client.get(PLAIN, { payload: 1 });
  // @ts-expect-error: a payload is required
  await client.put(NODE, { params: { id: 1, namespace: "a" } });
  // @ts-expect-error: a payload of another type
  await client.put(NODE, { params: { id: 1, namespace: "a" }, payload: { nam: "x" } });
  // @ts-expect-error: this route knows no query
  await client.get(WORKSPACES, { query: { q: "x" } });
  // @ts-expect-error: the route's own payload type
  await client.post(WORKSPACES, { payload: { folder: "/srv" } });
  // @ts-expect-error: an id is required
  await client.delete(WORKSPACE);
  // @ts-expect-error: json() is typed
  const wrongly: number = (await client.get(WORKSPACES)).json().items;
  // @ts-expect-error: a format that there is not
  stream(client, PLAIN, { as: "xml" });
  void wrongly;
}

/** And these are right. */
export async function right(client: Client, dynamic: string): Promise<void> {
  const node: Node = (await client.get(NODE, {
    params: { id: 1, namespace: "a" },
    query: { at: "x", depth: undefined },
  })).json();
  await client.put(NODE, { params: { id: 1n, namespace: true }, payload: node, expectedStatus: [200, 409] });
  await client.get(PLAIN, { query: { any: [1, "b", null] } });
  await client.get(new Endpoint(dynamic), { params: { whatever: 1 } });
  await client.post(PLAIN);
  for await (const piece of stream(client, PLAIN, { as: "text" })) piece.toUpperCase();
}

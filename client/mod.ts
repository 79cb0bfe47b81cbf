/**
 * A small, typed REST client over `fetch`, without dependencies: path templates whose parameters the compiler knows,
 * one budget of time a call, one retry after a 401, errors that carry the response and never a credential.
 *
 * @example
 * ```ts
 * import { BearerAuth, Client, Endpoint } from "@berth/client";
 *
 * const NODE = new Endpoint("Nodes({id},{namespace})").typed<{ get: { response: { name: string } } }>();
 *
 * async function main(): Promise<void> {
 *   using client = new Client({ baseUrl: "https://odata.test/v4", auth: new BearerAuth("a token"), verifyTls: true });
 *   const node = await client.get(NODE, { params: { id: 7, namespace: "default" }, query: { $select: "name" } });
 *   console.log(node.statusCode, node.json().name);
 * }
 * ```
 *
 * @module
 */
export * from "./auth.ts";
export { Client, type ClientOptions } from "./client.ts";
export * from "./endpoint.ts";
export * from "./errors.ts";
export * from "./response.ts";
export type { Fetch } from "./transport.ts";

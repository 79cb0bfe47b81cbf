/** The documents that the service serves about itself, as tests walk them. */
import { startService } from "./service.ts";
import { PLUGINS } from "../../plugins/plugins.ts";

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Content {
  readonly [type: string]: { readonly schema: Schema; readonly example?: unknown };
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly "x-permission": string;
  readonly "x-websocket"?: true;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly headers?: Readonly<Record<string, unknown>>;
        readonly content?: Content;
      }
    >
  >;
}

export interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface AsyncApi {
  readonly channels: Readonly<
    Record<string, {
      readonly address: string;
      readonly messages: Readonly<Record<string, { readonly payload: Schema }>>;
    }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Served {
  readonly openapi: OpenApi;
  readonly asyncapi: AsyncApi;
}

/** Of a service with all its plugins. */
export async function servedDocuments(): Promise<Served> {
  await using berth = await startService({ plugins: PLUGINS.map(({ name }) => name) });
  const openapi = await berth.anonymous().call("GET /api/openapi.json");
  const asyncapi = await berth.anonymous().call("GET /api/asyncapi.json");
  return { openapi: openapi.body, asyncapi: asyncapi.body };
}

/** Each operation with its name, as `get /api/containers`. */
export function operationsOf({ paths }: OpenApi): readonly (readonly [name: string, operation: Operation])[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const)
  );
}

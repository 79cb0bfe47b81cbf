/** A path template with its types: what makes a call's parameters and answer known to the compiler. */

/** The HTTP methods the client speaks. */
export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A value that may fill a `{key}` of a path. Empty strings and dot segments are refused at run time. */
export type ParamValue = string | number | bigint | boolean;

/** A value in the query string: `null` and `undefined` are left out, an array repeats its key. */
export type QueryValue =
  | ParamValue
  | Date
  | null
  | undefined
  | readonly (ParamValue | Date | null | undefined)[];

/** The query string, by key. */
export type Query = { readonly [key: string]: QueryValue };

/** The types of one method of an endpoint. They exist at compile time only. */
export interface MethodTypes {
  /** The type that `json()` returns. */
  response?: unknown;
  /** The type of `payload`; absent: any JSON value, or none. */
  payload?: unknown;
  /** The type of `query`; absent: any key. */
  query?: unknown;
  /** The type of each item that `stream()` yields. */
  item?: unknown;
}

/** The types of a socket: what `connect()` sends and receives. */
export interface SocketTypes {
  /** The type of text messages that the client may send, encoded as JSON. */
  send?: unknown;
  /** The type of text messages that arrive, parsed. */
  receive?: unknown;
  /** The type of `query`; absent: any key. */
  query?: unknown;
}

/** The types of an endpoint, by method. */
export interface EndpointTypes {
  /** Types for `client.get`. */
  get?: MethodTypes;
  /** Types for `client.post`. */
  post?: MethodTypes;
  /** Types for `client.put`. */
  put?: MethodTypes;
  /** Types for `client.delete`. */
  delete?: MethodTypes;
  /** Types for `connect()`. */
  socket?: SocketTypes;
}

/** The names of the `{key}`s and `{key...}`s in a path template. */
export type ParamNames<Path extends string> = string extends Path ? string
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? (Name extends `${infer Own}...` ? Own : Name) | ParamNames<Rest>
  : never;

/** The statuses of each method that are not an error; a method that is left out has the client's own. */
export type Statuses = { readonly [M in Lowercase<Method>]?: readonly number[] };

/** The `params` that a path template needs: each of its keys, and nothing else. */
export type Params<Path extends string> = { readonly [Name in ParamNames<Path>]: ParamValue };

/** The types of method `M` in `Types`, or the untyped default. */
export type TypesOf<Types extends EndpointTypes, M extends keyof EndpointTypes> = NonNullable<Types[M]>;

/** The JSON that method `M` answers with. */
export type ResponseOf<Types extends EndpointTypes, M extends keyof EndpointTypes> = TypesOf<Types, M> extends
  { response: infer Response } ? Response : unknown;

/** A typed query as it may be given: what is optional may also be `null` or `undefined`. */
export type Given<Q> = {
  readonly [Key in keyof Q]: Record<never, never> extends Pick<Q, Key> ? Q[Key] | null | undefined : Q[Key];
};

/** `params`, required when and only when the path has `{key}`s. */
export type ParamsOption<Path extends string> = [ParamNames<Path>] extends [never]
  ? { readonly params?: undefined }
  : string extends Path ? { readonly params?: Params<Path> | undefined }
  : { readonly params: Params<Path> };

/** `payload`, required when the endpoint types it, and refused for GET. */
export type PayloadOption<Types extends EndpointTypes, M extends keyof EndpointTypes> = M extends "get"
  ? { readonly payload?: undefined }
  : TypesOf<Types, M> extends { payload: infer Payload }
    ? undefined extends Payload ? { readonly payload?: Payload } : { readonly payload: Payload }
  : { readonly payload?: unknown };

/** `query`, required when the endpoint types it with a required key. */
export type QueryOption<Types extends EndpointTypes, M extends keyof EndpointTypes> =
  TypesOf<Types, M> extends { query: infer Q }
    ? Record<never, never> extends Q ? { readonly query?: Given<Q> | undefined }
    : { readonly query: Given<Q> }
    : { readonly query?: Query | undefined };

/** Options that every call takes. */
export interface CommonOptions {
  /** The statuses that are not an error, in place of the endpoint's and the method's own. */
  readonly expectedStatus?: number | Iterable<number> | undefined;
  /** The `ETag` of what is to be changed: a server that knows another one by now answers 412. */
  readonly ifMatch?: string | undefined;
  /** `*` to make what is not there yet: a server that has it already answers 412. */
  readonly ifNoneMatch?: string | undefined;
  /** Seconds that this call may take in all, in place of the client's own `timeoutS`. Default, and 0: the client's. */
  readonly timeoutS?: number | undefined;
  /** Cancels this call, which then rejects with the signal's reason as it is. */
  readonly signal?: AbortSignal | undefined;
}

/** Everything that one call takes. */
export type Options<Path extends string, Types extends EndpointTypes, M extends keyof EndpointTypes> =
  & CommonOptions
  & ParamsOption<Path>
  & PayloadOption<Types, M>
  & QueryOption<Types, M>;

/** The trailing arguments of a call: optional when no option is required. */
export type Args<O> = Record<never, never> extends O ? [options?: O] : [options: O];

/**
 * A path template such as `Users({id})`, with the types of its methods. The slashes of a `{key}` are encoded; a
 * `{key...}` keeps them as the path's own.
 *
 * @example The keys of the template are the `params` of a call
 * ```ts
 * import { Client, Endpoint } from "@berth/client";
 *
 * const NODE = new Endpoint("Nodes({id},{namespace})").typed<{ get: { response: { name: string } } }>();
 * const client = new Client({ baseUrl: "https://odata.test/v4" });
 *
 * async function nameOf(id: number): Promise<string> {
 *   return (await client.get(NODE, { params: { id, namespace: "default" } })).json().name;
 * }
 * ```
 */
export class Endpoint<Path extends string = string, Types extends EndpointTypes = EndpointTypes> {
  /** The path template. */
  readonly path: Path;
  /** The statuses that are not an error, where a method has others than the client expects. */
  readonly statuses: Statuses;
  /** Never set: carries `Types` at compile time. */
  declare readonly types?: Types;

  /** Checks the template. @throws {TypeError} when it is not a relative path with well-formed `{key}`s. */
  constructor(path: Path, statuses: Statuses = {}) {
    const sample = "/" + path.replace(/^\//, "").replace(/\{[A-Za-z_]\w*(\.{3})?\}/g, "_");
    // A template that URL parsing would change (dot segments, `?`, `\`, spaces, braces) is not one.
    if (/^\/$|\/\//.test(sample) || new URL("http://h" + sample).pathname !== sample) {
      throw new TypeError("not a relative path template: " + JSON.stringify(path));
    }
    this.path = path;
    this.statuses = statuses;
  }

  /** The same endpoint with types: `new Endpoint("Users").typed<{ get: { response: User[] } }>()`. */
  typed<T extends EndpointTypes>(): Endpoint<Path, T> {
    // Types exist at compile time only, so any endpoint carries any of them.
    return this as Endpoint<Path, EndpointTypes> as Endpoint<Path, T>;
  }
}

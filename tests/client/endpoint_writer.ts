/** Writes the client's endpoint constants and their types from the documents that the service serves. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
}

interface Operation {
  readonly summary: string;
  readonly "x-websocket"?: boolean;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
    /** True for the rest of a path, with its slashes. */
    readonly "x-segments"?: boolean;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

/** The part of an OpenAPI document that matters here. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The part of an AsyncAPI document that matters here. */
export interface SocketDocument {
  readonly channels: Readonly<
    Record<string, {
      readonly address: string;
      readonly messages: Readonly<Record<string, { readonly payload: Schema }>>;
    }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The text messages of a socket. */
interface SocketMessages {
  readonly up?: Schema;
  readonly down?: Schema;
}

const SHARED = "models";
const LIVE = "live";

/** The files of `client/berth/`, by name. */
export function endpointFiles(document: Document, sockets: SocketDocument): Map<string, string> {
  return new Writer(document, sockets).files();
}

/** `/api/workspaces/{id}/artifacts/groups/{name}` becomes `WORKSPACE_ARTIFACTS_GROUP`. */
export function constantName(path: string): string {
  const segments = path.replace(/^\/api\//, "").split("/");
  return segments.flatMap((segment, i) => {
    if (segment.startsWith("{")) return [];
    const word = segment.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
    return [
      segments[i + 1]?.startsWith("{")
        ? word.replace(/^PEOPLE$/, "PERSON").replace(/IES$/, "Y").replace(/S$/, "")
        : word,
    ];
  }).join("_");
}

class Writer {
  readonly #document: Document;
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #sockets = new Map<string, SocketMessages>();
  /** The groups that use a component. */
  readonly #users = new Map<string, Set<string>>();
  /** A component in words: the first thing that uses it. */
  readonly #roles = new Map<string, string>();

  constructor(document: Document, sockets: SocketDocument) {
    this.#document = document;
    this.#schemas = { ...sockets.components.schemas, ...document.components.schemas };
    for (const { address, messages: { up, down } } of Object.values(sockets.channels)) {
      this.#sockets.set(address, {
        ...(up === undefined ? {} : { up: up.payload }),
        ...(down === undefined ? {} : { down: down.payload }),
      });
      for (const message of [up, down]) {
        if (message) this.#note(message.payload, groupOf(address), `A message of \`WS ${address}\``);
      }
    }
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const route = `\`${method.toUpperCase()} ${path}\``;
        const body = operation.requestBody?.content["application/json"]?.schema;
        if (body) this.#note(body, groupOf(path), `The payload of ${route}`);
        for (const { schema } of operation.parameters ?? []) {
          this.#note(schema, groupOf(path), `A parameter of ${route}`);
        }
        for (const [type, { schema }] of successes(operation)) {
          const role = /ndjson|event-stream/.test(type) ? "An item of the stream of" : "The answer of";
          this.#note(schema, groupOf(path), `${role} ${route}`);
        }
      }
    }
  }

  files(): Map<string, string> {
    const groups = Map.groupBy(Object.keys(this.#document.paths), groupOf);
    const files = new Map<string, string>();
    for (const [group, paths] of groups) files.set(`${group}.ts`, this.#file(group, paths));
    if ([...this.#users.keys()].some((name) => this.#home(name) === SHARED)) {
      files.set(`${SHARED}.ts`, this.#file(SHARED, []));
    }
    const names = [...files.keys()].sort();
    files.set(
      "mod.ts",
      `/**
 * A typed constant for every path of berth's API, and the types of what goes over them.
 *
 * @example
 * \`\`\`ts
 * import { BearerAuth, Client } from "@berth/client";
 * import { WORKSPACES } from "@berth/client/berth";
 *
 * async function missing(baseUrl: string, key: string): Promise<string[]> {
 *   using client = new Client({ baseUrl, auth: new BearerAuth(key) });
 *   const { items } = (await client.get(WORKSPACES)).json();
 *   return items.filter(({ state }) => state === "missing").map(({ name }) => name);
 * }
 * \`\`\`
 *
 * @module
 */
${names.map((name) => `export * from "./${name}";`).join("\n")}
`,
    );
    return files;
  }

  /** Marks a component and all within it as used by this group. */
  #note(schema: Schema, group: string, role: string): void {
    const name = schema.$ref && refName(schema.$ref);
    if (name) {
      const users = this.#users.get(name) ?? new Set();
      this.#users.set(name, users);
      if (!this.#roles.has(name)) this.#roles.set(name, role);
      if (users.has(group)) return;
      users.add(group);
      const definition = this.#schemas[name];
      if (definition) this.#note(definition, group, `A part of \`${name}\``);
      return;
    }
    for (const child of childrenOf(schema)) this.#note(child, group, role);
  }

  /** The file that defines a component: its only user's, or the shared one. What `live` tells belongs to others. */
  #home(name: string): string {
    const users = [...this.#users.get(name) ?? []];
    const [first, ...others] = users.length > 1 ? users.filter((user) => user !== LIVE) : users;
    return first === undefined || others.length ? SHARED : first;
  }

  #file(group: string, paths: readonly string[]): string {
    const constants = paths.map((path) => this.#constant(path));
    const own = [...this.#users.keys()].filter((name) => this.#home(name) === group).sort();
    const types = own.map((name) => {
      const schema = this.#schemas[name] ?? {};
      return `${doc(schema.description ?? this.#roles.get(name) ?? name)}export type ${name} = ${
        this.#type(schema)
      };`;
    });
    const code = [...constants, ...types].join("\n\n");
    const foreign = [...this.#users.keys()].filter((name) =>
      this.#home(name) !== group && mentions(code, name)
    );
    const byHome = Map.groupBy(foreign.sort(), (name) => this.#home(name));
    const imports = [
      ...(constants.length ? [`import { Endpoint } from "../endpoint.ts";`] : []),
      ...[...byHome].sort().map(([home, names]) =>
        `import type { ${names.join(", ")} } from "./${home}.ts";`
      ),
    ];
    const about = group === SHARED
      ? "The types that several groups of the API share"
      : `The API's group \`${group}\``;
    return `/** ${about}, written from the document that the service serves. */\n${
      imports.join("\n")
    }\n\n${code}\n`;
  }

  #constant(path: string): string {
    const operations = Object.entries(this.#document.paths[path] ?? {});
    const types = operations.map(([method, operation]) =>
      operation["x-websocket"] ? this.#socket(path, operation) : `  ${method}: ${this.#method(operation)};`
    );
    const about = operations.map(([method, { summary, "x-websocket": socket }]) =>
      `${socket ? "WS" : method.toUpperCase()}: ${summary}.`
    );
    const name = constantName(path);
    const template = JSON.stringify(withRest(path, operations.map(([, operation]) => operation)));
    return `${doc(about.join("\n"))}export const ${name}: Endpoint<${template}, {
${types.join("\n")}
}> = new Endpoint(${template}${statusesOf(operations)});`;
  }

  #socket(path: string, operation: Operation): string {
    const { up, down } = this.#sockets.get(path) ?? {};
    return `  socket: {\n    send: ${up ? this.#type(up) : "never"};\n    receive: ${
      down ? this.#type(down) : "unknown"
    };\n    query: ${this.#query(operation)};\n  };`;
  }

  #method(operation: Operation): string {
    const parts: string[] = [];
    const found = successes(operation);
    const json = found.filter(([type]) => type === "application/json").map(([, { schema }]) =>
      this.#type(schema)
    );
    if (json.length) parts.push(`response: ${[...new Set(json)].join(" | ")}`);
    const item = found.find(([type]) => /ndjson/.test(type));
    if (item) parts.push(`item: ${this.#type(item[1].schema)}`);
    const body = operation.requestBody;
    const payload = body?.content["application/json"]?.schema;
    if (payload) parts.push(`payload: ${this.#type(payload)}${body?.required ? "" : " | undefined"}`);
    parts.push(`query: ${this.#query(operation)}`);
    return `{ ${parts.join("; ")} }`;
  }

  #query(operation: Operation): string {
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
    // The server refuses unknown keys, so none at all may be given where it knows none.
    if (!parameters.length) return "Record<string, never>";
    const keys = parameters.map(({ name, required, description, schema }) =>
      `${description ? doc(description) : ""}${name}${required ? "" : "?"}: ${this.#queryType(schema)};`
    );
    return `{\n${keys.join("\n")}\n}`;
  }

  /** Returns the type of a query. A repeatable parameter may be given once as well. */
  #queryType(schema: Schema): string {
    if (schema.type !== "array") return this.#type(schema);
    const item = this.#type(schema.items ?? {});
    return `${item} | readonly (${item})[]`;
  }

  #type(schema: Schema): string {
    if (schema.$ref) return refName(schema.$ref);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    const union = schema.anyOf ?? schema.oneOf;
    if (union) return [...new Set(union.map((one) => this.#type(one)))].join(" | ");
    if (schema.allOf) return schema.allOf.map((one) => `(${this.#type(one)})`).join(" & ");
    if (Array.isArray(schema.type)) {
      return schema.type.map((type: string) => this.#type({ ...schema, type })).join(" | ");
    }
    switch (schema.type) {
      case "string":
      case "boolean":
      case "null":
        return schema.type;
      case "integer":
      case "number":
        return "number";
      case "array":
        if (schema.prefixItems) {
          return `readonly [${schema.prefixItems.map((item) => this.#type(item)).join(", ")}]`;
        }
        return `readonly (${this.#type(schema.items ?? {})})[]`;
      case "object":
        return this.#object(schema);
      default:
        return "unknown";
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema): string {
    const keys = Object.entries(properties);
    if (!keys.length) {
      const value = typeof additionalProperties === "object" ? this.#type(additionalProperties) : "unknown";
      return `{ readonly [key: string]: ${value} }`;
    }
    const members = keys.map(([name, schema]) => {
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      const about = schema.description ? doc(schema.description) : "";
      return `${about}readonly ${key}${required.includes(name) ? "" : "?"}: ${this.#type(schema)};`;
    });
    return `{\n${members.join("\n")}\n}`;
  }
}

/** The group of a path: its first segment; what is about the service itself goes with `system`. */
function groupOf(path: string): string {
  const [, , first = ""] = path.split("/");
  return ["health", "openapi.json", "asyncapi.json", "docs"].includes(first) ? "system" : first;
}

/** The template of a path: `{name...}` where the value is the rest of it. */
function withRest(path: string, operations: readonly Operation[]): string {
  const rest = operations.flatMap(({ parameters = [] }) => parameters.filter((one) => one["x-segments"]));
  return rest.reduce((template, { name }) => template.replace(`{${name}}`, `{${name}...}`), path);
}

/** The statuses of methods that answer another success than 200, as the second argument of `Endpoint`. */
function statusesOf(methods: readonly (readonly [string, Operation])[]): string {
  const own = methods.flatMap(([method, { responses }]) => {
    const statuses = Object.keys(responses).filter((status) => status.startsWith("2"));
    return statuses.length === 0 || statuses.join() === "200" ? [] : [`${method}: [${statuses.join(", ")}]`];
  });
  return own.length === 0 ? "" : `, { ${own.join(", ")} }`;
}

function successes(operation: Operation): [string, { readonly schema: Schema }][] {
  return Object.entries(operation.responses).filter(([status]) => status.startsWith("2"))
    .flatMap(([, { content }]) => Object.entries(content ?? {}));
}

function childrenOf(schema: Schema): Schema[] {
  const { anyOf = [], oneOf = [], allOf = [], prefixItems = [], properties = {}, items } = schema;
  const { additionalProperties: rest } = schema;
  return [
    ...[...anyOf, ...oneOf, ...allOf, ...prefixItems, ...Object.values(properties)],
    ...(items ? [items] : []),
    ...(typeof rest === "object" ? [rest] : []),
  ];
}

function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function mentions(code: string, name: string): boolean {
  return new RegExp(`(?<![\\w"])${name}(?![\\w":])`).test(code.replace(/\/\*\*[^]*?\*\//g, ""));
}

function doc(text: string): string {
  const safe = text.replaceAll("*/", "* /").trim();
  const lines = safe.split("\n").map((line) => /[.:;!?]$/.test(line) ? line : line + ".");
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`).join("\n *\n")}\n */\n`;
}

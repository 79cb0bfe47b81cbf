/** Describes the declared routes as an OpenAPI 3.1 document. Loaded by the first request for it. */
import { z } from "zod";
import { Permission } from "../core/access.ts";
import type { Answer } from "./answer.ts";
import { Problem } from "./problem.ts";
import type { Entry } from "./router.ts";

type Schema = Record<string, unknown>;

/** Schemas with an id become components once; one whose input differs from its output gets a second name. */
class Components {
  readonly schemas: Record<string, Schema> = {};

  constructor(private readonly permissions: readonly string[]) {}

  reference(schema: z.ZodType, io: "input" | "output"): Schema {
    const { $schema: _, $defs, ...made } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      reused: "inline",
      // Which permissions there are is known only once the plugins are.
      override: ({ zodSchema, jsonSchema }) => {
        if (zodSchema !== Permission) return;
        for (const key of ["maxLength", "pattern"] as const) delete jsonSchema[key];
        jsonSchema.enum = [...this.permissions];
      },
    }) as Schema & { $defs?: Record<string, Schema> };
    const names = new Map<string, string>();
    for (const [id, definition] of Object.entries($defs ?? {})) names.set(id, this.#name(id, definition, io));
    const own = z.globalRegistry.get(schema)?.id;
    if (own !== undefined && !("$ref" in made)) names.set(own, this.#name(own, made, io));
    for (const [id, definition] of Object.entries($defs ?? {})) {
      this.schemas[names.get(id)!] = renamed(definition, names); // named two lines above
    }
    if (own === undefined || "$ref" in made) return renamed(made, names);
    const name = names.get(own)!; // named above
    this.schemas[name] = renamed(made, names);
    return { $ref: `#/components/schemas/${name}` };
  }

  readonly #texts = new Map<string, string>();

  #name(id: string, definition: Schema, io: "input" | "output"): string {
    const text = JSON.stringify(definition);
    const before = this.#texts.get(id);
    if (before === undefined || before === text) {
      this.#texts.set(id, text);
      return id;
    }
    const other = `${id}${io === "input" ? "Input" : "Output"}`;
    this.#texts.set(other, text);
    return other;
  }
}

/** The schema with its own references pointing into the document, and without the ids zod leaves in it. */
function renamed(schema: Schema, names: ReadonlyMap<string, string>): Schema {
  return JSON.parse(JSON.stringify(schema, function (this: Schema, key, value) {
    if (key === "$ref" && typeof value === "string") {
      const id = value.replace(/^#\/\$defs\//, "");
      return `#/components/schemas/${names.get(id) ?? id}`;
    }
    if (key === "id" && typeof value === "string" && names.has(value) && "type" in this) return undefined;
    return value;
  }));
}

/** The document of these routes; WebSockets are GET operations marked `x-websocket`. */
export function describe(
  entries: readonly Entry[],
  { version, permissions }: { readonly version: string; readonly permissions: readonly string[] },
): Schema {
  const components = new Components(permissions);
  const problem = components.reference(Problem, "output");
  const paths: Record<string, Record<string, Schema>> = {};
  for (const entry of entries) {
    const path = "/api" + entry.route.path.replace("...}", "}");
    const method = entry.kind === "socket" ? "get" : entry.route.method;
    (paths[path] ??= {})[method] = operation(entry, path, method, components, problem);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "berth",
      version,
      description: "What was declared, joined with what runs.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    tags: [...new Set(Object.keys(paths).map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An API key (berth_...) or an access token",
        },
      },
    },
  };
}

const tagOf = (path: string): string => path.split("/")[2] ?? "system";

function operation(
  entry: Entry,
  path: string,
  method: string,
  components: Components,
  problem: Schema,
): Schema {
  const { route } = entry;
  const open = route.permission === "open";
  return {
    operationId: operationId(method, path),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [tagOf(path)],
    "x-permission": route.permission,
    ...(route.subject === undefined ? {} : { "x-subject": route.subject }),
    ...(entry.kind === "socket" ? { "x-websocket": true } : {}),
    ...(open ? { security: [] } : {}),
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        name,
        in: "path",
        required: true,
        schema: propertyOf(route.params, name!, components), // the pattern has this group
      })),
      ...queryParameters(route.query, components),
    ],
    ...(entry.kind === "route" && entry.route.body !== undefined
      ? {
        requestBody: {
          required: !entry.route.body.safeParse(undefined).success,
          content: { "application/json": { schema: components.reference(entry.route.body, "input") } },
        },
      }
      : {}),
    responses: {
      ...(entry.kind === "socket"
        ? { 101: { description: "The WebSocket is open" } }
        : answers(entry.route.answers, components, problem)),
      default: {
        description: "Any other failure",
        content: { "application/problem+json": { schema: problem } },
      },
    },
  };
}

function answers(
  declared: Readonly<Record<number, Answer>>,
  components: Components,
  problem: Schema,
): Schema {
  const made: Record<string, Schema> = {};
  for (const [status, answer] of Object.entries(declared)) {
    if (answer.kind === "problem") {
      made[status] = {
        description: answer.codes.map((code) => `\`${code}\``).join(" or "),
        content: { "application/problem+json": { schema: problem } },
      };
    } else if (answer.kind === "json") {
      made[status] = {
        description: answer.description,
        content: { "application/json": { schema: components.reference(answer.schema, "output") } },
      };
    } else if (answer.kind === "raw") {
      made[status] = {
        description: answer.description,
        content: Object.fromEntries(
          Object.entries(answer.content).map(([type, schema]) => [
            type,
            { schema: schema === null ? { type: "string" } : components.reference(schema, "output") },
          ]),
        ),
      };
    } else made[status] = { description: answer.description };
  }
  return made;
}

function propertyOf(schema: z.ZodType | undefined, name: string, components: Components): Schema {
  const property = schema instanceof z.ZodObject ? schema.shape[name] : undefined;
  return property === undefined ? { type: "string" } : components.reference(property, "input");
}

function queryParameters(schema: z.ZodType | undefined, components: Components): Schema[] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, property]) => ({
    name,
    in: "query",
    required: !property.safeParse(undefined).success,
    schema: components.reference(property, "input"),
  }));
}

/** `GET /api/workspaces/{id}/artifacts` becomes `getWorkspacesByIdArtifacts`. */
function operationId(method: string, path: string): string {
  return method +
    path.slice("/api".length).split("/").filter((part) => part !== "").map((part) =>
      part.startsWith("{") ? `By${capital(part.slice(1, -1))}` : part.split(/[-.]/).map(capital).join("")
    ).join("");
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

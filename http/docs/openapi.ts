/** Describes the declared routes as an OpenAPI 3.1 document. Loaded by the first request for it. */
import type * as z from "../../core/schema.ts";
import type { Answer } from "../declare/answer.ts";
import { answeredHeaders, answersUnchanged } from "../declare/answered_headers.ts";
import { Components, type Schema } from "./components.ts";
import { exampleOf } from "./example.ts";
import { Problem } from "../declare/problem.ts";
import { refusalsOf } from "../declare/refusals.ts";
import { BYTES } from "../declare/bytes.ts";
import type { Entry, RequestHeader } from "../declare/router.ts";

/** The parts of both documents besides the routes. */
export interface About {
  readonly version: string;
  readonly permissions: readonly string[];
  /** The description of each group of routes, by the first segment of its paths. */
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * The document of these routes; WebSockets are GET operations marked `x-websocket`, and told in `asyncapi.json`. A
 * parameter marked `x-segments` may be written with `/` between its parts as well as with `%2F`.
 */
export function describe(entries: readonly Entry[], { version, permissions, tags }: About): Schema {
  const components = new Components(permissions);
  const problem = components.reference(Problem, "output");
  const paths: Record<string, Record<string, Schema>> = {};
  for (const entry of entries) {
    const path = "/api" + entry.route.path.replace("...}", "}");
    const method = entry.kind === "socket" ? "get" : entry.route.method;
    (paths[path] ??= {})[method] = operation(entry, path, method, components, problem);
  }
  const used = new Set(Object.keys(paths).map(tagOf));
  return {
    openapi: "3.1.0",
    info: {
      title: "berth",
      version,
      description: "Joins what is declared with what runs. The WebSockets' messages are in `asyncapi.json`.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    tags: [...used].map((name) => ({ name, description: tags[name] ?? `Routes below /api/${name}` })),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An API key (`berth_...`) or an access token",
        },
      },
    },
  };
}

/** Routes about the service itself belong to `system`. */
function tagOf(path: string): string {
  const first = path.split("/")[2] ?? "system";
  return ["health", "metrics", "docs", "openapi.json", "asyncapi.json"].includes(first) ? "system" : first;
}

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
      ...[...route.path.matchAll(/\{(\w+)(\.\.\.)?\}/g)].map(([, name, rest]) => ({
        ...parameter(name!, "path", true, propertyOf(route.params, name!, components)), // the pattern has this group
        ...(rest === undefined ? {} : { "x-segments": true }),
      })),
      ...queryParameters(route.query, components),
      ...headersOf(entry).map((name) => parameter(name, "header", false, requestHeader(entry, name))),
    ],
    ...(entry.kind === "route" && entry.route.body !== undefined
      ? {
        requestBody: {
          required: !entry.route.body.safeParse(undefined).success,
          content: entry.route.body === BYTES
            ? { "*/*": { schema: { type: "string", format: "binary" } } }
            : {
              "application/json": content(components.reference(entry.route.body, "input"), components),
            },
        },
      }
      : {}),
    responses: responses(entry, components, problem),
  };
}

/** A parameter says what it is once, beside its schema. */
function parameter(name: string, place: string, required: boolean, schema: Schema): Schema {
  const { description, ...shape } = schema;
  return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: shape };
}

const REQUEST_HEADERS: Readonly<Record<RequestHeader, Schema>> = {
  "If-None-Match": {
    type: "string",
    description: "The `ETag` of an earlier answer: 304 where nothing has changed since",
  },
  "If-Match": {
    type: "string",
    description: "The `ETag` with which it was read: what has changed since is not overwritten",
  },
  "Last-Event-ID": {
    type: "string",
    description:
      "The id of the last event received: the answer resumes behind it. Browsers send it by themselves",
  },
  "X-Berth": {
    type: "string",
    description:
      "256 random bits as base64url, from a page of berth: the refresh token comes as a cookie bound to them",
  },
};

const ONLY_ABSENT: Schema = {
  type: "string",
  description: "`*`, and nothing else: creates what is not there, and replaces nothing",
};

/** A header of a write means something else than the same of a read. */
function requestHeader(entry: Entry, name: RequestHeader): Schema {
  return name === "If-None-Match" && !answersUnchanged(entry) ? ONLY_ABSENT : REQUEST_HEADERS[name];
}

function headersOf({ kind, route }: Entry): readonly RequestHeader[] {
  return kind === "route" ? route.headers ?? [] : [];
}

const ANSWERED = {
  Location: { description: "The path of what was made", schema: { type: "string" } },
  ETag: { description: "The tag of this answer, for If-None-Match and If-Match", schema: { type: "string" } },
};
const RETRY_AFTER = { description: "Seconds to wait before trying again", schema: { type: "integer" } };

function responses(entry: Entry, components: Components, problem: Schema): Schema {
  const declared: Readonly<Record<number, Answer>> = entry.kind === "route" ? entry.route.answers : {};
  const made: Record<string, Schema> = {};
  if (entry.kind === "socket") made[101] = { description: "The WebSocket is open" };
  for (const [status, answer] of Object.entries(declared)) {
    if (answer.kind !== "problem") made[status] = success(Number(status), answer, entry, components);
  }
  if (answersUnchanged(entry)) {
    made[304] = { description: "Nothing has changed", headers: { ETag: ANSWERED.ETag } };
  }
  for (const [status, named] of refusalsOf(entry)) {
    made[status] = {
      description: named.map((code) => `\`${code}\``).join(" or "),
      ...([429, 503].includes(status) ? { headers: { "Retry-After": RETRY_AFTER } } : {}),
      content: {
        "application/problem+json": {
          schema: problem,
          example: { code: named[0], title: "What happened and why", status, requestId: "3f0c6a4e9b1d4f6f" },
        },
      },
    };
  }
  made["default"] = {
    description: "Any other failure",
    headers: { "Retry-After": RETRY_AFTER },
    content: { "application/problem+json": { schema: problem } },
  };
  return made;
}

function success(
  status: number,
  answer: Exclude<Answer, { readonly kind: "problem" }>,
  entry: Entry,
  components: Components,
): Schema {
  const headers = Object.fromEntries(answeredHeaders(entry, status).map((name) => [name, ANSWERED[name]]));
  const shown = {
    description: answer.description,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
  if (answer.kind === "empty") return shown;
  if (answer.kind === "json") {
    const schema = components.reference(answer.schema(), "output");
    return { ...shown, content: { "application/json": content(schema, components) } };
  }
  return {
    ...shown,
    content: Object.fromEntries(
      Object.entries(answer.content()).map(([type, schema]) => [
        type,
        schema === null
          ? { schema: { type: "string" } }
          : content(components.reference(schema, "output"), components, type),
      ]),
    ),
  };
}

/** A stream's media type holds many of its items, so one of them would be no example of it. */
function content(schema: Schema, components: Components, type = "application/json"): Schema {
  return /json$/.test(type) && !/ndjson/.test(type)
    ? { schema, example: exampleOf(schema, components.schemas) }
    : { schema };
}

function propertyOf(schema: z.ZodType | undefined, name: string, components: Components): Schema {
  const property = shapeOf(schema)[name];
  return property === undefined ? { type: "string" } : components.reference(property, "input");
}

function queryParameters(schema: z.ZodType | undefined, components: Components): Schema[] {
  return Object.entries(shapeOf(schema)).map(([name, property]) =>
    parameter(name, "query", !property.safeParse(undefined).success, components.reference(property, "input"))
  );
}

function shapeOf(schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> {
  return schema !== undefined && "shape" in schema ? schema.shape as Record<string, z.ZodType> : {};
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

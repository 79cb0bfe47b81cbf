/** Describes the declared WebSockets as an AsyncAPI 3 document. Loaded by the first request for it. */
import type * as z from "../../core/schema.ts";
import { type Later, makerOf } from "../../core/later.ts";
import type { About } from "./openapi.ts";
import { Components, type Schema } from "./components.ts";
import { exampleOf } from "./example.ts";
import type { Entry, SocketRoute } from "../declare/router.ts";
import { CLOSE, PROTOCOL } from "../socket/socket.ts";

/** The meaning of closing codes. */
const CLOSED: Readonly<Record<number, string>> = {
  [CLOSE.asked]: "over",
  [CLOSE.stopping]: "the service stops",
  [CLOSE.notAllowed]: "no longer allowed",
  [CLOSE.tooBig]: "a message over 64 KiB",
  [CLOSE.failed]: "failed",
  [CLOSE.tooSlow]: "too slow to read",
  [CLOSE.invalid]: "invalid message",
  [CLOSE.notFound]: "not found",
  [CLOSE.conflict]: "not as things are",
};

/** The document of these sockets. */
export function describeSockets(entries: readonly Entry[], { version, permissions }: About): Schema {
  const components = new Components(permissions);
  const channels: Record<string, Schema> = {};
  const operations: Record<string, Schema> = {};
  for (const entry of entries) {
    if (entry.kind !== "socket") continue;
    const name = nameOf(entry.route.path);
    channels[name] = channel(entry.route, components);
    for (const [action, side] of [["receive", "up"], ["send", "down"]] as const) {
      const messages = Object.keys(channels[name].messages as Schema).filter((one) => one.startsWith(side));
      if (messages.length === 0) continue;
      operations[`${name}.${action}`] = {
        action,
        channel: { $ref: `#/channels/${name}` },
        summary: action === "send" ? "Messages to the caller" : "Messages from the caller",
        messages: messages.map((one) => ({ $ref: `#/channels/${name}/messages/${one}` })),
      };
    }
  }
  return {
    asyncapi: "3.0.0",
    info: {
      title: "berth",
      version,
      description:
        `The WebSockets beside \`openapi.json\`, which has their queries and refusals. Offer the subprotocol \`${PROTOCOL}\`, ` +
        "and the credential as the header `Authorization`, or in a browser as the subprotocol `berth.bearer.<credential>`. " +
        "Several messages at once come as one of the type `batch` with `items`. " +
        `They close with ${Object.entries(CLOSED).map(([code, why]) => `${code}: ${why}`).join(", ")}.`,
      license: { name: "MIT" },
    },
    defaultContentType: "application/json",
    channels,
    operations,
    components: { schemas: components.schemas },
  };
}

function channel(route: SocketRoute, components: Components): Schema {
  const address = `/api${route.path}`;
  const parameters = Object.fromEntries(
    [...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, {
      description: describedIn(route.params, name!, components), // the pattern has this group
    }]),
  );
  const bytes = { contentType: "application/octet-stream", payload: { type: "string", format: "binary" } };
  return {
    address,
    title: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    messages: {
      ...(route.send === undefined ? {} : { up: message("Text upwards", route.send, "input", components) }),
      ...(route.bytes ? { upBytes: { title: "Binary frames upwards", ...bytes } } : {}),
      ...(route.receive === undefined
        ? {}
        : { down: message("Text downwards", route.receive, "output", components) }),
      ...(route.bytes ? { downBytes: { title: "Binary frames downwards", ...bytes } } : {}),
    },
    bindings: {
      ws: {
        method: "GET",
        ...(route.query === undefined ? {} : { query: components.reference(route.query, "input") }),
        bindingVersion: "0.1.0",
      },
    },
    "x-permission": route.permission,
  };
}

function message(
  title: string,
  schema: Later<z.ZodType>,
  io: "input" | "output",
  components: Components,
): Schema {
  const payload = components.reference(makerOf(schema)(), io);
  return {
    title,
    contentType: "application/json",
    payload,
    examples: [{ payload: exampleOf(payload, components.schemas) }],
  };
}

function describedIn(schema: z.ZodType | undefined, name: string, components: Components): string {
  const property = schema !== undefined && "shape" in schema
    ? (schema.shape as Readonly<Record<string, z.ZodType>>)[name]
    : undefined;
  return property === undefined ? name : String(components.reference(property, "input").description ?? name);
}

/** `/containers/{id}/exec` becomes `containersExec`. */
function nameOf(path: string): string {
  return path.split("/").filter((part) => part !== "" && !part.startsWith("{")).flatMap((part) =>
    part.split("-")
  )
    .map((word, index) => index === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

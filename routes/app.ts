/** The whole HTTP surface: every group of routes, the document that describes them, and the edge around them. */
import { createEdge, type EdgeOptions } from "../http/serve/edge.ts";
import type { Handler } from "../http/serve/listener.ts";
import { CachedText } from "../http/declare/cached_text.ts";
import { json, route, type Router, router } from "../http/declare/router.ts";
import * as z from "../core/schema.ts";

interface AppOptions extends Omit<EdgeOptions, "entries"> {
  readonly routers: readonly Router[];
  readonly version: string;
  /** The permissions that the documents list. */
  readonly permissions: readonly string[];
  /** The descriptions of plugins' route groups, by the first segment of their paths. */
  readonly tags: Readonly<Record<string, string>>;
}

/** The descriptions of the core's own route groups. */
const TAGS = {
  system: "The service itself: health, metrics, machine, plugins, log, audit log, and these documents",
  auth: "Signing in and out, and who one is",
  settings: "The first admin, API keys, people and sessions",
  workspaces: "Registered folders, and what was declared in them",
  overview: "Compare what runs with what is declared",
  places: "Folders that may become workspaces",
  projects: "Projects: what is declared with what runs of it, and what only runs",
  updates: "Newer images of declared projects",
  registries: "Image registries, and the credentials that pulls use for them",
  live: "Everything live, over one socket",
  plans: "The steps that would bring a group in line, with their reasons",
  applies: "Plans that are carried out, and how far each of them is",
  notices: "Targets that are told of incidents",
  mutes: "Incidents of which nobody is told for a while",
  endings: "The ends of containers, with their last words",
  hooks: "Calls of Git forges that tell of a push",
  artifacts: "Texts that become declarations: a line of `docker run` as a project",
  adoptions: "Containers that run without files, written down and taken over as projects",
  incidents: "What was not as it should be, since when, and because of what",
};

const document = (path: string, summary: string, description: string) =>
  route({
    method: "get",
    path,
    summary,
    description,
    permission: "open",
    headers: ["If-None-Match"],
    answers: { 200: json(z.record(z.string(), z.unknown()), "The document") },
  });
const openapi = document(
  "/openapi.json",
  "This API as an OpenAPI 3.1 document",
  "For generators of clients, and for programs that explore the API. It includes the routes of all plugins that run.",
);
const asyncapi = document(
  "/asyncapi.json",
  "The WebSockets of this API as an AsyncAPI 3 document",
  "Describes the messages of each WebSocket, in both directions.",
);

export function createApp({ routers, version, permissions, tags, ...edge }: AppOptions): Handler {
  const entries = routers.flatMap((one) => one.entries);
  const about = { version, permissions, tags: { ...TAGS, ...tags } };
  let openapiText: CachedText | undefined;
  let asyncapiText: CachedText | undefined;
  // Made by the first who asks: a start needs none of it.
  const described: Router = router()
    .on(openapi, async ({ request }) => {
      const { describe } = await import("../http/docs/openapi.ts");
      openapiText ??= new CachedText(JSON.stringify(describe([...entries, ...described.entries], about)));
      return await openapiText.answer(request);
    })
    .on(asyncapi, async ({ request }) => {
      const { describeSockets } = await import("../http/docs/asyncapi.ts");
      asyncapiText ??= new CachedText(JSON.stringify(describeSockets(entries, about)));
      return await asyncapiText.answer(request);
    });
  return createEdge({ ...edge, entries: [...entries, ...described.entries] });
}

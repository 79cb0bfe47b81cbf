/** The whole HTTP surface: every group of routes, the document that describes them, and the edge around them. */
import { createEdge, type EdgeOptions } from "../http/edge.ts";
import type { Handler } from "../http/listener.ts";
import { CachedText } from "../http/cached_text.ts";
import { json, route, type Router, router } from "../http/router.ts";
import { z } from "zod";

export interface AppOptions extends Omit<EdgeOptions, "entries"> {
  readonly routers: readonly Router[];
  readonly version: string;
  /** What the document lists as permissions. */
  readonly permissions: readonly string[];
}

const openapi = route({
  method: "get",
  path: "/openapi.json",
  summary: "This API as an OpenAPI 3.1 document",
  permission: "open",
  answers: { 200: json(z.record(z.string(), z.unknown()), "The document") },
});

export function createApp({ routers, version, permissions, ...edge }: AppOptions): Handler {
  const entries = routers.flatMap((one) => one.entries);
  let document: CachedText | undefined;
  const described: Router = router().on(openapi, async ({ request }) => {
    // loaded by the first who asks: a start needs none of it
    const { describe } = await import("../http/openapi.ts");
    document ??= new CachedText(
      JSON.stringify(describe([...entries, ...described.entries], { version, permissions })),
    );
    return await document.answer(request);
  });
  return createEdge({ ...edge, entries: [...entries, ...described.entries] });
}

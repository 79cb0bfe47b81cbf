/** A page to read the API and try it, which needs nothing from elsewhere. */
import { type CoreRouter, raw, route, router } from "../http/declare/router.ts";

function page(path: string, type: string, summary: string, description: string) {
  return route({
    method: "get",
    path,
    summary,
    description,
    permission: "open",
    answers: { 200: raw("The file", { [type]: null }) },
  });
}

const html = page(
  "/docs",
  "text/html",
  "A page to try this API",
  "Lists every operation, and sends requests with the key that you enter. It loads nothing from elsewhere.",
);
const style = page(
  "/docs/page.css",
  "text/css",
  "The style of that page",
  "The page at `/api/docs` loads it.",
);
const script = page(
  "/docs/page.js",
  "text/javascript",
  "The script of that page",
  "It reads `/api/openapi.json` and builds the page at `/api/docs` from it.",
);

/** The files are read by the first who asks. */
export function docs(): CoreRouter {
  return router()
    .on(
      html,
      async ({ request }) => {
        // Its links begin at the last folder of its address.
        if (new URL(request.url).pathname.endsWith("/")) {
          return new Response(null, { status: 308, headers: { location: "../docs" } });
        }
        return file((await import("./docs/page.html", { with: { type: "text" } })).default, "text/html");
      },
    )
    .on(
      style,
      async () => file((await import("./docs/page.css", { with: { type: "text" } })).default, "text/css"),
    )
    .on(
      script,
      async () =>
        file((await import("./docs/page.js", { with: { type: "text" } })).default, "text/javascript"),
    );
}

function file(text: string, type: string): Response {
  return new Response(text, {
    headers: { "content-type": `${type}; charset=utf-8`, "cache-control": "no-cache" },
  });
}

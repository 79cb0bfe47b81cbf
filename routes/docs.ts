/** A page to read the API and try it, which needs nothing from elsewhere. */
import { type CoreRouter, raw, route, router } from "../http/router.ts";

function page(path: string, summary: string, type: string) {
  return route({
    method: "get",
    path,
    summary,
    permission: "open",
    answers: { 200: raw("The file", { [type]: null }) },
  });
}

const html = page("/docs", "A page to try this API", "text/html");
const style = page("/docs/page.css", "Its style", "text/css");
const script = page("/docs/page.js", "Its script", "text/javascript");

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

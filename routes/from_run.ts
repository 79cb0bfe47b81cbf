/** A line of `docker run` as the text of a project. Nothing is saved, and nothing runs. */
import * as z from "../core/schema.ts";
import { text } from "../http/declare/query.ts";
import { type CoreRouter, json, problems, reply, route, router } from "../http/declare/router.ts";
import { DraftFile } from "./adoption_shape.ts";

const RunLine = z.object({
  name: z.string().describe("The project's name"),
  files: z.array(DraftFile).describe(
    "`.env` for what looks like a secret, and the Compose file; nothing is masked",
  ),
  unknown: z.array(z.string()).describe("Flags of the line that are not in the text, as they were written"),
  notes: z.array(z.string()).describe("Differences from the line that a reader should know"),
}).meta({ id: "RunLine" });

const convert = route({
  method: "post",
  path: "/artifacts/from-run",
  summary: "Make a project's text out of a line of docker run",
  description:
    "Reads the words as a shell would and expands nothing. Every flag of Docker's is known; those that no Compose file " +
    "can say are listed in `unknown`, and a flag that Docker does not have is refused. The container goes through the " +
    "same writer as one that runs. Nothing is saved.",
  permission: "artifacts:read",
  subject: "listed",
  audited: false,
  body: z.strictObject({ command: text(64 * 1024).describe("The line, which may go on behind a backslash") })
    .meta({
      id: "RunRequest",
      examples: [{ command: "docker run -d --name web -p 8080:80 --restart unless-stopped nginx:1.27" }],
    }),
  answers: { 200: json(RunLine, "The text"), ...problems("invalid_request", "forbidden", "line_refused") },
});

export function fromRunRoute(): CoreRouter {
  return router().on(convert, async ({ body, reach }) => {
    if (reach.nowhere) return reply(200, { name: "", files: [], unknown: [], notes: [] });
    const { fromRun } = await import("../projects/adopt/from_run.ts");
    const { name, files, unknown, notes } = fromRun(body.command);
    return reply(200, {
      name,
      files: [...files].map(([path, text]) => ({ path, text })),
      unknown: [...unknown],
      notes: [...notes],
    });
  });
}

/** The feed of projects for `/api/live`: the rows of `GET /api/projects`, each when it is another. */
import * as z from "../core/schema.ts";
import { LiveNeeds } from "../artifacts/live/live.ts";
import type { Principal, Reach } from "../core/access.ts";
import { feed, type LiveFeed } from "../http/live/feed.ts";
import { ListAsked, LiveLists, rowsMessage } from "../http/live/list.ts";
import { Counts, EngineStatus } from "./compared.ts";
import { keyOf } from "./compared_answers.ts";
import type { ProjectList } from "./project_list.ts";
import { LooseContainers, ProjectRow, textOfRow } from "./project_rows.ts";
import { jsonText, membersOf } from "../core/json_text.ts";

/** Projects are looked at this often while somebody follows. */
const EVERY_MS = 500;

/** The fields beside the rows. */
export const BESIDE = {
  counts: Counts.describe("All projects that the caller sees, by verdict"),
  loose: z.array(LooseContainers).describe("Containers that belong to no project, by engine"),
  engines: z.array(EngineStatus).describe("The engines, for callers who may see them"),
  liveNeeds: LiveNeeds.optional(),
};

export const besideOf = ({ counts, loose, engines, liveNeeds }: ProjectList) => ({
  counts,
  loose,
  engines,
  ...(liveNeeds !== undefined && { liveNeeds }),
});

/** Disposing ends what reads for them. */
export interface Feeds extends Disposable {
  readonly feeds: readonly LiveFeed[];
}

export function projectFeeds(listOf: (principal: Principal, reach: Reach) => Promise<ProjectList>): Feeds {
  const lists = new LiveLists();
  const projects = feed({
    name: "projects",
    summary:
      "Every project in one row, as `GET /api/projects` has them; its details are others when its `revision` is",
    permission: "artifacts:read",
    asked: ListAsked,
    told: () => ({
      rows: rowsMessage(
        ProjectRow,
        Object.fromEntries(Object.entries(BESIDE).map(([name, one]) => [name, one.optional()])),
      ),
    }),
    run: (subscription) => {
      const { principal, reach, asked } = subscription;
      const list = lists.of(keyOf({ principal, reach, question: [] }), () => {
        let last: ProjectList | null = null;
        return {
          everyMs: EVERY_MS,
          read: async () => {
            const all = await listOf(principal, reach);
            if (all === last) return null;
            last = all;
            const rows = new Map(all.rows.map((row) => [row.id, textOfRow(row)]));
            return { rows, beside: membersOf(jsonText(besideOf(all))) };
          },
        };
      });
      return list.follow(subscription, "rows", asked.since);
    },
  });
  return { feeds: [projects], [Symbol.dispose]: () => lists[Symbol.dispose]() };
}

/** Newer images: which there are, whether berth looks for them, and looking now. */
import * as z from "../core/schema.ts";
import { LiveNeeds } from "../artifacts/live/live.ts";
import type { Principal, Reach } from "../core/access.ts";
import { jsonText, membersOf } from "../core/json_text.ts";
import { ServiceError } from "../core/error.ts";
import { text } from "../http/declare/query.ts";
import {
  type CoreRouter,
  empty,
  json,
  particularsOf,
  problems,
  reply,
  route,
  router,
} from "../http/declare/router.ts";
import { feed, type LiveFeed } from "../http/live/feed.ts";
import { ListAsked, LiveLists, rowsMessage } from "../http/live/list.ts";
import type { UpdateChecker } from "../projects/updates/checker.ts";
import { UPDATE_STATES } from "../projects/updates/unit_update.ts";
import type { Updates as UpdateRules } from "../projects/updates/updates.ts";
import { keyOf } from "./compared_answers.ts";
import type { ProjectList } from "./project_list.ts";
import { ProjectUpdates } from "./project_update_rules.ts";
import { UpdateItem, UpdateState } from "./project_updates.ts";

/** The references are looked at this often while somebody follows. */
const EVERY_MS = 1_000;

const Rules = {
  enabled: z.boolean().describe("True if berth asks registries for newer images"),
  coolDownDays: z.int().min(0).max(90).describe("The cool-down of a new image in days"),
};

const BESIDE = {
  ...Rules,
  projects: z.array(ProjectUpdates).describe("The wishes for single projects"),
  liveNeeds: LiveNeeds.optional(),
};

const UpdateList = z.object({
  items: z.array(UpdateItem).describe("One for each reference of a project, the newer ones first"),
  total: z.int().describe("Number of those that the question means"),
  ...BESIDE,
}).meta({ id: "Updates" });

const list = route({
  method: "get",
  path: "/updates",
  summary: "The images of declared projects, and whether their registries have newer ones",
  description:
    "Nothing is asked of a registry by this. Images that are built, pinned to a digest or from `localhost` " +
    "are left out. It needs `containers:read`, too, for what runs.",
  permission: "artifacts:read",
  subject: "listed",
  query: z.object({
    project: text(500).optional().describe("Only those of this project, by its id or its name"),
    state: UpdateState.optional().describe("Only those with this state"),
  }),
  answers: { 200: json(UpdateList, "The images") },
});

const change = route({
  method: "put",
  path: "/updates",
  summary: "Switch the look for newer images on or off",
  description:
    "While it is on, berth asks the registry of each image every 12 hours, by a request that is no pull. " +
    "A new image cools down for `coolDownDays` after berth first saw it: it is listed, and counts nowhere.",
  permission: "registries:manage",
  subject: "everything",
  audited: "change",
  body: z.strictObject(Rules).meta({ id: "UpdateRules", examples: [{ enabled: true, coolDownDays: 3 }] }),
  answers: { 204: empty("It is as asked") },
});

const check = route({
  method: "post",
  path: "/updates/check",
  summary: "Look for newer images now",
  description:
    "Every reference is due at once. Hosts are asked one reference after the other, and left alone as long " +
    "as they ask for it. 409 `updates_disabled` while the look is switched off.",
  permission: "registries:manage",
  subject: "everything",
  audited: "change",
  answers: {
    202: json(
      z.object({ references: z.int().describe("Number of references that are looked at") }).meta({
        id: "UpdateCheck",
      }),
      "It has begun",
    ),
    ...problems("updates_disabled"),
  },
});

interface UpdatesOptions {
  readonly updates: UpdateRules;
  readonly checker: UpdateChecker;
  readonly listOf: (principal: Principal, reach: Reach) => Promise<ProjectList>;
}

/** Disposing ends what reads for its feed. */
export function updates(
  { updates, checker, listOf }: UpdatesOptions,
): { readonly router: CoreRouter; readonly feeds: readonly LiveFeed[] } & Disposable {
  const made = router()
    .on(list, async ({ query: { project, state }, principal, reach }) => {
      const all = await listOf(principal, reach);
      const ids = project === undefined ? null : new Set(
        all.rows.filter(({ id, name }) => id === project || name === project).map(({ id }) => id),
      );
      const items = itemsOf(all).filter((one) =>
        (ids === null || ids.has(one.project)) && (state ?? one.state) === one.state
      );
      return reply(200, { items, total: items.length, ...besideOf(all) });
    })
    .on(change, async (call) => {
      await updates.setRules(call.body, call.entry({ particulars: particularsOf(call.body) }));
      return reply(204);
    })
    .on(check, async () => {
      if (!(await updates.current()).enabled) {
        throw new ServiceError(
          "updates_disabled",
          "Cannot look for newer images: it is switched off; switch it on first",
        );
      }
      return reply(202, { references: await checker.checkNow() });
    });
  return { router: made, ...updateFeed(listOf) };
}

function updateFeed(listOf: UpdatesOptions["listOf"]) {
  const lists = new LiveLists();
  const updates = feed({
    name: "updates",
    summary: "The images of declared projects and their newer ones, as `GET /api/updates` has them",
    permission: "artifacts:read",
    asked: ListAsked,
    told: () => ({
      rows: rowsMessage(
        UpdateItem,
        Object.fromEntries(Object.entries(BESIDE).map(([name, one]) => [name, one.optional()])),
      ),
    }),
    run: (subscription) => {
      const { principal, reach, asked } = subscription;
      const list = lists.of(keyOf({ principal, reach, question: ["updates"] }), () => {
        let last: ProjectList | null = null;
        return {
          everyMs: EVERY_MS,
          read: async () => {
            const all = await listOf(principal, reach);
            if (all === last) return null;
            last = all;
            // A unit is in one item alone; one reference is in several where it failed for some units.
            const rows = new Map(
              itemsOf(all).map((one) => [`${one.project} ${one.units[0]}`, jsonText(one)]),
            );
            return { rows, beside: membersOf(jsonText(besideOf(all))) };
          },
        };
      });
      return list.follow(subscription, "rows", asked.since);
    },
  });
  return { feeds: [updates], [Symbol.dispose]: () => lists[Symbol.dispose]() };
}

function itemsOf({ updates: { items } }: ProjectList): UpdateItem[] {
  const rank = ({ state }: z.input<typeof UpdateItem>) => UPDATE_STATES.indexOf(state);
  return [...items.values()].flat().sort((one, other) =>
    rank(one) - rank(other) || (one.project < other.project ? -1 : one.project > other.project ? 1 : 0)
  );
}

const besideOf = ({ updates: { enabled, coolDownDays, projects }, liveNeeds }: ProjectList) => ({
  enabled,
  coolDownDays,
  projects: [...projects],
  ...(liveNeeds !== undefined && { liveNeeds }),
});

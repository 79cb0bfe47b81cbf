/** The feeds of workspaces, of what is declared in them, and of the files in one, for `/api/live`. */
import * as z from "../core/schema.ts";
import type { Model } from "../artifacts/artifact.ts";
import { type Registry, unknownWorkspace } from "../artifacts/registry/registry.ts";
import { Workspace, WorkspaceFile } from "../core/workspace.ts";
import { feed, type LiveFeed } from "../http/live/feed.ts";
import { ListAsked, LiveLists, rowsMessage } from "../http/live/list.ts";
import { text } from "../http/declare/query.ts";
import { modelSeen } from "./artifact_lookup.ts";
import { type JsonText, jsonText } from "../core/json_text.ts";

/** Folders are looked at this often while somebody follows. */
const EVERY_MS = 500;

const Declared = z.object({
  workspace: z.string().describe("The workspace's id"),
  revision: z.string().describe("Another one when something that is in reach was written otherwise"),
}).meta({ id: "Declared" });
type Declared = z.input<typeof Declared>;

/** Disposing ends what reads for them. */
export function workspaceFeeds(
  registry: Pick<Registry, "list" | "get" | "models">,
): { readonly feeds: readonly LiveFeed[] } & Disposable {
  const lists = new LiveLists();
  const workspaces = feed({
    name: "workspaces",
    summary: "The registered workspaces; a `revision` that is another says that files have changed",
    permission: "workspaces:read",
    asked: ListAsked,
    told: () => ({ rows: rowsMessage(Workspace) }),
    run: (subscription) => {
      const { reach, asked } = subscription;
      const list = lists.of(`workspaces ${reach.key}`, () => {
        let last: readonly Workspace[] | null = null;
        return {
          everyMs: EVERY_MS,
          read: async () => {
            const all = await registry.list();
            if (all === last) return null;
            last = all;
            const seen = all.filter(({ id }) => reach.has({ workspace: id }));
            return { rows: new Map(seen.map((one) => [one.id, jsonText(one)])) };
          },
        };
      });
      return list.follow(subscription, "rows", asked.since);
    },
  });
  const declared = feed({
    name: "declared",
    summary:
      "Declared artifacts by workspace, as far as the caller's scope goes; also for callers who see only a part of one",
    permission: "artifacts:read",
    asked: ListAsked,
    told: () => ({ rows: rowsMessage(Declared) }),
    run: (subscription) => {
      const { reach, asked } = subscription;
      const list = lists.of(`declared ${reach.key}`, () => {
        let last: readonly Model[] | null = null;
        return {
          everyMs: EVERY_MS,
          read: async () => {
            const all = await registry.models();
            const models = all.map(({ model }) => model);
            if (last?.length === models.length && last.every((one, index) => one === models[index])) {
              return null;
            }
            last = models;
            const rows = new Map<string, JsonText>();
            for (const { workspace: { id }, model } of all) {
              const seen = await modelSeen(model, id, reach);
              if (seen !== null) {
                rows.set(id, jsonText({ workspace: id, revision: seen.revision } satisfies Declared));
              }
            }
            return { rows };
          },
        };
      });
      return list.follow(subscription, "rows", asked.since);
    },
  });
  const files = feed({
    name: "files",
    summary:
      "The files of one workspace, by their paths; a `sha256` that is another says that one has changed",
    permission: "workspaces:read",
    asked: ListAsked.extend({ workspace: text(200).describe("The workspace's id") }),
    told: () => ({ rows: rowsMessage(WorkspaceFile) }),
    run: (subscription) => {
      const { reach, asked: { workspace, since } } = subscription;
      if (!reach.has({ workspace })) throw unknownWorkspace();
      const list = lists.of(`files ${workspace}`, () => ({
        everyMs: EVERY_MS,
        read: async () => {
          const { files } = await registry.get(workspace);
          return { rows: new Map(files.map((one) => [one.path, jsonText(one)])) };
        },
      }));
      return list.follow(subscription, "rows", since);
    },
  });
  return { feeds: [workspaces, declared, files], [Symbol.dispose]: () => lists[Symbol.dispose]() };
}

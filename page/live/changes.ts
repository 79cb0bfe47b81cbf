/** Says that something may be another now, for what is read and not followed. */
import { effect, signal } from "@preact/signals";
import type { Permission } from "../../client/berth/models.ts";
import { follow, keepLive } from "./live.ts";
import { may, who } from "./session.ts";

/** Counts up when what runs, or what is declared, may be another. */
export const changes = signal(0);

/** Several events in a row are one change. */
const GATHER_MS = 200;

/** The permissions for reading the events of each kind. */
const KINDS = {
  container: "events:read",
  image: "images:read",
  volume: "volumes:read",
  network: "networks:read",
} as const;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Says that something may have changed, as after an action of one's own. */
export function changed(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    changes.value++;
  }, GATHER_MS);
}

/** The first message repeats what the screens read anyway. */
function again(): () => void {
  let isFirst = true;
  return () => {
    if (!isFirst) changed();
    isFirst = false;
  };
}

function isEverywhere(permission: Permission): boolean {
  return who.value?.permissions.includes(permission) === true;
}

/** Watches while somebody is signed in, as far as they may. */
export function watch(): void {
  keepLive();
  effect(() => {
    if (!who.value) return;
    const ends: (() => void)[] = [];
    if (may("events:read") && may("containers:read")) {
      const kinds = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter((kind) => may(KINDS[kind]));
      ends.push(follow("events", { kinds }, { message: ({ items }) => items.length > 0 && changed() }));
    }
    if (may("workspaces:read")) ends.push(follow("workspaces", {}, { message: again() }));
    // Of a workspace of which one sees a part, only this feed tells.
    if (may("artifacts:read") && !isEverywhere("workspaces:read")) {
      ends.push(follow("declared", {}, { message: again() }));
    }
    return () => ends.forEach((end) => end());
  });
}

/** Acts on one container or many, with a result for each. */
import { signal } from "@preact/signals";
import {
  CONTAINER,
  type Container,
  CONTAINER_RESTART,
  CONTAINER_START,
  CONTAINER_STOP,
} from "../../client/berth/containers.ts";
import type { Permission } from "../../client/berth/models.ts";
import { changed } from "./changes.ts";
import { problemOf } from "./problem.ts";
import { client, LONG_S } from "./session.ts";

export type Action = "start" | "stop" | "restart" | "remove";

export const NEEDS: Readonly<Record<Action, Permission>> = {
  start: "containers:control",
  stop: "containers:control",
  restart: "containers:control",
  remove: "containers:remove",
};

export interface Result {
  readonly action: Action;
  readonly state: "working" | "done" | "unchanged" | "failed";
  readonly reason: string;
}

/** By the container's key; shown beside its row until they are read. */
export const results = signal<ReadonlyMap<string, Result>>(new Map());

export function keyOf({ backend, id }: Pick<Container, "backend" | "id">): string {
  return `${backend}/${id}`;
}

/** So many at a time: an engine stops containers one after the other anyway. */
const AT_ONCE = 4;

export interface RemoveOptions {
  /** Unnamed volumes are removed, too. */
  readonly volumes: boolean;
}

export async function actOn(
  action: Action,
  containers: readonly Container[],
  options: RemoveOptions = { volumes: false },
): Promise<void> {
  const waiting = [...containers];
  results.value = new Map(containers.map((one) => [keyOf(one), { action, state: "working", reason: "" }]));
  const work = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const result = await actOnOne(action, one, options);
      results.value = new Map(results.value).set(keyOf(one), result);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  changed();
}

async function actOnOne(
  action: Action,
  { id, backend }: Container,
  { volumes }: RemoveOptions,
): Promise<Result> {
  try {
    const asked = { params: { id }, query: { backend }, timeoutS: LONG_S };
    if (action === "remove") {
      await client.delete(CONTAINER, { ...asked, query: { backend, force: true, volumes } });
      return { action, state: "done", reason: "" };
    }
    const answer = action === "start"
      ? await client.post(CONTAINER_START, asked)
      : action === "stop"
      ? await client.post(CONTAINER_STOP, asked)
      : await client.post(CONTAINER_RESTART, asked);
    return { action, state: answer.json().changed ? "done" : "unchanged", reason: "" };
  } catch (error) {
    return { action, state: "failed", reason: problemOf(error)?.title ?? "" };
  }
}

/** The place up to which the logs of several tasks were read, as one text. */
import { badCursor, CURSOR } from "../log_position.ts";

/** Longer ones fit into no address: then the tasks are read one by one. */
export const MOST_CURSOR = 6_000;
const TASK = /^[a-z0-9]{1,64}$/;

/** Null for more tasks than a cursor has room for. */
export function cursorText(places: ReadonlyMap<string, string>): string | null {
  const text = [...places].map(([task, place]) => `${task}.${btoa(place).replaceAll("=", "")}`).join("_");
  return text === "" || text.length > MOST_CURSOR ? null : text;
}

/** Throws `invalid_request`. */
export function readCursor(text: string): Map<string, string> {
  if (text === "") return new Map();
  return new Map(
    text.split("_").map((part) => {
      const dot = part.indexOf(".");
      const task = part.slice(0, Math.max(0, dot));
      if (!TASK.test(task)) throw badCursor();
      try {
        const place = atob(part.slice(dot + 1));
        if (!CURSOR.test(place) || place === "") throw badCursor();
        return [task, place] as const;
      } catch {
        throw badCursor();
      }
    }),
  );
}

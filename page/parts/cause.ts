/** Why and since when something is not as it should be, in one sentence. */
import type { IncidentMark } from "../../client/berth/models.ts";
import { words } from "../words/en.ts";

const TEXT = words.causes;

export function causeText(cause: IncidentMark["cause"]): string {
  const by = cause.by?.name ?? "";
  const act = cause.act ?? "";
  switch (cause.kind) {
    case "apply":
      return TEXT.apply(by);
    case "berth":
      return TEXT.berth(act, by);
    case "file":
      return TEXT.file(`${cause.file}${cause.line === undefined ? "" : `:${cause.line}`}`, by);
    case "image":
      return TEXT.image;
    case "outside":
      return TEXT.outside(act);
    case "ended":
      return endedText(cause);
    case "engine":
      return TEXT.engine(cause.reason ?? "");
    case "firstWatch":
      return cause.units === undefined
        ? TEXT.watchBegan
        : TEXT.firstWatch(words.number(cause.units), words.number(cause.bad ?? 0));
    case "unrecorded":
      return TEXT.unrecorded(cause.reason ?? "");
    default:
      return TEXT.unknown;
  }
}

function endedText({ unhealthy, outOfMemory, exitCode, memoryLimit }: IncidentMark["cause"]): string {
  const limit = memoryLimit === undefined ? "" : words.bytes(memoryLimit);
  if (unhealthy) return TEXT.unhealthy;
  if (outOfMemory) return TEXT.outOfMemory(limit);
  return exitCode === 137 ? TEXT.killed(limit) : TEXT.ended(exitCode);
}

/** Returns since when, with the day where it was not today. */
export const sinceText = ({ since, atLatest }: Pick<IncidentMark, "since" | "atLatest">): string =>
  TEXT.since(words.moment(Date.parse(since)), atLatest);

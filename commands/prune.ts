/** `berth prune`: lists what nobody uses with the reason and the bytes, asks, and removes exactly that list. */
import { type PruneReport, type PruneRequest, type PruneType, SYSTEM_PRUNE } from "../client/berth/system.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { isMeant } from "./confirmed.ts";
import { failCall, LONG_S, openClient } from "./connection.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { type Cell, table, writeError, writeOut } from "./output.ts";

/** They can all be had again; what is in a volume cannot. */
const DEFAULTS: readonly PruneType[] = ["containers", "networks", "images", "buildCache"];
const ALL: readonly PruneType[] = [...DEFAULTS, "volumes"];

export async function run(line: Line): Promise<number> {
  try {
    using client = await openClient();
    const listed = (await client.post(SYSTEM_PRUNE, { payload: requestOf(line), timeoutS: LONG_S })).json();
    const isJson = line.option("--json") !== undefined;
    if (!isJson) writeOut(textOf(listed));
    tellMissing(listed);
    const code = listed.unavailable.length > 0 ? EXIT.INCOMPLETE : EXIT.FINE;
    if (listed.items.length === 0 || listed.plan === null || line.option("--list") !== undefined) {
      if (isJson) writeOut(`${JSON.stringify(listed, null, 2)}\n`);
      return code;
    }
    if (!isMeant(`Remove ${listed.items.length} of them?`, line)) return EXIT.NO;
    const carriedOut = await client.post(SYSTEM_PRUNE, { payload: { plan: listed.plan }, timeoutS: LONG_S });
    const done = carriedOut.json();
    writeOut(isJson ? `${JSON.stringify(done, null, 2)}\n` : `${resultText(done)}\n`);
    return done.items.some(({ result }) => result === "kept") ? EXIT.NO : code;
  } catch (error) {
    return failCall(error);
  }
}

function requestOf(line: Line): PruneRequest {
  const named = line.args.map((word) => {
    const type = ALL.find((one) => one === word);
    if (type === undefined) throw new UsageFailure(`Cannot prune "${word}": it is none of ${ALL.join(", ")}`);
    return type;
  });
  const until = line.option("--older");
  const backend = line.option("--engine");
  return {
    types: [...new Set(named.length === 0 ? DEFAULTS : named)],
    filters: {
      ...(until !== undefined && { until }),
      ...(line.option("--tagged") !== undefined && { tagged: true }),
      ...(line.option("--declared") !== undefined && { declared: true }),
    },
    ...(backend !== undefined && { backend }),
    dryRun: true,
  };
}

function textOf({ items, size }: PruneReport): string {
  if (items.length === 0) return "Nothing would be removed\n";
  const rows = items.map(({ type, name, backend, why, size }): Cell[] => [
    { text: type },
    { text: name },
    { text: backend },
    { text: sizeText(size) },
    { text: why },
  ]);
  return `${table(["TYPE", "NAME", "ENGINE", "SIZE", "REASON"], rows)}${
    sizeText(size)
  } at most: images may share layers\n`;
}

function tellMissing({ unavailable, left: { count, size, unclear } }: PruneReport): void {
  const sentences = [
    ...unavailable.map(({ backend, reason }) => `${backend} is not in it: ${reason ?? "it does not answer"}`),
    ...count > 0
      ? [`${count} more (${sizeText(size)}) are declared in files: --declared takes them, too`]
      : [],
    ...unclear > 0
      ? [`${unclear} folders or projects could not be read whole: what may be declared there is left out`]
      : [],
  ];
  for (const sentence of sentences) writeError(`berth: ${visible(sentence)}\n`);
}

function resultText({ items, reclaimed }: PruneReport): string {
  const kept = items.flatMap(({ name, result, reason = "" }): Cell[][] =>
    result === "kept" ? [[{ text: "kept", colour: "yellow" }, { text: name }, { text: reason }]] : []
  );
  const removed = items.filter(({ result }) => result === "removed").length;
  const shown = kept.length === 0 ? "" : table(["RESULT", "NAME", "REASON"], kept);
  return `${shown}${removed} removed, ${sizeText(reclaimed)} freed`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** In powers of 1,000, as engines write it. */
function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[power]}`;
}

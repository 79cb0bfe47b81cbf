/** `berth mute <scope> --for <time>`: nobody is told of its incidents for a while; without a scope the mutes are listed. */
import { MUTE, type Mute, MUTES } from "../client/berth/mutes.ts";
import { isScope, SCOPES_IN_WORDS } from "../core/scope.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { table, writeOut } from "./output.ts";

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

export async function run({ args: [on], option }: Line): Promise<number> {
  const isEnd = option("--end") !== undefined;
  const forS = secondsIn(option("--for"));
  const wrong = on === undefined
    ? isEnd || forS !== null ? `expected a scope: ${SCOPES_IN_WORDS}` : null
    : !isScope(on)
    ? `"${on}" is no scope: expected ${SCOPES_IN_WORDS}`
    : isEnd || forS !== null
    ? null
    : "expected --for with a time, as 30m, 2h or 7d, or --end";
  if (wrong !== null) {
    console.error(`berth: Cannot mute: ${visible(wrong)}`);
    return EXIT.USAGE;
  }
  try {
    using client = await openClient();
    if (on === undefined) return await list(client, option("--json") !== undefined);
    if (isEnd) return await end(client, on, option("--unit"));
    const unit = option("--unit");
    const payload = { on, forS: forS!, ...(unit !== undefined && { unit }) }; // one of both is there
    const made = await (await client.post(MUTES, { payload })).json();
    if (option("--json") !== undefined) writeOut(`${JSON.stringify(made, null, 2)}\n`);
    else writeOut(`muted until ${made.until.slice(0, 19)}Z\n`);
    return EXIT.FINE;
  } catch (error) {
    return failCall(error);
  }
}

/** Returns the seconds of a time as `30m`; null for anything else. */
function secondsIn(text = ""): number | null {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return unit === undefined ? null : Number(amount) * SECONDS[unit]!; // the pattern allows no other
}

type Client = Awaited<ReturnType<typeof openClient>>;

async function list(client: Client, isJson: boolean): Promise<number> {
  const { items } = await (await client.get(MUTES)).json();
  if (isJson) writeOut(`${JSON.stringify(items, null, 2)}\n`);
  else writeOut(items.length === 0 ? "Nothing is muted\n" : table(TITLES, items.map(cellsOf)));
  return EXIT.FINE;
}

async function end(client: Client, on: string, unit = ""): Promise<number> {
  const { items } = await (await client.get(MUTES)).json();
  const own = items.filter((one) => one.on === on && (one.unit ?? "").replace(/^unit:/, "") === unit);
  for (const { id } of own) await client.delete(MUTE, { params: { id } });
  if (own.length > 0) return EXIT.FINE;
  console.error(`berth: ${visible(on)} is not muted`);
  return EXIT.NO;
}

const TITLES = ["UNTIL", "MUTED", "KINDS", "BY"];

const cellsOf = ({ on, unit, incident, kinds, until, createdBy }: Mute) =>
  [
    `${until.slice(0, 19)}Z`,
    `${on ?? `incident ${incident}`}${unit === null ? "" : ` ${unit.replace(/^unit:/, "")}`}`,
    kinds.join(" ") || "all",
    createdBy,
  ].map((text) => ({ text: visible(text) }));

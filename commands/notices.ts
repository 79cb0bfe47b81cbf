/** `berth notices`: the targets that are told of incidents; `berth notices test <name>` tries one. */
import { type Notice, NOTICE_TEST, NOTICES } from "../client/berth/notices.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { table, writeOut } from "./output.ts";

export async function run({ args: [act, name], option }: Line): Promise<number> {
  try {
    using client = await openClient();
    const { items } = await (await client.get(NOTICES)).json();
    if (act === undefined) {
      writeOut(option("--json") === undefined ? listed(items) : `${JSON.stringify(items, null, 2)}\n`);
      return EXIT.FINE;
    }
    const notice = items.find((one) => one.name === name || one.id === name);
    if (act !== "test" || notice === undefined) {
      const why = act === "test"
        ? `there is no notice "${name ?? ""}"`
        : `expected "test" instead of "${act}"`;
      console.error(`berth: Cannot test: ${visible(why)}`);
      return act === "test" && name !== undefined ? EXIT.NO : EXIT.USAGE;
    }
    const tested = await (await client.post(NOTICE_TEST, { params: { id: notice.id } })).json();
    if (option("--json") !== undefined) writeOut(`${JSON.stringify(tested, null, 2)}\n`);
    else if (tested.taken) {
      writeOut(`taken with ${tested.status} in ${tested.ms} ms\n`);
      if (tested.problem !== null) console.error(`berth: Not by all: ${visible(tested.problem)}`);
    } else console.error(`berth: It was not taken: ${visible(tested.problem ?? "no answer")}`);
    return tested.taken && tested.problem === null ? EXIT.FINE : EXIT.NO;
  } catch (error) {
    return failCall(error);
  }
}

function listed(items: readonly Notice[]): string {
  if (items.length === 0) return "No notices\n";
  const rows = items.map(({ name, kind, host, tells, on }) =>
    [name, kind, host, tells.join(" "), on.join(" ") || "everything"].map((text) => ({ text: visible(text) }))
  );
  return table(["NAME", "KIND", "HOST", "TELLS", "ON"], rows);
}

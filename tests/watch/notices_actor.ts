/** A berth of its own process that opens incidents and tells a webhook of them, until it is killed. */
import { isStoreAway } from "../../core/error.ts";
import type { Incident } from "../../core/incidents.ts";
import { withTellings } from "../../projects/watch/tellings.ts";
import { startService } from "../support/service.ts";

const [folder = "", admin = "", address = "", first = "0", most = "0"] = Deno.args;
const notices = { tickMs: 5, foldMs: 0, retryMs: [20], deadMs: 600_000 };
const berth = await startService({
  folder,
  ...(admin === "" ? {} : { admin }),
  watchTimes: { notices },
});
const { store } = berth.berth;
if (admin === "") {
  console.log(`key ${berth.admin}`);
  const made = await berth.call("POST /api/notices", { name: "ops", kind: "webhook", address, afterS: 0 });
  if (made.status !== 201) throw new Error(made.text);
}
const subject = {
  kind: "unit",
  workspace: "all",
  group: "shop",
  project: "shop",
  engine: "one",
  container: null,
} as const;
const targets = await store.notices.list();
for (let n = Number(first); n < Number(first) + Number(most); n++) {
  const at = Date.now();
  const state = {
    kind: "broken",
    since: at,
    atLatest: false,
    cause: { kind: "ended", exitCode: 1 },
    fields: [],
  } as const;
  const incident: Incident = {
    ...state,
    id: `i${n}`,
    subject: { ...subject, unit: `unit:shop.s${n}` },
    openedAt: at,
    closedAt: null,
    end: null,
    endings: 1,
    atFirst: false,
    lines: 1,
  };
  try {
    await store.incidents.write([
      withTellings({ incident, line: { at, ...state } }, null, targets, { at, mono: at }),
    ]);
  } catch (error) {
    if (!isStoreAway(error)) throw error;
    console.log("full");
    await new Promise(() => {}); // until it is killed
  }
  console.log(`told i${n}`);
  await new Promise((resolve) => setTimeout(resolve, 3));
}
while ((await store.notices.counts()).waiting > 0) await new Promise((resolve) => setTimeout(resolve, 5));
console.log("over");
await berth[Symbol.asyncDispose]();

/** Promise: while the store takes nothing, people are told from memory, once, and history and page say what is missing. */
import assert from "node:assert/strict";
import type { Incident } from "../../core/incidents.ts";
import { withTellings } from "../../projects/watch/tellings.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";
import { mayMount, SmallDisk } from "../support/small_disk.ts";

const NOTICES = { tickMs: 20, foldMs: 0, retryMs: [20], deadMs: 60_000 };

interface Told {
  readonly type: string;
  readonly data: {
    readonly title: string;
    readonly lines: readonly string[];
    readonly incidents: readonly { readonly id: string; readonly subject: string; readonly state: string }[];
  };
}

function receiver(onTaken: () => void = () => {}) {
  const taken: Told[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    taken.push(await request.json());
    onTaken();
    return new Response(null, { status: 204 });
  });
  return {
    taken,
    url: `http://127.0.0.1:${server.addr.port}/`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const ENGINE_AWAY: Incident = {
  id: "i1",
  subject: {
    kind: "engine",
    workspace: null,
    group: null,
    project: null,
    unit: null,
    engine: "one",
    container: null,
  },
  ...{ kind: "engine", since: 1, atLatest: false, cause: { kind: "engine" }, fields: [], openedAt: 1 },
  ...{ closedAt: null, end: null, endings: 0, atFirst: false, lines: 1 },
};

Deno.test({
  name: "a target that took a message gets it once, although the full disk keeps berth from noting that",
  ignore: !mayMount,
  fn: async () => {
    await using disk = await SmallDisk.mount("16m");
    const folder = `${disk.folder}/berth`;
    await Deno.mkdir(folder);
    await using target = receiver(() => disk.fill());
    await using berth = await startService({ folder, watchTimes: { notices: NOTICES } });
    const made = await berth.call("POST /api/notices", {
      name: "ops",
      kind: "webhook",
      address: target.url,
      afterS: 0,
    });
    assert.equal(made.status, 201, made.text);
    const { store } = berth.berth;
    const { kind, since, atLatest, cause, fields } = ENGINE_AWAY;
    const line = { at: 1, kind, since, atLatest, cause, fields };
    await store.incidents.write([
      withTellings({ incident: ENGINE_AWAY, line }, null, await store.notices.list()),
    ]);
    await eventually("it is told", () => target.taken.length > 0);
    await sleep(500); // twenty-five looks of the sender
    assert.equal(target.taken.length, 1);
    disk.empty();
    await eventually("that is noted", async () => (await store.notices.counts()).told === 1);
    assert.equal(target.taken.length, 1);
  },
});

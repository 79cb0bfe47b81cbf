/** Promise: whatever moment berth is killed at, no notice is lost, and one is sent twice at most, with the same id. */
import assert from "node:assert/strict";
import { mayMount, SmallDisk } from "../support/small_disk.ts";

/** `BERTH_TEST_KILLS=200` for the whole proof. */
const KILLS = Number(Deno.env.get("BERTH_TEST_KILLS") ?? "2");
const ACTOR = new URL("notices_actor.ts", import.meta.url).pathname;
/** Incidents of one life. */
const MOST = 300;
/** More than the room that the store has set aside takes. */
const UNTIL_FULL = 20_000;

interface Taken {
  readonly id: string;
  readonly incidents: readonly string[];
  readonly total: number;
}

Deno.test(`${KILLS} kills while notices are sent lose none, and double one at most, with the same id`, async () => {
  const taken: Taken[] = [];
  let asked = 0;
  let onTaken: () => unknown = () => {};
  await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const id = request.headers.get("webhook-id") ?? "";
    const { data } = await request.json();
    if (asked++ % 10 === 4) return new Response(null, { status: 503 });
    taken.push({
      id,
      incidents: data.incidents.map((one: { readonly id: string }) => one.id),
      total: data.total,
    });
    onTaken();
    return new Response(null, { status: 204 });
  });
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-told-" }));
  try {
    const address = `http://127.0.0.1:${receiver.addr.port}/`;
    let admin = "";
    const written = new Set<string>();
    let next = 0;
    for (let round = 0; round <= KILLS; round++) {
      const isLast = round === KILLS;
      const actor = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", ACTOR, folder, admin, address, `${next}`, isLast ? "0" : `${MOST}`],
        stdin: "null",
        stdout: "piped",
        stderr: "inherit",
      }).spawn();
      const until = taken.length + 5 + round % 7; // messages of this life
      let isKilled = isLast;
      const kill = () => {
        if (isKilled || taken.length < until) return;
        isKilled = true;
        actor.kill("SIGKILL");
      };
      // Half of them die before they hear the answer, the others a moment later.
      onTaken = round % 2 === 0 ? kill : () => setTimeout(kill, round % 5);
      let text = "";
      for await (const part of actor.stdout.pipeThrough(new TextDecoderStream())) text += part;
      onTaken = () => {};
      await actor.status;
      const said = text.split("\n").slice(0, -1);
      admin = said.find((line) => line.startsWith("key "))?.slice(4) ?? admin;
      for (const line of said) if (line.startsWith("told ")) written.add(line.slice(5));
      next += MOST;
      if (isLast) assert.equal(said.at(-1), "over");
    }
    const ids = Map.groupBy(taken, ({ id }) => id);
    const told = taken.filter(({ total, incidents }) => total === incidents.length);
    const counted = taken.reduce((sum, { total }) => sum + total, 0);
    const doubles = [...ids.values()].filter((own) => own.length > 1);
    assert.ok(doubles.length <= KILLS, `${doubles.length} doubles after ${KILLS} kills`);
    assert.ok(doubles.every((own) => own.length === 2), "one double a kill at most");
    const once = [...ids.values()].reduce((sum, [first]) => sum + first!.total, 0);
    // Killed between the commit and its word, one more may be told than was said.
    assert.ok(once >= written.size && once <= written.size + KILLS, `${once} of ${written.size} were told`);
    const named = new Set(told.flatMap(({ incidents }) => incidents));
    assert.ok(named.size > 0 && [...named].every((id) => /^i\d+$/.test(id)));
    console.log(`${written.size} incidents, ${counted} tellings, ${doubles.length} doubles, ${KILLS} kills`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: "a kill on a full disk loses no notice, and doubles one at most, which could not be noted (F132)",
  ignore: !mayMount,
  fn: async () => {
    await using disk = await SmallDisk.mount("32m");
    const folder = `${disk.folder}/berth`;
    await Deno.mkdir(folder);
    const taken: { readonly id: string; readonly total: number }[] = [];
    await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
      const id = request.headers.get("webhook-id") ?? "";
      taken.push({ id, total: (await request.json()).data.total });
      if (taken.length === 1) disk.fill();
      return new Response(null, { status: 204 });
    });
    const address = `http://127.0.0.1:${receiver.addr.port}/`;
    const start = (admin: string, most: number) =>
      new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", ACTOR, folder, admin, address, "0", `${most}`],
        stdin: "null",
        stdout: "piped",
        stderr: "inherit",
      }).spawn();
    const isFull = Promise.withResolvers<void>();
    const said = async (actor: Deno.ChildProcess) => {
      let text = "";
      for await (const part of actor.stdout.pipeThrough(new TextDecoderStream())) {
        text += part;
        if (text.endsWith("full\n")) isFull.resolve();
      }
      await actor.status;
      return text.split("\n").slice(0, -1);
    };
    const first = start("", UNTIL_FULL);
    const lines = said(first);
    await isFull.promise;
    await new Promise((resolve) => setTimeout(resolve, 500)); // what was taken last is to be noted
    first.kill("SIGKILL");
    const last = taken.at(-1)!.id;
    const written = await lines;
    const told = written.filter((line) => line.startsWith("told ")).length;
    assert.ok(told < UNTIL_FULL, "the disk was full before the last one");
    disk.empty();
    const admin = written.find((line) => line.startsWith("key "))!.slice(4);
    assert.equal((await said(start(admin, 0))).at(-1), "over");
    const ids = Map.groupBy(taken, ({ id }) => id);
    const doubles = [...ids].filter(([, own]) => own.length > 1).map(([id, own]) => [id, own.length]);
    assert.deepEqual(doubles, doubles.length === 0 ? [] : [[last, 2]]);
    const once = [...ids.values()].reduce((sum, [one]) => sum + one!.total, 0);
    // Killed between the commit and its word, one more may be told than was said.
    assert.ok(once >= told && once <= told + 1, `${once} of ${told} were told`);
  },
});

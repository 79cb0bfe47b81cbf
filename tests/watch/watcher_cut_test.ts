/** Promise: a replica that watches and is cut off from the database tells from memory, and leaves no double behind. */
import assert from "node:assert/strict";
import { randomSecret } from "../../auth/secret.ts";
import { eventually } from "../support/eventually.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { ScriptedWorld } from "../support/scripted_world.ts";
import { serveEngines, type TestCaller } from "../support/service.ts";
import { untilTargetsAreRead } from "./target_reads.ts";

const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;

/** The lease of watching ends within 15 s, and then the other replica looks. */
const OVER = { timeoutMs: 60_000 };
const WATCH = {
  beginMs: 0,
  tickMs: 100,
  wellMs: 500,
  notices: { tickMs: 50, foldMs: 0, retryMs: [50], deadMs: 60_000 },
  unrecorded: { afterMs: 0, againMs: 200, readMs: 100 },
};

/** The way of one replica to the socket of PostgreSQL, which can be cut. */
class Way implements AsyncDisposable {
  readonly #listener: Deno.UnixListener;
  readonly #open = new Set<Deno.Conn>();
  readonly #running: Promise<void>;
  isCut = false;

  constructor(folder: string, private readonly to: string) {
    this.#listener = Deno.listen({ transport: "unix", path: `${folder}/.s.PGSQL.5432` });
    this.#running = this.#accept();
  }

  cut(): void {
    this.isCut = true;
    for (const one of this.#open) {
      try {
        one.close();
      } catch {
        // Its other end has closed it already.
      }
    }
    this.#open.clear();
  }

  async #accept(): Promise<void> {
    const joining: Promise<unknown>[] = [];
    for await (const from of this.#listener) {
      if (this.isCut) {
        from.close();
        continue;
      }
      const to = await Deno.connect({ transport: "unix", path: `${this.to}/.s.PGSQL.5432` });
      for (const one of [from, to]) this.#open.add(one);
      joining.push(from.readable.pipeTo(to.writable), to.readable.pipeTo(from.writable));
      for (const one of joining) one.catch(() => {});
    }
    await Promise.allSettled(joining);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#listener.close();
    await this.#running;
  }
}

Deno.test({
  name:
    "a watcher that is cut off from the database tells from memory, and what the other one recorded stays the only record (F131)",
  ignore: CANNOT_RUN_POSTGRES !== null,
  fn: async () => {
    const told: { readonly type: string; readonly title: string; readonly states: readonly string[] }[] = [];
    await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
      const { type, data: { title, incidents } } = await request.json();
      const states = incidents.map((one: { subject: string; state: string }) =>
        `${one.subject} ${one.state}`
      );
      told.push({ type, title, states });
      return new Response(null, { status: 204 });
    });
    const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "bw" }));
    await using _tidy = { [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
    await Deno.writeTextFile(`${root}/sealing-key`, randomSecret(), { mode: 0o600 });
    for (const name of ["way", "one", "two"]) await Deno.mkdir(`${root}/${name}`);
    await using way = new Way(`${root}/way`, server.folder);
    await using engine = new ScriptedWorld({ containers: new Map() });
    const database = await server.database();
    const shared = { sealingKeyFile: `${root}/sealing-key`, watchTimes: WATCH };
    await using one = await serveEngines({ far: engine }, {
      ...{ ...shared, folder: `${root}/one`, replica: "one" },
      database: { ...database, host: `${root}/way` },
    });
    await eventually("one watches", () => one.berth.store.incidents.wasWatched(), OVER);
    await using two = await serveEngines({ far: engine }, {
      ...{ ...shared, folder: `${root}/two`, replica: "two", database },
      admin: one.admin!,
    });
    const address = `http://127.0.0.1:${receiver.addr.port}/`;
    const notice = { name: "ops", kind: "webhook", address, afterS: 0, tells: ["engine", "berth"] };
    assert.equal((await two.call("POST /api/notices", notice)).status, 201);
    await eventually("it was told first", () => told.length === 1, OVER);
    await untilTargetsAreRead(one);
    const openOf = async (caller: Pick<TestCaller, "call">) =>
      (await caller.call("GET /api/incidents?state=open&kind=engine")).body.items;

    way.cut();
    engine.world.override = () => new Response(null, { status: 503 });
    engine.hangUp();
    const isTold = (type: string, state: string) =>
      told.some((message) => message.type === type && message.states.includes(state));
    await eventually("the one that is cut off tells it", () => isTold("unrecorded", "engine far open"), OVER);
    await eventually("the other one records it", async () => (await openOf(two)).length === 1, OVER);
    await eventually("and tells it", () => isTold("incidents", "engine far open"), OVER);
    delete engine.world.override;
    await eventually("it is well again", async () => (await openOf(two)).length === 0, OVER);
    await eventually("and told so", () => isTold("incidents", "engine far closed"), OVER);
    await eventually(
      "the one that is cut off tells the end",
      () => isTold("unrecorded", "engine far closed"),
      OVER,
    );

    way.isCut = false;
    const gaps = await eventually("the gap is recorded", async () => {
      const { items } = (await two.call("GET /api/incidents?state=closed&kind=berth")).body;
      const found = items.filter(({ cause }: { cause: { kind: string } }) => cause.kind === "unrecorded");
      return found.length > 0 ? found : null;
    }, OVER);
    assert.equal(gaps.length, 1);
    for (const caller of [one, two]) {
      const { items } = await eventually("both answer", async () => {
        const { status, body } = await caller.call("GET /api/incidents?kind=engine");
        return status === 200 ? body : null;
      }, OVER);
      const ends = items.map(({ end }: { end: string }) => end);
      assert.deepEqual(ends, ["well"], `one record of it: ${JSON.stringify(items)}`);
      assert.deepEqual((await caller.call("GET /api/incidents?state=open")).body.items, []);
    }
    await eventually(
      "the end of the gap is told",
      () => told.some(({ title }) => /^berth: berth/.test(title)),
      OVER,
    );
    assert.equal(
      told.filter(({ type, states }) => type === "incidents" && states.includes("engine far closed")).length,
      1,
    );
  },
});

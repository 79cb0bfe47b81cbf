/** The client's `Live` against a running berth: sockets that die, fall silent, or are refused. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { Cursors } from "../../client/cursors.ts";
import { BearerAuth, Client } from "@berth/client";
import { Live, type LiveState } from "@berth/client/live";
import { eventually } from "../support/eventually.ts";
import { inspected, scriptedId, ScriptedWorld } from "../support/scripted_world.ts";
import { serveEngines } from "../support/service.ts";

/** A WebSocket that can go deaf, as over a line that died without a word, and whose service has another clock. */
class Wire extends WebSocket {
  isDeaf = false;
  lateMs = 0;
  /** The lengths of the binary messages. */
  readonly packed: number[] = [];
  override set onmessage(listener: ((event: MessageEvent) => void) | null) {
    super.onmessage = ({ data }) => {
      if (this.isDeaf) return;
      if (data instanceof ArrayBuffer) {
        this.packed.push(data.byteLength);
        return listener?.(new MessageEvent("message", { data }));
      }
      const said = String(data).replace(
        /^(\{"type":"beat","time":")([^"]+)/,
        (_, head, time) => head + new Date(Date.parse(time) - this.lateMs).toISOString(),
      );
      listener?.(new MessageEvent("message", { data: said }));
    };
  }
}

function happened(action: string, number: number) {
  return {
    Type: "container",
    Action: action,
    Actor: { ID: scriptedId(number), Attributes: { name: `c${number}` } },
    timeNano: Date.now() * 1e6,
  };
}

async function scene(
  { lateMs = 0, ...options }: {
    readonly silenceMs?: number;
    readonly gzip?: boolean;
    readonly lateMs?: number;
  } = {},
) {
  const containers = new Map<string, unknown>(
    Array.from({ length: 500 }, (_, index) => [scriptedId(index), inspected(scriptedId(index), `c${index}`)]),
  );
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(new ScriptedWorld({ containers }));
  const berth = stack.use(await serveEngines({ docker: engine }));
  const key = (await berth.call("POST /api/settings/api-keys", { name: "live", role: "viewer" })).body;
  const wires: Wire[] = [];
  const states: LiveState[] = [];
  const live = stack.use(
    new Live(new Client({ baseUrl: berth.url, auth: new BearerAuth(key.key) }), {
      onState: (state) => states.push(state),
      webSocket: (url, protocols) => {
        const wire = new Wire(url, protocols);
        wire.lateMs = lateMs;
        wires.push(wire);
        return wire;
      },
      ...options,
    }),
  );
  const rows = new Map<string, { readonly state: string }>();
  const told = { resets: 0, messages: 0, ended: [] as string[], failed: [] as string[] };
  live.subscribe("containers", {}, {
    message({ reset, put, removed }) {
      told.messages++;
      if (reset) {
        told.resets++;
        rows.clear();
      }
      for (const [key, row] of Object.entries(put)) rows.set(key, row);
      for (const key of removed) rows.delete(key);
    },
    ended: ({ code }) => told.ended.push(code),
    failed: ({ code }) => told.failed.push(code),
  });
  const change = (number: number, state: string) => {
    containers.set(scriptedId(number), inspected(scriptedId(number), `c${number}`, state));
    engine.tell(happened(state === "running" ? "start" : "die", number));
  };
  const shows = (number: number, state: string) => rows.get(`docker/${scriptedId(number)}`)?.state === state;
  await eventually("the list", () => rows.size === 500);
  assert.equal(told.messages, 1, "the pieces of a list are told as one");
  const owned = stack.move();
  return {
    berth,
    key,
    live,
    wires,
    states,
    rows,
    told,
    change,
    shows,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

Deno.test("a socket that dies is opened again and goes on where it was; what happened meanwhile is told once", async () => {
  await using all = await scene();
  const { told, wires, change, shows, states } = all;
  wires[0]!.close();
  change(3, "exited");
  await eventually("the change", () => shows(3, "exited"));
  assert.deepEqual([told.resets, wires.length], [1, 2], "the list was not told again");
  assert.deepEqual(states, ["connecting", "live", "lost", "live"]);
});

Deno.test("long messages come compressed where that was asked for, and in order with the short ones", async () => {
  await using all = await scene({ gzip: true });
  const { told, wires, rows, change, shows } = all;
  const whole = JSON.stringify(Object.fromEntries(rows)).length;
  const packed = wires[0]!.packed.reduce((sum, length) => sum + length, 0);
  assert.ok(packed > 0 && packed < whole / 8, `${packed} bytes for ${whole}`);
  for (const state of ["exited", "running", "exited"]) change(3, state);
  await eventually("the changes", () => shows(3, "exited"));
  assert.equal(told.resets, 1);

  await using plain = await scene();
  assert.deepEqual(plain.wires[0]!.packed, [], "nobody else gets them");
});

Deno.test("a message that is far longer than it looks ends the connection", async () => {
  const bomb = gzipSync(new Uint8Array(2 ** 24 + 1));
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "berth.v1" });
    socket.onopen = () => socket.send(bomb);
    return response;
  });
  const errors: string[] = [];
  using live = new Live(new Client({ baseUrl: `http://127.0.0.1:${server.addr.port}` }), {
    gzip: true,
    onState: (_, error) => error instanceof Error && errors.push(error.message),
  });
  live.subscribe("containers", {}, { message() {} });
  await eventually("it is lost", () => errors.includes("a message is longer than 16 MiB"));
});

Deno.test("a line that falls silent is given up, and another one is opened", async () => {
  await using all = await scene({ silenceMs: 1_500 });
  const { told, wires, change, shows } = all;
  wires[0]!.isDeaf = true;
  change(3, "exited");
  await eventually("the change", () => shows(3, "exited"));
  assert.ok(wires.length >= 2);
  assert.equal(told.resets, 1);
});

Deno.test("a key that is deleted ends what is live until other credentials are there", async () => {
  await using all = await scene();
  const { berth, key, live, states } = all;
  assert.equal((await berth.call(`DELETE /api/settings/api-keys/${key.id}`)).status, 204);
  await eventually("it is refused", () => live.state === "refused");
  live.retry();
  await eventually("it is refused again", () => states.filter((one) => one === "refused").length === 2);
});

Deno.test("what may not be followed says so, and the rest goes on", async () => {
  await using all = await scene();
  const { live, change, shows } = all;
  const ended: string[] = [];
  live.subscribe("files", { workspace: "nowhere" }, { message() {}, ended: ({ code }) => ended.push(code) });
  await eventually("it has ended", () => ended.length > 0);
  assert.deepEqual(ended, ["workspace_not_found"]);
  change(4, "exited");
  await eventually("the change", () => shows(4, "exited"));
});

Deno.test("a clock that is an hour off is known to be", async () => {
  await using all = await scene({ lateMs: 3_600_000 });
  assert.ok(Math.abs(all.live.skewMs - 3_600_000) < 60_000, String(all.live.skewMs));
});

Deno.test("merged logs and measurements over the client are asked for again behind their cursors", async () => {
  await using all = await scene();
  const { live, wires } = all;
  const states: string[] = [];
  const listener = {
    message: (message: { type: string; items: readonly object[] }) =>
      message.type === "sources" &&
      states.push(...message.items.map((one) => (one as { state: string }).state)),
  };
  live.subscribe("logs", {
    containers: ["never"],
    cursors: { "docker/gone": "o2026-01-01T00:00:00.000000001Z" },
  }, listener);
  live.subscribe("stats", { containers: ["never"] }, listener);
  await eventually("both are told", () => states.length === 2);
  assert.deepEqual(states, ["ended", "ended"]);
  wires[0]!.close();
  await eventually("it is live again", () => wires.length === 2 && live.state === "live");
  await eventually("both are told again", () => states.length === 4);
  assert.deepEqual(states, ["ended", "ended", "ended", "ended"]);
});

Deno.test("the cursors with which logs are asked for again stay below what a socket takes, those that are followed last", () => {
  const cursor = (at: number) => `o2026-01-01T00:00:00.${String(at).padStart(9, "0")}Z`.repeat(4);
  const cursors = new Cursors({ "docker/given": cursor(0) });
  const keys = (round: number) =>
    Array.from({ length: 100 }, (_, at) => `docker/${scriptedId(round * 100 + at)}`);
  cursors.ask();
  cursors.hear([{ source: "docker/quiet", state: "following" }]);
  cursors.read({ "docker/quiet": cursor(1) });
  for (let round = 0; round < 9; round++) {
    cursors.read(Object.fromEntries(keys(round).map((key) => [key, cursor(round)])));
    const asked = cursors.ask();
    const kept = Object.keys(asked);
    assert.ok(
      JSON.stringify(asked).length < 60 * 1024 && kept.length <= 128 && kept.length > 100,
      String(kept.length),
    );
    assert.ok("docker/quiet" in asked && keys(round).every((key) => key in asked));
    cursors.hear([{ source: "docker/quiet", state: "following" }]);
  }
  cursors.hear([{ source: "docker/quiet", state: "ended" }]);
  assert.ok(!("docker/quiet" in cursors.ask()));
});

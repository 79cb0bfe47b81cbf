/** Acts that the engine did and whose answer was lost: answered and audited as done where the engine shows them. */
import assert from "node:assert/strict";
import { type ChaosProxy, chaosProxy } from "../proof/chaos_proxy.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

interface Act {
  readonly name: string;
  /** The command lines that bring the engine to where the act begins. */
  readonly before: readonly string[];
  /** As berth is asked. */
  readonly route: string;
  readonly body?: unknown;
  /** The beginning of the request whose answer is lost. */
  readonly lost: RegExp;
  readonly status: number;
  /** A part of berth's answer. */
  readonly answer?: Readonly<Record<string, unknown>>;
  /** As the engine is asked afterwards, and a part of what it answers. */
  readonly oracle: string;
  readonly shows: RegExp;
}

const CREATED = `create --name lost --network none ${FIXTURE}`;
const RUNNING = `run -d --name lost --network none ${FIXTURE}`;
const CONTAINER = "GET /containers/lost/json";

/** An act on a container. */
function on(verb: string, before: readonly string[], state: string, shows: RegExp): Act {
  return {
    name: verb,
    before,
    route: `POST /api/containers/lost/${verb}`,
    lost: new RegExp(`^POST \\S+/containers/[0-9a-f]{64}/${verb}`),
    status: 200,
    answer: { state, changed: true },
    oracle: CONTAINER,
    shows,
  };
}

const ACTS: readonly Act[] = [
  on("start", [CREATED], "running", /"Running":true/),
  on("stop", [RUNNING], "exited", /"Running":false/),
  on("restart", [RUNNING], "running", /"Running":true/),
  on("pause", [RUNNING], "paused", /"Paused":true/),
  on("unpause", [RUNNING, "pause lost"], "running", /"Paused":false/),
  on("kill", [RUNNING], "exited", /"Running":false/),
  {
    ...on("rename", [CREATED], "", /"Name":"\/?renamed"/),
    body: { name: "renamed" },
    answer: { name: "renamed" },
    oracle: "GET /containers/renamed/json",
  },
  {
    name: "remove of a container",
    before: [CREATED],
    route: "DELETE /api/containers/lost",
    lost: /^DELETE \S+\/containers\//,
    status: 204,
    oracle: CONTAINER,
    shows: /no such container|no container with/i,
  },
  {
    name: "create of a network",
    before: [],
    route: "POST /api/networks",
    body: { name: "lostnet", labels: { team: "shop" } },
    lost: /^POST \S+\/networks\/create/,
    status: 201,
    answer: { name: "lostnet", labels: { team: "shop" } },
    oracle: "GET /networks/lostnet",
    shows: /"team":"shop"/,
  },
  {
    name: "connect",
    before: ["network create lostnet", CREATED.replace("none", "bridge")],
    route: "POST /api/networks/lostnet/connect",
    body: { container: "lost" },
    lost: /^POST \S+\/networks\/\S+\/connect/,
    status: 200,
    answer: { network: "lostnet", changed: true },
    oracle: CONTAINER,
    shows: /"lostnet":/,
  },
  {
    name: "disconnect",
    before: ["network create lostnet", CREATED.replace("none", "lostnet")],
    route: "POST /api/networks/lostnet/disconnect",
    body: { container: "lost" },
    lost: /^POST \S+\/networks\/\S+\/disconnect/,
    status: 200,
    answer: { network: "lostnet", changed: true },
    oracle: CONTAINER,
    shows: /"Networks":(?!.*"lostnet":)/,
  },
  {
    name: "remove of a network",
    before: ["network create lostnet"],
    route: "DELETE /api/networks/lostnet",
    lost: /^DELETE \S+\/networks\//,
    status: 204,
    oracle: "GET /networks/lostnet",
    shows: /not found/,
  },
  {
    name: "create of a volume",
    before: [],
    route: "POST /api/volumes",
    body: { name: "lostvol", labels: { team: "shop" } },
    lost: /^POST \S+\/volumes\/create/,
    status: 201,
    answer: { name: "lostvol", labels: { team: "shop" }, usedBy: [] },
    oracle: "GET /volumes/lostvol",
    shows: /"team":"shop"/,
  },
  {
    name: "remove of a volume",
    before: ["volume create lostvol"],
    route: "DELETE /api/volumes/lostvol",
    lost: /^DELETE \S+\/volumes\//,
    status: 204,
    oracle: "GET /volumes/lostvol",
    shows: /no such volume|no volume with name|not found/i,
  },
  {
    name: "remove of an image",
    before: [`tag ${FIXTURE} lostimage:1`],
    route: "DELETE /api/images/lostimage:1",
    lost: /^DELETE \S+\/images\//,
    status: 204,
    oracle: "GET /images/lostimage:1/json",
    shows: /no such image|not found|not known/i,
  },
];

/** Every object of these tests is gone, whether or not it was made. */
async function tidy(engine: TestEngine): Promise<void> {
  for (
    const line of [
      "rm -f lost",
      "rm -f renamed",
      "network rm lostnet",
      "volume rm lostvol",
      "rmi lostimage:1",
    ]
  ) {
    await engine.cli(...line.split(" ")).catch(() => {});
  }
}

async function prepared(engine: TestEngine, berth: TestService, { before }: Act): Promise<void> {
  for (const line of before) await engine.cli(...line.split(" "));
  if (before.length === 0) return;
  const places = { volume: "volumes/lostvol", network: "networks/lostnet", tag: "images/lostimage:1" };
  const place = Object.entries(places).find(([word]) => before.at(-1)!.startsWith(word))?.[1];
  await eventually("berth knows it as it is", async () => {
    const { status, body } = await berth.call(`GET /api/${place ?? "containers/lost"}`);
    return status === 200 &&
      (place !== undefined || body.state === (await engine.ask(CONTAINER)).json.State.Status);
  });
}

async function latestEntry(berth: TestService): Promise<{ readonly result: string }> {
  await berth.settled();
  return (await berth.call("GET /api/system/audit?limit=1")).body.items[0];
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test(
    "an act whose answer is lost is answered and audited as done where the engine shows it (F124)",
    async (engine, context) => {
      await using proxy = chaosProxy(engine.socket);
      await using berth = await serveEngines({ [kind]: proxy });
      for (const act of ACTS) {
        await context.step(act.name, async () => {
          try {
            await prepared(engine, berth, act);
            const met = cutAnswerOf(proxy, act.lost);

            const { status, text, body } = await berth.call(act.route, act.body);

            proxy.set({});
            assert.ok(met(), `its answer was cut off: ${text}`);
            assert.equal(status, act.status, text);
            for (const [name, value] of Object.entries(act.answer ?? {})) {
              assert.deepEqual(body[name], value, text);
            }
            assert.match((await engine.ask(act.oracle)).body, act.shows);
            assert.equal((await latestEntry(berth)).result, "done");
          } finally {
            proxy.set({});
            await tidy(engine);
          }
        });
      }
    },
  );

  test("an act whose connection is cut before the engine heard of it is refused and audited as failed (F124)", async (engine) => {
    await using proxy = chaosProxy(engine.socket);
    await using berth = await serveEngines({ [kind]: proxy });
    try {
      for (const act of ACTS.filter(({ name }) => ["stop", "create of a network", "kill"].includes(name))) {
        await prepared(engine, berth, act);
        proxy.set({ late: true, only: (head) => act.lost.test(head) });

        const { status, body } = await berth.call(act.route, act.body);

        assert.deepEqual([status, body.code], [503, "runtime_unavailable"], act.name);
        assert.doesNotMatch((await engine.ask(act.oracle)).body, act.shows);
        assert.equal((await latestEntry(berth)).result, "runtime_unavailable");
        proxy.set({});
        await eventually("it is done late", async () => act.shows.test((await engine.ask(act.oracle)).body));
        await tidy(engine);
      }
    } finally {
      proxy.set({});
      await tidy(engine);
    }
  });
}

/** The first byte of the answer to such a request ends its connection. */
function cutAnswerOf(proxy: ChaosProxy, request: RegExp): () => boolean {
  let isMet = false;
  proxy.set({
    cutAfter: 0,
    only: (head) => {
      const matches = request.test(head);
      isMet ||= matches;
      return matches;
    },
  });
  return () => isMet;
}

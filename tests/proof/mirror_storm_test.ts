/**
 * Storms of random operations by somebody else, after which the mirror equals the engine's own, field by field.
 * `BERTH_STORM_SECONDS` sets how long they last, `BERTH_STORM_SEED` repeats one.
 */
import assert from "node:assert/strict";
import { Backends } from "../../engines/links/backends.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { numbers } from "../support/numbers.ts";
import { SILENT } from "../support/silent_log.ts";

const SECONDS = Number(Deno.env.get("BERTH_STORM_SECONDS") ?? "10");
const SEED = Number(Deno.env.get("BERTH_STORM_SEED") ?? String(Math.floor(Math.random() * 2 ** 31)));
/** The clients of a storm have few containers, so that operations meet each other. */
const NAMES = 8;
const HANDS = 3;

/** One operation; that it is often refused is part of the storm. */
function operation(random: () => number): string[] {
  const name = `storm-${Math.floor(random() * NAMES)}`;
  const other = `storm-${Math.floor(random() * NAMES)}`;
  const number = Math.floor(random() * 4);
  const all: string[][] = [
    ["create", "--name", name, "--network", "none", "-l", `n=${number}`, FIXTURE, "idle"],
    ["run", "-d", "--name", name, "--network", "none", "-v", `storm-${number}:/data`, FIXTURE, "idle"],
    ["run", "-d", "--rm", "--name", name, "--network", "none", FIXTURE, "false"],
    ["run", "-d", "--name", name, "--network", "none", FIXTURE, "sh", "-c", `exit ${number}`],
    ["start", name],
    ["stop", "-t", "0", name],
    ["kill", name],
    ["restart", "-t", "0", name],
    ["pause", name],
    ["unpause", name],
    ["rename", name, other],
    ["rm", "-f", name],
    ["rm", name],
    ["volume", "create", `storm-${number}`],
    ["volume", "rm", `storm-${number}`],
    ["tag", FIXTURE, `storm:${number}`],
    ["rmi", `storm:${number}`],
    ["network", "create", `storm-${number}`],
    ["network", "rm", `storm-${number}`],
  ];
  return all[Math.floor(random() * all.length)] ?? [];
}

/** A storm can damage Podman's own records: whoever refuses its list for so long lists nothing ever after. */
const DAMAGED_MS = 20_000;

async function storm(engine: TestEngine, random: () => number): Promise<number> {
  const until = Date.now() + SECONDS * 1_000;
  let done = 0;
  const hand = async () => {
    while (Date.now() < until) {
      await engine.cli(...operation(random)).catch(() => {});
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: HANDS }, hand));
  return done;
}

/** A paused process outlives everything that would end it, its engine's sandbox too. */
async function clean(engine: TestEngine): Promise<void> {
  for (let number = 0; number < NAMES; number += 1) {
    await engine.cli("unpause", `storm-${number}`).catch(() => {});
    await engine.cli("rm", "-f", `storm-${number}`).catch(() => {});
  }
}

// deno-lint-ignore no-explicit-any -- answers of an oracle, compared and not trusted
type Answer = any;

/** Returns the engine's own lists, in berth's words. */
async function engineSays(engine: TestEngine) {
  const [containers, images, volumes, networks] = await Promise.all([
    engine.ask("GET /containers/json?all=1"),
    engine.ask("GET /images/json"),
    engine.ask("GET /volumes"),
    engine.ask("GET /networks"),
  ]);
  assert.equal(containers.status, 200, `The engine itself says: ${containers.body}`);
  const rows: Answer[] = [];
  for (const one of containers.json) {
    const { status, json } = await engine.ask(`GET /containers/${one.Id}/json`);
    // Docker 20.10 goes on listing a container whose rename met its removal.
    if (status === 404) continue;
    assert.equal(status, 200);
    const state = one.State === "stopped" ? "exited" : one.State; // Podman's other word
    const ended = state === "exited" || state === "dead";
    const exitCode = json.State.ExitCode < 0 ? null : json.State.ExitCode; // Podman's for one it never learned
    rows.push({
      id: one.Id,
      name: one.Names[0].slice(1),
      imageId: one.ImageID,
      state,
      exitCode: ended ? exitCode : null,
      labels: one.Labels ?? {},
      mounts: one.Mounts.map((mount: Answer) => `${mount.Name} ${mount.Destination}`),
      createdAt: one.Created,
    });
  }
  return {
    containers: rows.sort(byKey("id")),
    images: images.json.map((one: Answer) => ({
      id: one.Id,
      tags: (one.RepoTags ?? []).filter((tag: string) => tag !== "<none>:<none>").sort(),
    })).sort(byKey("id")),
    volumes: (volumes.json.Volumes ?? []).map((one: Answer) => one.Name).sort(),
    networks: networks.json.map((one: Answer) => ({ id: one.Id, name: one.Name })).sort(byKey("id")),
  };
}

/** Returns the same of the mirror, as fresh as it promises. */
async function mirrorSays(backends: Backends) {
  const kinds = ["containers", "images", "volumes", "networks"] as const;
  for (const kind of kinds) assert.deepEqual((await backends.fresh(kind)).unavailable, []);
  const [link] = backends.links;
  assert.ok(link !== undefined);
  const { containers, images, volumes, networks } = link.mirror;
  return {
    containers: [...containers.rows.values()].map((one) => ({
      id: one.id,
      name: one.name,
      imageId: one.imageId,
      state: one.state,
      exitCode: one.exitCode,
      labels: one.labels,
      mounts: one.mounts.map((mount) => `${mount.name} ${mount.target}`),
      createdAt: Math.floor(Date.parse(one.createdAt) / 1_000),
    })).sort(byKey("id")),
    images: [...images.rows.values()].map(({ id, tags }) => ({ id, tags })).sort(byKey("id")),
    volumes: [...volumes.rows.values()].map(({ name }) => name).sort(),
    networks: [...networks.rows.values()].map(({ id, name }) => ({ id, name })).sort(byKey("id")),
  };
}

function byKey(key: string) {
  return (one: Answer, other: Answer) => one[key] < other[key] ? -1 : 1;
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("after a storm of operations by the command line the mirror equals the engine's own lists, field by field (F24)", async (engine) => {
    console.log(`storm of ${SECONDS} s, BERTH_STORM_SEED=${SEED}`);
    const address = { kind: "unix", path: engine.socket } as const;
    await using backends = Backends.configured([{ name: kind, guess: kind, address }], SILENT);
    await backends.settle();
    assert.equal(backends.links[0]?.state, "up");

    await using _cleaning = { [Symbol.asyncDispose]: () => clean(engine) };
    const operations = await storm(engine, numbers(SEED));
    const ended = performance.now();

    let refusedSince = Infinity;
    const outcome = await eventually("both say the same", async () => {
      const { status } = await engine.ask("GET /containers/json?all=1");
      refusedSince = status === 200 ? Infinity : Math.min(refusedSince, performance.now());
      if (performance.now() - refusedSince > DAMAGED_MS) {
        const { unavailable } = await backends.fresh("containers");
        assert.deepEqual(unavailable.map(({ backend }) => backend), [kind]);
        return "berth says that the engine lists nothing any more, and so it is,";
      }
      assert.deepEqual(await mirrorSays(backends), await engineSays(engine));
      return "equal";
    });
    const took = performance.now() - ended;
    console.log(`${kind}: ${operations} operations, ${outcome} ${took.toFixed(0)} ms after the last`);
    assert.ok(operations > 0);
  });
}

/** Generated histories beside a real engine: every incident names the cause that it really had, or none. */
import assert from "node:assert/strict";
import { ApplyScene, project, service } from "../apply/apply_scene.ts";
import type { EngineKind } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { numbers } from "../support/numbers.ts";
import { serveEngines } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

const TIMES = { watchTimes: { beginMs: 0, tickMs: 100, wellMs: 1_000 } };
const isProof = Deno.env.get("BERTH_PROOF") === "1";
/** Histories of one engine, `BERTH_PROOF=1` for all, and those that run side by side. */
const HISTORIES = isProof ? 100 : 5;
const AT_ONCE = isProof ? 10 : 5;
const MOST_UNKNOWN = 0.05;
const OVER = { timeoutMs: 90_000 };
const SEED = Number(Deno.env.get("BERTH_TEST_SEED") ?? "7");

interface Act {
  readonly name: string;
  /** The kinds of the incident that it may lead to; a later look may find another. */
  readonly kinds: readonly string[];
  readonly cause: string;
  readonly only?: EngineKind;
  readonly run: (scene: ApplyScene, container: string) => Promise<unknown>;
}

const ok = async (scene: ApplyScene, request: string) => {
  const { status, text } = await scene.berth.call(request);
  assert.ok(status < 300, `${request}: ${text}`);
};

const ACTS: readonly Act[] = [
  {
    name: "kill",
    kinds: ["broken", "stopped"],
    cause: "outside",
    run: ({ engine }, c) => engine.cli("kill", c),
  },
  {
    name: "stop",
    kinds: ["stopped", "broken"],
    cause: "outside",
    run: ({ engine }, c) => engine.cli("stop", c),
  },
  {
    name: "remove",
    kinds: ["notStarted"],
    cause: "outside",
    run: ({ engine }, c) => engine.cli("rm", "-f", c),
  },
  {
    name: "limit",
    kinds: ["differs"],
    cause: "outside",
    only: "docker",
    run: ({ engine }, c) => engine.cli("update", "--memory", "64m", "--memory-swap", "128m", c),
  },
  {
    name: "stop by berth",
    kinds: ["stopped"],
    cause: "berth",
    run: (s, c) => ok(s, `POST /api/containers/${c}/stop`),
  },
  {
    name: "remove by berth",
    kinds: ["notStarted"],
    cause: "berth",
    run: (s, c) => ok(s, `DELETE /api/containers/${c}?force=true`),
  },
  {
    name: "end",
    kinds: ["broken", "stopped"],
    cause: "ended",
    // The container may end before the command is told that it is done.
    run: ({ engine }, c) => engine.cli("exec", c, "touch", "/go").catch(() => {}),
  },
];

const ENDING = `[sh, -c, "trap 'exit 0' TERM; until test -f /go; do sleep 0.1; done; exit 3"]`;

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test(`${HISTORIES} generated histories name no cause that was not, and few none`, async (engine) => {
    const random = numbers(SEED);
    const below = (most: number) => Math.floor(random() * most);
    const known = ACTS.filter(({ only }) => only === undefined || only === kind);
    let unknown = 0;
    for (let first = 0; first < HISTORIES; first += AT_ONCE) {
      const name = `h${first}`;
      const acts = Array.from({ length: AT_ONCE }, () => known[below(known.length)]!);
      const edited = below(AT_ONCE);
      await using berth = await serveEngines({ [kind]: engine }, TIMES);
      const text = (user: string) =>
        project(
          name,
          acts.map((act, n) =>
            service(
              `s${n}`,
              act.name === "end" ? "" : `restart: unless-stopped\nmem_limit: 128m${n === edited ? user : ""}`,
              act.name === "end" ? ENDING : "[idle]",
            )
          ),
        );
      const scene = await ApplyScene.on(engine, berth, name, text(""));
      try {
        const open = async () => (await berth.call("GET /api/incidents?state=open&limit=100")).body.items;
        await eventually("nothing is started", async () => (await open()).length === AT_ONCE, OVER);
        const apply = await scene.apply();
        assert.equal(apply.state, "done", apply.reason ?? "");
        await eventually("all of it is well", async () => {
          const left = await open();
          return left.length === 0 || Promise.reject(new Error(JSON.stringify(left)));
        }, OVER);
        const order = acts.map((_, n) => n).sort(() => random() - 0.5);
        for (const n of order) if (n !== edited) await acts[n]!.run(scene, `${name}-s${n}-1`);
        if (acts[edited]!.name !== "end") await scene.write(text("\nuser: nobody"));
        for (const [n, act] of acts.entries()) {
          if (n === edited && act.name === "end") continue; // it has no line to edit
          const expected = n === edited ? { kinds: ["differs"], cause: "file" } : act;
          const what = `seed ${SEED}, ${name}.s${n}: ${n === edited ? "edit" : act.name}`;
          const found = await eventually(
            what,
            async () =>
              (await open()).find((
                { unit, kind: verdict }: { readonly unit: string; readonly kind: string },
              ) => unit === `unit:${name}.s${n}` && expected.kinds.includes(verdict)) ?? null,
            OVER,
          );
          if (found.cause.kind === "unknown") {
            unknown += 1;
            console.log(`unknown: ${what}`);
          } else assert.equal(found.cause.kind, expected.cause, `${what}: ${JSON.stringify(found.cause)}`);
        }
      } finally {
        await scene.clear();
      }
    }
    assert.ok(unknown <= HISTORIES * MOST_UNKNOWN, `${unknown} of ${HISTORIES} are unknown`);
    console.log(`${kind}: ${HISTORIES} histories, 0 wrong causes, ${unknown} unknown`);
  });
}

/** A berth in a process of its own that dies in the middle of an apply. */
import assert from "node:assert/strict";
import type { Config } from "../../config/config.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { TestCaller } from "../support/service.ts";
import type { ApplyScene } from "./apply_scene.ts";

/** An act, and whether berth dies right before it or right after it. */
export type Kill = readonly [when: "before" | "after", act: string, nth?: number];

const ACTOR = new URL("apply_actor.ts", import.meta.url).pathname;

const CLOCK_STEP = new URL("../support/clock_step.ts", import.meta.url).pathname;

/** Starts a berth that dies at the act. `clock` is the file by which `clock_step.ts` steps its clock. */
export async function mortal(
  berth: { folder: string; admin: string | null },
  engine: TestEngine,
  kill: Kill,
  settings: Partial<Config> = {},
  clock: string | null = null,
): Promise<{ child: Deno.ChildProcess; url: string }> {
  const [when, act, nth = 1] = kill;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", ...(clock === null ? [] : [`--preload=${CLOCK_STEP}`]), ACTOR],
      ...[berth.folder, berth.admin ?? "", engine.kind, engine.socket],
      ...[when, act, String(nth), JSON.stringify(settings)],
    ],
    env: clock === null ? {} : { BERTH_TEST_CLOCK: clock },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await lines.read();
  await lines.cancel();
  return { child, url: value.trim() };
}

/** Plans and applies what is written at a berth that dies at the act. Returns the apply's id if that was still told. */
export async function dieInApply(
  scene: ApplyScene,
  kill: Kill,
  { applierOf, until, ask = {} }: {
    /** The request of the plan. */
    readonly ask?: Parameters<ApplyScene["plan"]>[0];
    /** Makes the caller that plans and applies; the admin if there is none. */
    readonly applierOf?: (admin: TestCaller) => Promise<TestCaller>;
    /** Resolves when berth is to be killed, if no act does that. */
    readonly until?: () => Promise<unknown>;
  } = {},
): Promise<string | null> {
  const { berth: { folder, admin }, engine } = scene;
  const { child, url } = await mortal({ folder, admin }, engine, kill);
  const caller = new TestCaller(url, admin);
  await eventually("it is ready", async () => (await caller.call("GET /api/health/ready")).status === 200);
  const applier = await applierOf?.(caller) ?? caller;
  const begun = await scene.begin(await scene.plan(ask, applier), {}, applier).catch(() => null);
  if (until !== undefined) await until().finally(() => child.kill("SIGKILL"));
  assert.equal((await child.status).signal, "SIGKILL");
  return begun?.body.id ?? null;
}

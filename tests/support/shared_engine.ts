/** Tests of one file share one engine of each kind, and are skipped aloud where there can be none. */

import { type EngineKind, NoEngine, startEngine, type TestEngine } from "./engine.ts";

/** A test that takes longer hangs, and fails instead of holding up the whole run. */
const LIMIT_MINUTES = 6;
const PROOF_LIMIT_MINUTES = 60;

export interface SharedEngine {
  /** The engine of this file, or null where it cannot run. */
  readonly engine: TestEngine | null;
  /**
   * Registers a test that is skipped without an engine. Its name gets the engine's kind. `missing` says what else it
   * needs that this machine lacks, if it does.
   */
  test(
    name: string,
    run: (engine: TestEngine, context: Deno.TestContext) => void | Promise<void>,
    missing?: string | null,
  ): void;
}

/**
 * Starts the engine while the file loads, so that its tests can say in time that they are skipped; stops it after the
 * last one. `BERTH_TEST_ENGINES_REQUIRED=1` turns a missing engine into a failure.
 */
export async function sharedEngine(kind: EngineKind, settings?: string): Promise<SharedEngine> {
  let engine: TestEngine | null = null;
  let reason = "";
  try {
    engine = await startEngine(kind, settings);
  } catch (error) {
    if (isRequired()) throw error;
    reason = error instanceof NoEngine ? error.message : `it failed to start: ${error}`;
  }
  let skipped = 0;
  if (engine) {
    const started = engine;
    Deno.test.afterAll(async () => await started[Symbol.asyncDispose]());
  } else {
    globalThis.addEventListener("unload", () => {
      console.error(`NOT RUN: ${skipped} tests on a real ${kind}, because ${reason}`);
    });
  }
  return {
    engine,
    test(name, run, missing = null) {
      if (!engine) skipped++;
      if (engine && missing !== null) {
        // Building an oracle takes minutes: only the proof must have it.
        if (isProof()) throw new Error(`Cannot run "${name}": ${missing}`);
        console.error(`NOT RUN: "${name}" (${kind}), because ${missing}`);
      }
      const started = engine;
      Deno.test({
        name: `${name} (${kind})`,
        ignore: !started || missing !== null,
        timeout: (isProof() ? PROOF_LIMIT_MINUTES : LIMIT_MINUTES) * 60_000,
        // Work that a real engine and its streams finish after one test may end during the next one.
        sanitizeOps: false,
        sanitizeResources: false,
        fn: async (context) => {
          if (started) await run(started, context);
        },
      });
    },
  };
}

/** Like `sharedEngine`, for tests that take minutes: only `deno task proof` starts the engine and runs them. */
export async function proofEngine(kind: EngineKind, settings?: string): Promise<SharedEngine> {
  if (isProof()) return await sharedEngine(kind, settings);
  return {
    engine: null,
    test: (name) => Deno.test.ignore(`${name} (${kind}, in \`deno task proof\`)`, () => {}),
  };
}

/**
 * Like `sharedEngine`, for laws that hold on either engine by the same code: Docker on every commit, and Podman, too, in
 * `deno task proof`.
 */
export async function lawEngine(kind: EngineKind, settings?: string): Promise<SharedEngine> {
  return kind === "docker" ? await sharedEngine(kind, settings) : await proofEngine(kind, settings);
}

function isRequired(): boolean {
  return Deno.env.get("BERTH_TEST_ENGINES_REQUIRED") === "1";
}

function isProof(): boolean {
  return Deno.env.get("BERTH_PROOF") === "1";
}

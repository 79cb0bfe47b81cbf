/** Tests of one file share one engine of each kind, and are skipped aloud where there can be none. */

import { isLeftToProof } from "../proof/long.ts";
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

/** The engines of this file, by kind and settings: who asks for one again gets the same. */
const engines = new Map<string, Promise<TestEngine | NoEngine>>();

/**
 * Starts the engine while the file loads, so that its tests can say in time that they are skipped; stops it after the
 * last one. `BERTH_TEST_ENGINES_REQUIRED=1` turns a missing engine into a failure.
 */
export async function sharedEngine(kind: EngineKind, settings = ""): Promise<SharedEngine> {
  const key = `${kind} ${settings}`;
  const starting = engines.get(key) ?? started(kind, settings);
  engines.set(key, starting);
  const found = await starting;
  const engine = found instanceof NoEngine ? null : found;
  let skipped = 0;
  if (found instanceof NoEngine) {
    globalThis.addEventListener("unload", () => {
      console.error(`NOT RUN: ${skipped} tests on a real ${kind}, because ${found.message}`);
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
      Deno.test({
        name: `${name} (${kind})`,
        ignore: engine === null || missing !== null || isLeftToProof(name),
        timeout: (isProof() ? PROOF_LIMIT_MINUTES : LIMIT_MINUTES) * 60_000,
        // Work that a real engine and its streams finish after one test may end during the next one.
        sanitizeOps: false,
        sanitizeResources: false,
        fn: async (context) => {
          if (engine !== null) await run(engine, context);
        },
      });
    },
  };
}

/** Starts an engine that ends after the last test of this file; returns why there is none where that is no failure. */
async function started(kind: EngineKind, settings: string): Promise<TestEngine | NoEngine> {
  try {
    const engine = await startEngine(kind, settings);
    Deno.test.afterAll(async () => await engine[Symbol.asyncDispose]());
    return engine;
  } catch (error) {
    if (isRequired()) throw error;
    return error instanceof NoEngine ? error : new NoEngine(`it failed to start: ${error}`);
  }
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

/** One browser, one berth and one engine with projects on it, for all tests of a file. */
import type { Browser } from "npm:playwright-core@1.65.1";
import { browserMissing, sharedBrowser } from "../support/browser.ts";
import type { TestEngine } from "../support/engine.ts";
import { composeMissing } from "../streams/live_scene.ts";
import type { TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { type Project, seed, startScene } from "./scene.ts";

export interface Stage {
  readonly browser: Browser;
  readonly engine: TestEngine;
  readonly berth: TestService;
  /** Holds the folders of the projects. */
  readonly folder: string;
}

/** Tests over these projects, which are there before the first of them; and their browser, for tests without an engine. */
export async function stageOf(...projects: readonly Project[]): Promise<{
  readonly test: (name: string, run: (stage: Stage) => Promise<void>) => void;
  readonly browserOf: () => Promise<Browser>;
}> {
  const shared = await sharedEngine("docker");
  const browserOf = sharedBrowser();
  const owned = new AsyncDisposableStack();
  let stage: Promise<Stage> | null = null;
  Deno.test.afterAll(async () => await owned.disposeAsync());

  async function set(engine: TestEngine): Promise<Stage> {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-stage-" }));
    owned.defer(() => Deno.remove(folder, { recursive: true }));
    const [browser] = await Promise.all([browserOf(), seed(engine, folder, projects)]);
    const berth = owned.use(await startScene(engine, folder, { projects }));
    return { browser, engine, berth, folder };
  }
  const test = (name: string, run: (stage: Stage) => Promise<void>) =>
    shared.test(
      name,
      async (engine) => await run(await (stage ??= set(engine))),
      browserMissing() ?? composeMissing,
    );
  return { test, browserOf };
}

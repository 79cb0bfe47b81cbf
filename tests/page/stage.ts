/** One browser, one berth and one engine with projects on it, for all tests of a file. */
import type { Browser } from "npm:playwright-core@1.65.1";
import { browserMissing, startBrowser } from "../browser.ts";
import type { TestEngine } from "../engine.ts";
import { composeMissing } from "../live_scene.ts";
import type { TestService } from "../service.ts";
import { sharedEngine } from "../shared_engine.ts";
import { type Project, seed, startScene } from "./scene.ts";

export interface Stage {
  readonly browser: Browser;
  readonly engine: TestEngine;
  readonly berth: TestService;
  /** Holds the folders of the projects. */
  readonly folder: string;
}

/** Registers tests over these projects, which are there before the first of them. */
export async function stageOf(
  ...projects: readonly Project[]
): Promise<(name: string, run: (stage: Stage) => Promise<void>) => void> {
  const shared = await sharedEngine("docker");
  const owned = new AsyncDisposableStack();
  let stage: Promise<Stage> | null = null;
  Deno.test.afterAll(async () => await owned.disposeAsync());

  async function set(engine: TestEngine): Promise<Stage> {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-stage-" }));
    owned.defer(() => Deno.remove(folder, { recursive: true }));
    const [browser] = await Promise.all([startBrowser(), seed(engine, folder, projects)]);
    owned.use(browser);
    const berth = owned.use(await startScene(engine, folder, { projects }));
    return { browser, engine, berth, folder };
  }
  return (name, run) =>
    shared.test(
      name,
      async (engine) => await run(await (stage ??= set(engine))),
      browserMissing() ?? composeMissing,
    );
}

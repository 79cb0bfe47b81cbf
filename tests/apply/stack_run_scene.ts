/** A whole run of a stack's apply on a swarm of a test's own: its journal is a list. */
import type { Ground } from "../../projects/apply/orders.ts";
import type { Run } from "../../projects/apply/run.ts";
import { declaredNow, digestOf } from "../../projects/plan/looked.ts";
import { ListedRun } from "./listed_run.ts";
import type { BackScene } from "./stack_back_scene.ts";

const SWARM = { id: "c1", name: "s", state: "up", engines: [], nodes: [] };

export class RunScene extends ListedRun {
  constructor(readonly swarm: BackScene) {
    super();
  }

  get #ground(): Ground {
    const now = { networks: [], secrets: [], configs: [], services: [] };
    const stacks = {
      clusters: [SWARM],
      settle: () => Promise.resolve(),
      read: () => Promise.resolve(now),
      acts: () => this.swarm.acts(),
    };
    return {
      apply: "a1",
      backend: "swarm:s",
      model: { groups: [], settings: { paths: [], projects: new Map(), stacks: new Map() } },
      group: {
        name: "shop",
        project: "shop",
        value: null,
        profiles: [],
        units: [],
        resources: [],
        paths: [],
      },
      digest: (text: string) => text,
      contents: new Map(),
      hashes: () => Promise.resolve(new Map()),
      runtime: {
        settle: () => Promise.resolve(),
        stacks: () => stacks,
        holdings: () => Promise.resolve(null),
        backends: () => [],
      },
    } as unknown as Ground;
  }

  /** The apply of the swarm's steps, taken up again where `isAgain` is true. */
  run({ isAgain = false, isEdited = false } = {}): Run {
    const ground = this.#ground;
    const declared = digestOf(declaredNow(ground), ground.digest);
    const { steps, subjects } = this.swarm;
    const plan = {
      id: "p1",
      workspace: "w",
      group: "shop",
      project: "shop",
      backend: "swarm:s",
      basis: { declared: isEdited ? "other" : declared },
      steps,
    };
    const work = {
      plan,
      request: {},
      steps: steps.map(({ n }) => n),
      subjects,
      timeouts: {},
      cluster: "c1",
      onFailure: "rollback",
    };
    return this.runOf(ground, work, { isAgain, rights: () => Promise.resolve(this.swarm.holder()) });
  }
}

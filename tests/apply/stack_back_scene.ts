/** A swarm and a journal of a test's own, for the way back of an apply of a stack. */
import type { Holder } from "../../core/access.ts";
import type { HeldService, StackActs } from "../../core/stack_acts.ts";
import { gainedRights } from "../../plugins/swarm/acts/host_rights.ts";
import { plain } from "../../plugins/swarm/acts/plain.ts";
import { failed } from "../../projects/apply/hand.ts";
import type { StepProgress } from "../../projects/apply/journal.ts";
import type { BackOptions } from "../../projects/apply/stack_back.ts";
import type { StackHand } from "../../projects/apply/stack_hand.ts";
import { MARK, markOf } from "../../projects/apply/work.ts";
import type { Need, Step } from "../../projects/plan/plan_shape.ts";

const APPLY = "a1";

/** A service's definition as a manager has it. */
export const definitionOf = (
  name: string,
  { mounts = [], image = "web:1" }: { readonly mounts?: readonly string[]; readonly image?: string },
): string =>
  JSON.stringify({
    Name: name,
    Labels: { "com.docker.stack.namespace": "shop" },
    TaskTemplate: {
      ContainerSpec: {
        Image: image,
        Mounts: mounts.map((Source) => ({ Type: "bind", Source, Target: "/host" })),
      },
    },
  });

/** A job that has ended well is waited for no longer than one look. */
const TASK = {
  id: "t",
  name: "t",
  state: "completed",
  current: true,
  desired: true,
  isNewest: true,
  isOfRun: true,
};

export class BackScene {
  permissions: string[] = ["projects:apply"];
  /** Scopes on which the applier has the right to hosts. */
  scopes: string[] = [];
  /** The subject of the steps' needs. */
  subject: Need["subject"] = { engine: "swarm:s", workspace: "w", project: "shop" };
  /** The changes that were sent, in order. */
  readonly sent: string[] = [];
  /** The results of the audit log's entries. */
  readonly audit: string[] = [];
  readonly services = new Map<string, HeldService>();
  readonly progress = new Map<number, StepProgress>();
  readonly steps: Step[] = [];
  readonly ending = new AbortController();
  /** The answer to what asks for rights. */
  refused: string | null = null;
  /** The state of the tasks of every service. */
  tasks: "completed" | "starting" = "completed";
  /** True while the tasks of a removed service do not stop. */
  tasksStay = false;
  /** Called before each act. */
  before: (act: string) => void = () => {};

  /** A service that the apply has changed: its definition of now, and the one of before. */
  updated(n: number, now: string, undo: string): this {
    const name = JSON.parse(now).Name;
    this.#step(n, "service.update", name, { undo });
    this.hold(name, now, n);
    return this;
  }

  created(n: number, now: string): this {
    const name = JSON.parse(now).Name;
    this.#step(n, "service.create", name, {});
    this.hold(name, now, n);
    return this;
  }

  /** A wait for what an earlier step has posted. */
  waits(n: number, posted: number): this {
    this.#step(n, "service.wait", this.steps.find((step) => step.n === posted)!.target, {}, [posted]);
    return this;
  }

  removed(n: number, undo: string): this {
    this.#step(n, "service.remove", JSON.parse(undo).Name, { undo });
    return this;
  }

  hold(name: string, definition: string, n: number | null): void {
    const { TaskTemplate: { ContainerSpec } } = JSON.parse(definition);
    this.services.set(name, {
      id: `id of ${name}`,
      version: 1,
      labels: n === null ? {} : { [MARK]: markOf(APPLY, n) },
      image: ContainerSpec.Image,
      definition,
      update: { state: "completed", message: "" },
    });
  }

  #step(
    n: number,
    kind: Step["kind"],
    target: string,
    noted: StepProgress["noted"],
    after: readonly number[] = [],
  ): void {
    const needs = () => [{ permission: "projects:apply", subject: this.subject }];
    const step = {
      n,
      kind,
      target,
      unit: target,
      why: [{ code: "missing" }],
      after,
      risk: "none",
      get needs() {
        return needs();
      },
    };
    this.steps.push(step as unknown as Step);
    this.steps.sort((one, other) => one.n - other.n);
    this.progress.set(n, { state: "done", startedAt: 0, endedAt: 0, noted });
  }

  note(n: number, more: StepProgress["noted"]): void {
    const before = this.progress.get(n)!;
    this.progress.set(n, { ...before, noted: { ...before.noted, ...more } });
  }

  holder(): Holder {
    const grants = [{ permissions: ["projects:host"], on: this.scopes }];
    return { permissions: this.permissions, grants } as unknown as Holder;
  }

  /** The services that were there when the apply began, by their steps. */
  get subjects(): Record<string, { id: string; name: string; definition?: string }> {
    return Object.fromEntries(this.steps.map(({ n, target: name }) => {
      const definition = this.services.get(name)?.definition;
      return [n, { id: `id of ${name}`, name, ...(definition !== undefined && { definition }) }];
    }));
  }

  get options(): BackOptions {
    return {
      steps: this.steps,
      progress: this.progress,
      handOf: (step) => this.hand(step),
      ending: this.ending.signal,
      isAway: ({ code }) => code === "engine_unavailable",
      journal: {
        undo: async (step, kind, work, isUnclear) => {
          try {
            await work();
            this.progress.set(step.n, { ...this.progress.get(step.n)!, state: "undone" });
            if (kind !== null) this.audit.push("done");
          } catch (error) {
            this.audit.push(isUnclear(error) ? "unknown" : "failed");
            throw error;
          }
        },
      },
    };
  }

  hand(step: Step): StackHand {
    const plan = { backend: "swarm:s", workspace: "w", project: "shop", steps: this.steps };
    const hand = {
      apply: APPLY,
      step,
      work: { plan, timeouts: {} },
      orders: this.#orders,
      acts: this.acts(),
      subject: this.subjects[step.n]!,
      noted: { failed: "", ...this.progress.get(step.n)!.noted },
      isAgain: true,
      ending: this.ending.signal,
      notedBy: (n: number) => Promise.resolve(this.progress.get(n)!.noted),
      note: (more: StepProgress["noted"]) => Promise.resolve(this.note(step.n, more)),
      refuse: () => this.refused === null ? Promise.resolve() : Promise.reject(failed(this.refused)),
      seal: (definition: string) => Promise.resolve(definition),
      holder: () => Promise.resolve(this.holder()),
      open: (sealed: string) => Promise.resolve(sealed),
      keepLastWords: () => Promise.resolve(),
    };
    return hand as unknown as StackHand;
  }

  /** The orders of files that say what the swarm has. */
  readonly #orders = {
    ground: { digest: (text: string) => text },
    scene: () =>
      Promise.resolve({
        now: { networks: [], secrets: [], configs: [], services: [] },
        services: new Map(),
        foreignVolumes: null,
        backend: { name: "swarm:s" },
        workspace: { id: "w" },
        group: { project: "shop" },
      }),
    declared: () => ({ group: { sources: [], envFiles: [], includedEnvFiles: [] }, unit: { paths: [] } }),
    service: (_scene: unknown, _step: Step, held: HeldService | null) => ({
      secrets: [],
      configs: [],
      container: { image: held?.image ?? "web:1" },
    }),
  };

  acts(): StackActs {
    const act = (what: string, name: string) => {
      this.before(`${what} ${name}`);
      this.sent.push(`${what} ${name}`);
    };
    const acts: Partial<StackActs> = {
      isAway: () => false,
      service: (name) => {
        this.before(`look ${name}`);
        return Promise.resolve(this.services.get(name) ?? null);
      },
      differences: () => Promise.resolve([]),
      tasks: () =>
        Promise.resolve(
          {
            tasks: [{ ...TASK, state: this.tasks }],
            wanted: 1,
            isJob: true,
            mayEnd: true,
            isOnce: false,
          } as never,
        ),
      isSame: (one, other) =>
        JSON.stringify(plain(JSON.parse(one))) === JSON.stringify(plain(JSON.parse(other))),
      hasTasks: () => Promise.resolve(this.tasksStay),
      gone: () => Promise.resolve([]),
      gained: (definition, held, isOwn) =>
        gainedRights(JSON.parse(definition), held === null ? null : JSON.parse(held), isOwn),
      updateService: ({ id }, spec) => {
        const name = id.replace("id of ", "");
        act("post", name);
        this.hold(
          name,
          definitionOf(name, { image: spec.container.image! }),
          this.steps.find(({ target }) => target === name)!.n,
        );
        return Promise.resolve();
      },
      restoreService: (held, definition) => {
        const { Name } = JSON.parse(definition);
        act("restore", Name);
        this.hold(Name, definition, null);
        if (held === null) this.services.set(Name, { ...this.services.get(Name)!, id: `another ${Name}` });
        return Promise.resolve();
      },
      removeService: (_id, name) => {
        act("remove", name);
        this.services.delete(name);
        return Promise.resolve();
      },
    };
    return acts as StackActs;
  }
}

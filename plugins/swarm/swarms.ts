/** Swarms, as far as there are any. The code that reads them is loaded at the start, and executed once an engine is in one. */
import { ServiceError } from "../../core/error.ts";
import { NO_SERVICES, type RunningServices } from "../../core/running_services.ts";
import type { ActingStacks } from "../../core/stack_acts.ts";
import type { PluginHost } from "../plugin.ts";
import { cannotReach } from "./errors.ts";
import type { Clusters } from "./mirror/clusters.ts";

/** The interval of looking whether an engine is in a swarm. Asks nothing: engines know it from their networks. */
const LOOK_MS = 1_000;

/** The swarms in memory. */
export type KnownSwarms = Pick<Clusters, "all" | "strays" | "services">;

const NONE: KnownSwarms = { all: [], strays: [], services: NO_SERVICES };

interface Begun {
  readonly clusters: Clusters;
  readonly stacks: ActingStacks;
}

export class Swarms implements AsyncDisposable {
  #begun: Begun | null = null;
  #beginning: Promise<Begun> | null = null;
  #isOver = false;
  readonly #clock = setInterval(() => this.#look(), LOOK_MS);

  constructor(private readonly host: Pick<PluginHost, "engines" | "log" | "logins">) {}

  /** The services of all swarms, from memory. */
  get services(): RunningServices {
    return this.#begun?.clusters.services ?? NO_SERVICES;
  }

  /** Somebody looks. Resolves once swarms were listed, or a moment later; false where one was not. */
  async watched(): Promise<boolean> {
    return !this.#isNeeded || await (await this.#begin()).clusters.watched();
  }

  /** The same, with the swarms that there are then. */
  async seen(): Promise<KnownSwarms> {
    await this.watched();
    return this.#begun?.clusters ?? NONE;
  }

  /** Something of a swarm that was found was changed. */
  async changed(...[cluster, service]: Parameters<Clusters["changed"]>): Promise<void> {
    await this.#begun?.clusters.changed(cluster, service);
  }

  /** The swarms as plans and applies reach them. */
  get stacks(): ActingStacks {
    const begun = () => {
      if (this.#begun === null) throw cannotReach();
      return this.#begun.stacks;
    };
    const clusters = () => this.#begun?.stacks.clusters ?? [];
    return {
      get clusters() {
        return clusters();
      },
      settle: () => this.watched(),
      acts: (cluster) => begun().acts(cluster),
      read: async (cluster) => await begun().read(cluster),
      mayPull: (image) => begun().mayPull(image),
      digestOf: async (...asked) => await begun().digestOf(...asked),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    clearInterval(this.#clock);
    await (await this.#beginning?.catch(() => null))?.clusters[Symbol.asyncDispose]();
  }

  get #isNeeded(): boolean {
    return this.#begun !== null || this.host.engines().some(({ isInSwarm }) => isInSwarm);
  }

  #look(): void {
    if (!this.#isNeeded) return;
    this.#begin().then(
      () => clearInterval(this.#clock), // from now on they look themselves
      (error) => this.#isOver || this.host.log.error("Swarms cannot be read", { error }),
    );
  }

  #begin(): Promise<Begun> {
    return this.#beginning ??= this.#run().catch((error) => {
      this.#beginning = null; // whoever asks next tries again
      throw error;
    });
  }

  async #run(): Promise<Begun> {
    const { host } = this;
    const [{ Clusters }, { planAccess }] = await Promise.all([
      import("./mirror/clusters.ts"),
      import("./acts/plan_access.ts"),
    ]);
    if (this.#isOver) throw new ServiceError("stopping", "berth stops");
    const engines = () => host.engines();
    const clusters = new Clusters(engines, host.log);
    return this.#begun = { clusters, stacks: planAccess(clusters, host.logins, engines) };
  }
}

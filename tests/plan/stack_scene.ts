/** Plans of stacks beside a swarm that exists as a manager's answers alone. */
import type { Asked } from "../../projects/plan/scene.ts";
import { Reach, type Scope } from "../../core/access.ts";
import { NO_SERVICES } from "../../core/running_services.ts";
import type { Backend, Holdings } from "../../core/runtime.ts";
import type { StackCluster } from "../../core/stacks.ts";
import { readSwarm } from "../../plugins/swarm/acts/swarm_now.ts";
import type { EnginePath } from "../../engines/calls/path.ts";
import type { Wire } from "../../engines/calls/wire.ts";
import { makeStackPlan } from "../../projects/plan/stack_plan.ts";
import { type Files, workspaceFolder } from "../support/workspace_folder.ts";

export interface StackScene {
  readonly files: Files;
  /** The answers of a manager, by what they list. */
  readonly swarm?: Readonly<Record<string, readonly Wire[]>>;
  readonly clusters?: readonly StackCluster[];
  readonly backends?: readonly Partial<Backend>[];
  readonly holdings?: Partial<Holdings> | null;
  readonly scopes?: readonly Scope[] | undefined;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly pinningMs?: number;
  readonly digestOf?: (image: string, signal?: AbortSignal) => Promise<string>;
}

export const ONE: StackCluster = { id: "s1", name: "one", state: "up", engines: ["e1"], nodes: ["e1"] };

/** The answers that a manager gives for an object of the stack. */
export const inStack = (name: string, stack = "shop", more: Wire = {}): Wire => {
  const Labels = { "com.docker.stack.namespace": stack };
  return { ID: name, Id: name, Name: name, Labels, Spec: { Name: name, Labels, ...more }, ...more };
};

/** Plans the group `shop`. */
export async function planOf(scene: StackScene) {
  const {
    files,
    swarm = {},
    clusters = [ONE],
    backends = [{ name: "e1", state: "up" }],
    holdings,
    scopes,
    request,
    digestOf,
  } = scene;
  await using folder = await workspaceFolder(files);
  const model = await folder.read();
  const group = model.groups.find(({ name }) => name === "shop")!;
  const reach = scopes === undefined ? Reach.EVERYWHERE : new Reach(scopes);
  const read = ({ text }: EnginePath) => Promise.resolve(swarm[text.slice(1)] ?? []);
  const asked = {
    model,
    group,
    workspace: { id: "w1", name: "w1" },
    revision: "1",
    registered: [],
    runtime: {
      backends: () => backends,
      permissionFor: (act: string) => act,
      services: () => NO_SERVICES,
      holdings: () =>
        Promise.resolve(
          holdings === null
            ? null
            : { ports: [], networks: [], volumes: [], boundPaths: [], images: [], ...holdings },
        ),
      stacks: () => ({
        clusters,
        settle: () => Promise.resolve(true),
        read: () => readSwarm(read, () => "1.47"),
        mayPull: () => true,
        digestOf: (_cluster: string, image: string, signal?: AbortSignal) =>
          digestOf?.(image, signal) ?? Promise.reject(new Error("No registry")),
      }),
    },
    request: { action: "up", pull: "never", orphans: "keep", ...request },
    real: (path: string) => Promise.resolve(path),
    own: { digest: (text: string) => String(text.length), hashOf: () => Promise.resolve(null) },
    sight: { reach, sees: () => true, settle: () => Promise.resolve(false) },
    readable: reach,
    newerOf: () => null,
    mayReachHost: false,
  } as unknown as Asked; // the rest of it is for containers
  return (await makeStackPlan(asked, scene.pinningMs)).plan;
}

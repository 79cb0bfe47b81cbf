/** Composes what works with declared projects: applies over files, rights and the audit log, and image registries. */
import type { Registry } from "../artifacts/registry/registry.ts";
import type { Access } from "../auth/access.ts";
import { auditEntry, BERTH } from "../auth/audit/audit.ts";
import type { Config } from "../config/config.ts";
import type { Replicas } from "../core/replicas.ts";
import type { ContainerRuntime } from "../core/runtime.ts";
import type { Store } from "../core/store.ts";
import type { OpenLog } from "../log/log.ts";
import type { Plugins } from "../plugins/host.ts";
import { Claims } from "../projects/adopt/claims.ts";
import { Applies } from "../projects/apply/applies.ts";
import { alsoByDigest } from "../projects/apply/failed_updates.ts";
import type { ApplyTimes } from "../projects/apply/applies_options.ts";
import { UpdateChecker } from "../projects/updates/checker.ts";
import { Updates } from "../projects/updates/updates.ts";
import { Registries } from "../projects/registries/registries.ts";
import { ownSide } from "../routes/artifact_lookup.ts";
import { registerRemedy } from "../routes/register_remedy.ts";
import { IgnoredProjects } from "../routes/ignored.ts";

/** Updates that went back, as they are remembered. */
const MOST_FAILURES = 2_000;

interface Parts {
  readonly config: Config;
  readonly store: Store;
  readonly access: Access;
  readonly log: OpenLog;
  readonly registry: Registry;
  readonly plugins: Plugins;
}

/** Opens the stored image registries. */
export function openRegistries({ store, access }: Pick<Parts, "store" | "access">): Registries {
  const { registrySeal: seal, clock } = access;
  return new Registries({ store: store.registries, seal, now: () => clock.now() });
}

/** Returns the remedy for projects that only run: registering their folders. */
export const remedyOf = ({ config, registry, plugins }: Pick<Parts, "config" | "registry" | "plugins">) =>
  registerRemedy({ registry, roots: config.roots, hidden: [config.data], runtime: () => plugins.runtime });

/** Opens what people have put aside. */
export function openIgnored({ store, access: { clock } }: Pick<Parts, "store" | "access">): IgnoredProjects {
  return new IgnoredProjects({
    store: store.ignored,
    now: () => clock.now(),
    entryOf: (told) => auditEntry({ at: clock.now(), actor: BERTH, ...told }),
  });
}

interface ClaimParts extends Pick<Parts, "store" | "access" | "log"> {
  readonly replicas: Replicas;
  readonly runtime: () => ContainerRuntime | null;
}

/** Opens the claims on containers that were adopted. */
export async function openClaims({ store, access, log, replicas, runtime }: ClaimParts): Promise<Claims> {
  return await Claims.open({
    store: store.claims,
    replicas: store.replicas,
    runtime,
    isOurTurn: (ms) => replicas.turn("claims", ms),
    now: () => access.clock.now(),
    log,
  });
}

interface UpdateParts extends Omit<Parts, "config"> {
  readonly replicas: Replicas;
  readonly registries: Registries;
}

/** Opens the look for newer images. */
export function openUpdates(
  { store, access, log, registry, plugins, replicas, registries }: UpdateParts,
): { readonly updates: Updates; readonly checker: UpdateChecker } & AsyncDisposable {
  const updates = new Updates(store.updates);
  const checker = new UpdateChecker({
    updates,
    store: store.updates,
    registries,
    groups: async () => {
      const { mainGroups } = await import("../artifacts/graph/graph.ts");
      return (await registry.models()).flatMap(({ model }) => mainGroups(model));
    },
    runtime: () => plugins.runtime,
    replicas: store.replicas,
    isOurTurn: (ms) => replicas.turn("newer images", ms),
    log,
    now: () => access.clock.now(),
  });
  return { updates, checker, [Symbol.asyncDispose]: () => checker[Symbol.asyncDispose]() };
}

/** Opens the applies with files, rights and the audit log. */
export function openApplies(
  { store, access, log, registry, plugins, config }: Parts,
  times: ApplyTimes = {},
): Applies {
  const { digests, clock } = access;
  return new Applies({
    store: store.applies,
    runtime: () => plugins.runtime,
    sources: async (workspace, name) => {
      const { contentsOf } = await import("../projects/drift/contents.ts");
      const model = await registry.comparedModel(workspace);
      const group = model.groups.find((one) => one.name === name);
      if (group === undefined) return null;
      const side = await ownSide({ registry, digests }, workspace);
      const reading = await registry.folder(workspace);
      const hashes = async () => (await import("../projects/plan/stack_scene.ts")).hashesOf(group, side);
      return { model, group, digest: side.digest, contents: await contentsOf(group, side), hashes, reading };
    },
    seal: access.applySeal,
    rights: (actor) => access.holderNow(actor),
    entryOf: (told) => auditEntry({ at: clock.now(), ...told }),
    noteFailed: async (failed, engine) => {
      const { runtime } = plugins;
      const [holdings, images] = await Promise.all([runtime?.holdings(), runtime?.images()]);
      const all = alsoByDigest(failed, engine, holdings?.images ?? [], images ?? []);
      await store.updates.addFailures(all, MOST_FAILURES);
    },
    composeVersion: config.composeVersion,
    log,
    now: () => clock.now(),
    ...times,
  });
}

/** Composes what works with declared projects: applies over files, rights and the audit log, and image registries. */
import type { Registry } from "./artifacts/registry/registry.ts";
import type { Access } from "./auth/access.ts";
import { auditEntry } from "./auth/audit/audit.ts";
import type { Config } from "./config.ts";
import type { Store } from "./core/store.ts";
import type { OpenLog } from "./log/log.ts";
import type { Plugins } from "./plugins/host.ts";
import { Applies } from "./projects/apply/applies.ts";
import type { ApplyTimes } from "./projects/apply/applies_options.ts";
import { Registries } from "./projects/registries/registries.ts";
import { ownSide } from "./routes/artifact_lookup.ts";

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
      const { contentsOf } = await import("./projects/drift/contents.ts");
      const model = await registry.comparedModel(workspace);
      const group = model.groups.find((one) => one.name === name);
      if (group === undefined) return null;
      const side = await ownSide({ registry, digests }, workspace);
      return { model, group, digest: side.digest, contents: await contentsOf(group, side) };
    },
    rights: (actor) => access.holderNow(actor),
    entryOf: (told) => auditEntry({ at: clock.now(), ...told }),
    composeVersion: config.composeVersion,
    log,
    now: () => clock.now(),
    ...times,
  });
}

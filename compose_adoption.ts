/** Composes what takes containers over that run: their claims, and the routes by which they become a project. */
import type { Registry } from "./artifacts/registry/registry.ts";
import type { Access } from "./auth/access.ts";
import type { Replicas } from "./core/replicas.ts";
import type { ContainerRuntime } from "./core/runtime.ts";
import type { Sights } from "./core/sight.ts";
import type { Store } from "./core/store.ts";
import type { CoreRouter } from "./http/declare/router.ts";
import type { OpenLog } from "./log/log.ts";
import type { Plugins } from "./plugins/host.ts";
import { Claims } from "./projects/adopt/claims.ts";
import { adoptions } from "./routes/adoptions.ts";
import { claimRoutes } from "./routes/claims.ts";

interface Shared {
  readonly store: Store;
  readonly access: Access;
  readonly log: OpenLog;
}

interface ClaimParts extends Shared {
  readonly replicas: Replicas;
  readonly runtime: () => ContainerRuntime | null;
}

/** Opens what is known of adopted containers. */
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

interface AdoptionParts extends Omit<Shared, "log"> {
  readonly registry: Registry;
  readonly plugins: Plugins;
  readonly sights: Sights;
  readonly claims: Claims;
}

/** Returns the routes by which containers that run become a project. */
export function adoptionRouters(
  { store, access, registry, plugins, sights, claims: known }: AdoptionParts,
): readonly CoreRouter[] {
  const claims = { store: store.claims, known };
  const common = { runtime: () => plugins.runtime, sights, claims, now: () => access.clock.now() };
  return [adoptions({ ...common, registry, offers: store.offers }), claimRoutes(common)];
}

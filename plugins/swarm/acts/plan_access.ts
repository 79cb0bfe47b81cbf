/** The swarms as plans and applies reach them: read anew from a manager, and images pinned at their registry. */
import { ServiceError } from "../../../core/error.ts";
import { nameOf, readReference, textOfReference } from "../../../core/image_reference.ts";
import type { RegistryLogins } from "../../../core/registries.ts";
import type { ActingStacks } from "../../../core/stack_acts.ts";
import { mustBeAllowed } from "../../../engines/calls/allowed_registry.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { at, SlashedName } from "../../../engines/calls/path.ts";
import { registryAuth } from "../../../engines/calls/registry_auth.ts";
import { objectOf, textOf } from "../../../engines/calls/wire.ts";
import type { EngineAccess } from "../../../engines/lent.ts";
import { cannotReach } from "../errors.ts";
import type { Cluster } from "../mirror/cluster.ts";
import type { Clusters } from "../mirror/clusters.ts";
import { StackOnSwarm } from "./stack_acts.ts";
import { readSwarm } from "./swarm_now.ts";

/** The milliseconds that a registry may take, which the manager asks. */
const REGISTRY_MS = 20_000;

export function planAccess(
  clusters: Clusters,
  logins: RegistryLogins,
  engines: () => readonly Pick<EngineAccess, "registries">[],
): ActingStacks {
  const mustAllow = (image: string) => mustBeAllowedBy(engines(), image);
  const found = (id: string): Cluster => {
    const cluster = clusters.all.find((one) => one.id === id);
    if (cluster === undefined) throw cannotReach();
    return cluster;
  };
  return {
    get clusters() {
      return clusters.all.map(({ id, name, state, scope, nodes }) => ({
        id,
        name,
        state,
        engines: scope,
        nodes: nodes.map(({ backend }) => backend),
      }));
    },
    settle: () => clusters.watched(),
    acts: (id) => new StackOnSwarm(found(id), clusters, logins, mustAllow),
    read: async (id) => {
      const cluster = found(id);
      const doing = `read swarm "${cluster.name}"`;
      try {
        return await readSwarm(
          (path, query) => cluster.managers.get(path, doing, query),
          () => cluster.managers.apiVersion,
        );
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        throw cannotReach(error.message, error);
      }
    },
    mayPull: (text) => {
      try {
        mustAllow(text);
        return true;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return false;
      }
    },
    digestOf: async (id, text, signal) => {
      const reference = readReference(text);
      if (reference === null) throw new ServiceError("invalid_request", `"${text}" is no image`);
      mustAllow(text);
      const { registry, repository, digest } = reference;
      if (digest !== null) return digest;
      const login = await logins.find(registry, repository);
      const headers = login === undefined ? {} : { "X-Registry-Auth": registryAuth(login, registry) };
      const answer = await found(id).managers.get(
        at`/distribution/${new SlashedName(textOfReference(reference))}/json`,
        `look for "${nameOf(reference)}" at its registry`,
        {},
        { headers, firstByteMs: REGISTRY_MS, ...(signal !== undefined && { signal }) },
      );
      const pinned = textOf(objectOf(objectOf(answer).Descriptor).digest);
      if (/^sha256:[0-9a-f]{64}$/.test(pinned)) return pinned;
      throw new ServiceError("engine_unavailable", `The registry of "${text}" tells no digest of it`);
    },
  };
}

/** Throws `pull_refused` where one of the engines may not pull it. */
function mustBeAllowedBy(engines: readonly Pick<EngineAccess, "registries">[], image: string): void {
  const limited = engines.filter(({ registries }) => registries !== null);
  if (limited.length === 0) return;
  const reference = readReference(image);
  if (reference === null) throw engineError("pull_refused", `Cannot pull "${image}": it is no image`);
  for (const { registries } of limited) mustBeAllowed(reference, registries);
}

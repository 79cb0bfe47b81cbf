/** Finds the group that a project's id or name means. */
import { type Registry, unknownWorkspace } from "../artifacts/registry/registry.ts";
import type { Reach } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { Remedy } from "../core/remedy.ts";
import { modelSeen } from "./artifact_lookup.ts";

/** Ids that are told of a name that several projects have. */
const MOST_CANDIDATES = 20;

/**
 * Returns the workspace and the group of a declared project, by `<group>@<workspace>` or by a name that the caller sees
 * once. Throws `workspace_not_found`, `artifact_not_found` and `ambiguous_name`.
 */
export async function declaredProject(
  registry: Pick<Registry, "models">,
  asked: string,
  reach: Reach,
  /** The remedies for a project that only runs. */
  remediesOf: (engine: string, project: string) => Promise<readonly Remedy[]> = () => Promise.resolve([]),
): Promise<{ readonly id: string; readonly name: string }> {
  const at = asked.lastIndexOf("@");
  const where = asked.slice(at + 1);
  if (at > 0 && where.startsWith("swarm:")) {
    throw new ServiceError(
      "artifact_not_found",
      `Cannot plan "${asked}": it runs as a stack, and no file of a registered folder declares it`,
    );
  }
  if (at > 0 && !where.startsWith("engine:")) return { id: where, name: asked.slice(0, at) };
  if (at > 0) {
    throw new ServiceError(
      "artifact_not_found",
      `Cannot plan "${asked}": it runs, and no file of a registered folder declares it`,
      { remedies: await remediesOf(where.slice("engine:".length), asked.slice(0, at)) },
    );
  }
  const { mainGroups } = await import("../artifacts/graph/graph.ts");
  const found: { id: string; name: string }[] = [];
  for (const { workspace: { id }, model } of await registry.models()) {
    const seen = await modelSeen(model, id, reach);
    for (const { name, project } of seen === null ? [] : mainGroups(seen)) {
      if (name === asked || project === asked) found.push({ id, name });
    }
  }
  const [first, ...more] = found;
  if (first === undefined) throw unknownWorkspace();
  if (more.length === 0) return first;
  throw new ServiceError("ambiguous_name", `Several projects are called "${asked}": use an id`, {
    errors: found.slice(0, MOST_CANDIDATES).map(({ id, name }) => ({
      path: "path.id",
      message: `${name}@${id}`,
    })),
  });
}

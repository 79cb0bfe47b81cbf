/** Which workspace of a running berth is meant, and which of its groups. */
import { WORKSPACE_ARTIFACTS, WORKSPACES } from "../client/berth/workspaces.ts";
import type { Client } from "../client/mod.ts";
import { StartFailure } from "../start_failure.ts";

/** By its id or name, or by its folder. */
export async function workspaceAt(client: Client, named: string): Promise<string> {
  const { items } = (await client.get(WORKSPACES)).json();
  const path = await Deno.realPath(named).catch(() => null);
  const found = items.filter((one) => one.id === named || one.name === named || one.path === path);
  if (found.length === 1) return found[0]!.id;
  throw new StartFailure(
    found.length === 0
      ? `berth has no workspace "${named}": give its id, its name or its folder`
      : `Several workspaces are called "${named}": give an id, one of ${
        found.map(({ id }) => id).join(", ")
      }`,
  );
}

/** The names of those that can be planned. */
export async function groupsOf(client: Client, id: string): Promise<string[]> {
  const { items } = (await client.get(WORKSPACE_ARTIFACTS, { params: { id }, query: { kind: "group" } }))
    .json();
  return items.filter(({ type }) => type === "main").map(({ name }) => name);
}

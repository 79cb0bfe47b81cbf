/** The common part of the commands that write containers down: which are meant, and what their draft says. */
import { CONTAINERS } from "../client/berth/containers.ts";
import { type AdoptionDraft, WORKSPACE_ADOPTIONS_DRAFT, WORKSPACES } from "../client/berth/workspaces.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { UsageFailure } from "./exit_code.ts";

/** A call about 500 containers may take longer than others on a busy machine. */
export const DRAFT_TIMEOUT_S = 60;

export type DraftedProject = AdoptionDraft["projects"][number];

/** The draft, and the workspace that it was read in. */
export interface Drafted {
  readonly workspace: string;
  readonly draft: AdoptionDraft;
}

/** Writes the containers down that the line names. Throws `UsageFailure` where it is not clear what is meant. */
export async function drafted(client: Client, line: Line, reveal: boolean): Promise<Drafted> {
  const workspace = await workspaceOf(client, line.option("--workspace"));
  const name = line.option("--name");
  const payload = { containers: await containersOf(client, line), ...(name !== undefined && { name }) };
  const params = { id: workspace };
  const draft = (await client.post(WORKSPACE_ADOPTIONS_DRAFT, { params, query: { reveal }, payload })).json();
  return { workspace, draft };
}

/** Throws `UsageFailure` where it is not clear which folder is meant. */
async function workspaceOf(client: Client, named: string | undefined): Promise<string> {
  const { items } = (await client.get(WORKSPACES)).json();
  const found = items.filter(({ id, name }) => named === undefined || id === named || name === named);
  if (found.length === 1) return found[0]!.id;
  throw new UsageFailure(
    items.length === 0
      ? "berth has no folder yet: register one first"
      : `Say with --workspace which folder is meant: ${items.map(({ id }) => id).join(", ")}`,
  );
}

/** Finds each container by its name or the beginning of its id. Throws `UsageFailure` where none or several fit. */
async function containersOf(client: Client, line: Line): Promise<{ backend: string; id: string }[]> {
  const { items } = (await client.get(CONTAINERS)).json();
  const engine = line.option("--engine") ?? line.option("--backend");
  return line.args.map((word) => {
    const onEngine = items.filter(({ backend }) => engine === undefined || backend === engine);
    const named = onEngine.filter(({ name }) => name === word);
    const found = named.length > 0 ? named : onEngine.filter(({ id }) => id.startsWith(word));
    if (found.length === 1) return { backend: found[0]!.backend, id: found[0]!.id };
    throw new UsageFailure(
      found.length === 0
        ? `There is no container "${word}": "berth ls" lists them`
        : `Several containers are called "${word}": say with --engine which is meant`,
    );
  });
}

export const textOf = ({ name, files }: DraftedProject): string =>
  files.map(({ path, text }) => `# ${visible(name)}/${path}\n${text}`).join("");

/** Says what a reader of the files would not know. */
export function report({ name, differences, leftOut, refused, blocked }: DraftedProject): void {
  const say = (text: string) => console.error(`berth: ${visible(`${name}: ${text}`)}`);
  for (const { container, why } of refused) say(`${container} cannot be written down: ${why}`);
  for (const { container, field, declared, actual } of differences) {
    say(`${container} differs in ${field}: the text says ${declared}, the container has ${actual}`);
  }
  for (const { containers, field, why } of leftOut) say(`${containers.join(", ")}: ${field}: ${why}`);
  for (const why of blocked) say(why);
}

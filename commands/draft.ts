/** `berth draft`: containers that run, written down as files of a Compose project. */
import { CONTAINERS } from "../client/berth/containers.ts";
import { type AdoptionDraft, WORKSPACE_ADOPTIONS_DRAFT, WORKSPACES } from "../client/berth/workspaces.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { tell } from "./failure.ts";
import { writeOut } from "./output.ts";
import type { Line } from "./command.ts";

type Project = AdoptionDraft["projects"][number];

export async function run(line: Line): Promise<number> {
  const into = line.option("--into");
  let draft: AdoptionDraft;
  try {
    using client = await openClient();
    const id = await workspaceOf(client, line.option("--workspace"));
    const name = line.option("--name");
    const payload = { containers: await containersOf(client, line), ...(name !== undefined && { name }) };
    draft = (await client.post(WORKSPACE_ADOPTIONS_DRAFT, {
      params: { id },
      query: { reveal: into !== undefined },
      payload,
    })).json();
  } catch (error) {
    return failCall(error);
  }
  if (line.option("--json") !== undefined) writeOut(`${JSON.stringify(draft, null, 2)}\n`);
  else if (into === undefined) writeOut(draft.projects.map(textOf).join(""));
  draft.projects.forEach(report);
  if (into !== undefined) {
    try {
      await write(into, draft.projects);
    } catch (error) {
      return tell(error);
    }
  }
  const isWhole = draft.projects.every(({ differences, refused, blocked }) =>
    differences.length + refused.length + blocked.length === 0
  );
  return isWhole ? EXIT.FINE : EXIT.TO_DO;
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

const textOf = ({ name, files }: Project): string =>
  files.map(({ path, text }) => `# ${visible(name)}/${path}\n${text}`).join("");

/** Says what a reader of the files would not know. */
function report({ name, differences, leftOut, refused, blocked }: Project): void {
  const say = (text: string) => console.error(`berth: ${visible(`${name}: ${text}`)}`);
  for (const { container, why } of refused) say(`${container} cannot be written down: ${why}`);
  for (const { container, field, declared, actual } of differences) {
    say(`${container} differs in ${field}: the text says ${declared}, the container has ${actual}`);
  }
  for (const { containers, field, why } of leftOut) say(`${containers.join(", ")}: ${field}: ${why}`);
  for (const why of blocked) say(why);
}

/** Writes new files alone, `.env` first and for its owner. Throws `UsageFailure` before the first if one is there. */
async function write(into: string, projects: readonly Project[]): Promise<void> {
  const folderOf = ({ name }: Project) => projects.length === 1 ? into : `${into}/${name}`;
  const all = projects.flatMap((project) =>
    project.files.map(({ path, text }) => ({ folder: folderOf(project), path, text }))
  );
  for (const { folder, path } of all) {
    const isThere = await Deno.lstat(`${folder}/${path}`).then(() => true, () => false);
    if (isThere) throw new UsageFailure(`"${folder}/${path}" is there already: choose another folder`);
  }
  for (const { folder, path, text } of all) {
    await Deno.mkdir(folder, { recursive: true });
    const mode = path === ".env" ? 0o600 : 0o644;
    await Deno.writeTextFile(`${folder}/${path}`, text, { createNew: true, mode });
    console.error(`berth: ${visible(`wrote ${folder}/${path}`)}`);
  }
}

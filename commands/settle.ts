/** `berth settle`: a difference is settled in the file, and no container changes. */
import { WORKSPACE_ARTIFACTS_UNIT, WORKSPACE_ARTIFACTS_UNIT_SETTLE } from "../client/berth/workspaces.ts";
import { PROJECT, type ProjectDetail, PROJECTS } from "../client/berth/projects.ts";
import type { Client } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { isMeant } from "./confirmed.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { writeOut } from "./output.ts";
import { MOST } from "./status.ts";
import { projectOf } from "./target.ts";

export async function run(line: Line): Promise<number> {
  try {
    using client = await openClient();
    const [word = "", ...fields] = line.args;
    const { id, name } = await unitOf(client, word);
    const unit = (await client.get(WORKSPACE_ARTIFACTS_UNIT, { params: { id, name } })).json();
    const drift = (unit.live?.drift ?? []).filter(({ container }) => container !== null);
    const container = line.option("--container") ?? drift[0]?.container;
    const differing = [...new Set(drift.flatMap((one) => one.container === container ? [one.field] : []))];
    if (container === undefined || container === null || differing.length === 0) {
      writeOut("no difference\n");
      return EXIT.FINE;
    }
    if (fields.length === 0) {
      for (const { field, declared, actual } of drift.filter((one) => one.container === container)) {
        writeOut(`${visible(field)}: declared ${visible(declared)}, runs ${visible(actual)}\n`);
      }
      return EXIT.TO_DO;
    }
    const options = { params: { id, name }, payload: { container, fields } };
    const preview = await client.post(WORKSPACE_ARTIFACTS_UNIT_SETTLE, {
      ...options,
      query: { preview: true },
    });
    const { path, changes } = preview.json();
    for (const { line, before, after } of changes) {
      writeOut(`${visible(path)}:${line}\n${signed("-", before)}${signed("+", after)}`);
    }
    if (!isMeant(`Save ${visible(path)}?`, line)) return EXIT.NO;
    const ifMatch = preview.headers.get("etag") ?? "";
    const { left } = (await client.post(WORKSPACE_ARTIFACTS_UNIT_SETTLE, { ...options, ifMatch })).json();
    writeOut(left.length === 0 ? "as written\n" : `still differs in ${visible(left.join(", "))}\n`);
    return left.length === 0 ? EXIT.FINE : EXIT.TO_DO;
  } catch (error) {
    return failCall(error);
  }
}

const signed = (sign: string, text: string): string =>
  text === "" ? "" : text.split("\n").map((one) => `${sign} ${visible(one)}\n`).join("");

/** Throws `UsageFailure` where it is not clear which service is meant. */
async function unitOf(client: Client, word: string): Promise<{ readonly id: string; readonly name: string }> {
  const { id, service } = projectOf(word);
  if (service === undefined) throw new UsageFailure(`Say which service is meant: "${word}/web"`);
  const found = await declaredProjects(client, id);
  if (found.length !== 1) {
    throw new UsageFailure(
      found.length === 0
        ? `There is no declared project "${id}": "berth status" lists them`
        : `Several projects are called "${id}": ${found.map(({ id }) => id).join(", ")}`,
    );
  }
  const at = found[0]!.id.lastIndexOf("@"); // one was found
  return { id: found[0]!.workspace!.id, name: `${found[0]!.id.slice(0, at)}.${service}` }; // declared ones have one
}

type DeclaredProject = Pick<ProjectDetail, "id" | "workspace">;

/** Returns the declared projects of this id or name. Where there are more than one list has, berth finds it. */
export async function declaredProjects(client: Client, id: string): Promise<DeclaredProject[]> {
  const { items, total } = (await client.get(PROJECTS, { query: { limit: MOST } })).json();
  const isPart = total > items.length && !items.some((one) => one.id === id);
  const named = isPart
    ? [(await client.get(PROJECT, { params: { id } })).json()]
    : items.filter((one) => one.id === id || one.name === id);
  return named.filter(({ workspace }) => workspace !== null);
}

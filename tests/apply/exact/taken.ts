/** Chooses the forms of a service that both Compose and berth take. */
import assert from "node:assert/strict";
import { type ApplyScene, project, service } from "../apply_scene.ts";
import { composeToday } from "../../support/compose.ts";
import { FIXTURE } from "../../support/engine.ts";
import { REFUSED } from "./agreed.ts";
import { type Form, MORE } from "./forms.ts";

export interface Named extends Form {
  readonly name: string;
}

export const named = (forms: readonly Form[]): Named[] =>
  forms.map((form, n) => ({ ...form, name: `s${n + 1}` }));

export const indented = (lines: string, by: number) =>
  lines.split("\n").filter((line) => line !== "").map((line) => `${" ".repeat(by)}${line}\n`).join("");

export const serviceOf = (name: string, lines: string) =>
  `  ${name}:\n    image: ${FIXTURE}\n${indented(lines, 4)}`;

/** A project with every form as a service, beside `s0`, which some of them name. */
export const plainProject = (forms: readonly Named[]) =>
  project("exact", [service("s0"), ...forms.map(({ name, lines }) => serviceOf(name, lines))], MORE);

/** Returns the forms that berth plans, and fails for one that it refuses for a reason that nobody agreed to. */
export async function unblocked(scene: ApplyScene, forms: readonly Named[]): Promise<readonly Named[]> {
  await scene.write(plainProject(forms));
  const { blocked } = await scene.plan();
  const refused = blocked.filter(({ message }) => !REFUSED.some((one) => one.message.test(message)));
  const shown = refused.map(({ message, subject }) =>
    `${message} ${JSON.stringify(forms.find(({ name }) => subject === `unit:exact.${name}`)?.lines)}`
  );
  assert.deepEqual(shown, []);
  return forms.filter(({ name }) => !blocked.some(({ subject }) => subject === `unit:exact.${name}`));
}

/** Returns the forms that Compose takes: it refuses a project as a whole. */
export async function taken(
  folder: string,
  socket: string,
  forms: readonly Named[],
): Promise<readonly Named[]> {
  await Deno.writeTextFile(`${folder}/compose.yaml`, plainProject(forms));
  if (await composeToday(socket, folder, "config", "-q") === "") return forms;
  if (forms.length === 1) return [];
  const half = forms.length >> 1;
  return [
    ...await taken(folder, socket, forms.slice(0, half)),
    ...await taken(folder, socket, forms.slice(half)),
  ];
}

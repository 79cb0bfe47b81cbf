/** The ways in which the services of a Compose file can get their fields. */
import { project, service } from "../apply/apply_scene.ts";

/** A service with the line, in place of what it would say of the same key otherwise. */
function written(name: string, line = "", shown = line): string {
  const key = line.slice(0, line.indexOf(":") + 1);
  const usual = service(name).split("\n").filter((one) => key === "" || !one.startsWith(`    ${key}`));
  return [...usual.slice(0, -1), `    ${shown}`, ""].join("\n");
}

/** The first scalar of a line as a variable; null for a line without one. */
function asVariable(line: string, name: string): { line: string; value: string } | null {
  const [, head, value, tail] = /^([^'{[]*(?:[{[][^'{[]*)*?: ?\[?'?)([\w./:=-]+)('?.*)$/.exec(line) ?? [];
  if (head === undefined || value === undefined) return null;
  // In a flow collection a brace without quotes would begin another one.
  const quote = /[{[]/.test(head) && !head.endsWith("'") ? '"' : "";
  return { line: `${head}${quote}\${${name}}${quote}${tail}`, value };
}

/** Returns files by their paths; `more` are the other parts of the Compose file. */
export type Way = (
  name: string,
  services: readonly string[],
  lines: readonly string[],
  more: string,
) => Readonly<Record<string, string>>;

export const WAYS: Readonly<Record<string, Way>> = {
  plain: (name, names, lines, more) => ({
    "compose.yaml": project(name, names.map((one, n) => written(one, lines[n])), more),
  }),
  extends: (name, names, lines, more) => ({
    "compose.yaml": `name: ${name}\nservices:\n${
      names.map((one) => `  ${one}:\n    extends: { file: base.yaml, service: ${one} }\n`).join("")
    }${more}`,
    "base.yaml": `services:\n${names.map((one, n) => written(one, lines[n])).join("")}`,
  }),
  include: (name, names, lines, more) => ({
    "compose.yaml": `name: ${name}\ninclude: [part.yaml]\n`,
    "part.yaml": `services:\n${names.map((one, n) => written(one, lines[n])).join("")}${more}`,
  }),
  merge: (name, names, lines, more) => ({
    "compose.yaml": `name: ${name}\n${
      names.map((one, n) => `x-${one}: &${one}\n    ${lines[n]}\n`).join("")
    }services:\n${names.map((one, n) => written(one, lines[n], `<<: *${one}`)).join("")}${more}`,
  }),
  variable: (name, names, lines, more) => {
    const changed = lines.map((line, n) => asVariable(line, `V_${names[n]}`));
    return {
      "compose.yaml": project(
        name,
        names.map((one, n) => written(one, changed[n]?.line ?? lines[n])),
        more,
      ),
      ".env": changed.flatMap((one, n) => one === null ? [] : [`V_${names[n]}=${one.value}\n`]).join(""),
    };
  },
};

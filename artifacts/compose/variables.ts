/** Puts the variables of a project into its values, and reports each unset one where it is used. */

import type { ArtifactFile, Entry, Finding, Node, Place, Scalar } from "../artifact.ts";
import { interpolateText, type Lookup } from "../env/interpolate.ts";
import { withEntries, withItems } from "../yaml/values.ts";

/** Variables by name. */
export type Environment = ReadonlyMap<string, string>;

/** The variables of env files; later files win, as in Compose, and `above` wins over all. */
export function environmentOf(files: readonly ArtifactFile[], above: Environment | null = null): Environment {
  const environment = new Map<string, string>();
  for (const file of files) {
    const document = file.documents[0];
    if (document?.kind !== "mapping") continue;
    for (const [name, entry] of document.entries) {
      if (entry.value.kind === "scalar" && typeof entry.value.value === "string") {
        environment.set(name, entry.value.value);
      }
    }
  }
  if (above) { for (const [name, value] of above) environment.set(name, value); }
  return environment;
}

/** Characters that the values of one project may grow to by their variables. */
const EXPANDED = 4 * 1024 * 1024;
const FINDINGS = 500;
/** Further places of an unset variable that are shown. */
const RELATED = 5;
/** In longer values an unset variable is reported at the value as a whole. */
const SEARCHED = 10_000;

/** Puts variables in, and collects each unset one once for the whole project. */
export class Variables {
  readonly #unset = new Map<string, { readonly places: Place[]; count: number }>();
  readonly #findings: Finding[] = [];
  #expanded = 0;

  interpolate(node: Node, environment: Environment): Node {
    // Most files have no variable at all.
    return node.file.text.includes("$") ? this.#node(node, (name) => environment.get(name)) : node;
  }

  findings(): Finding[] {
    const missing = [...this.#unset].map(([name, { places, count }]): Finding => ({
      code: "env/unset-variable",
      message: `Variable ${name} is not set`,
      at: places[0]!,
      related: places.slice(1).map((at) => ({ message: "Also used here", at })),
      data: { variable: name, uses: count },
    }));
    return [...this.#findings, ...missing];
  }

  #node(node: Node, lookup: Lookup): Node {
    if (node.kind === "scalar") return this.#scalar(node, lookup);
    if (node.kind === "list") {
      let items: Node[] | undefined;
      for (let index = 0; index < node.items.length; index++) {
        const before = node.items[index]!;
        const item = this.#node(before, lookup);
        if (item !== before) (items ??= [...node.items])[index] = item;
      }
      return items ? keepTag(node, withItems(node, items)) : node;
    }
    let entries: Map<string, Entry> | undefined;
    for (const [key, entry] of node.entries) {
      const value = this.#node(entry.value, lookup);
      if (value !== entry.value) (entries ??= new Map(node.entries)).set(key, { key: entry.key, value });
    }
    return entries ? keepTag(node, withEntries(node, entries)) : node;
  }

  #scalar(node: Scalar, lookup: Lookup): Scalar {
    const text = node.value;
    if (typeof text !== "string" || !text.includes("$")) return node;
    if (this.#expanded > EXPANDED) return { ...node, unknown: true };
    const { value, filled, unset, problem } = interpolateText(text, lookup);
    this.#expanded += text.length + value.length;
    if (this.#expanded > EXPANDED) {
      const message = `Over ${EXPANDED} characters once variables are put in; the rest was not read`;
      this.#findings.push({ code: "fs/limit-reached", message, at: node });
    }
    for (const name of unset) {
      const known = this.#unset.get(name);
      if (!known && this.#unset.size >= FINDINGS) continue;
      const uses = known ?? { places: [], count: 0 };
      if (!known) this.#unset.set(name, uses);
      uses.count++;
      if (uses.places.length <= RELATED) uses.places.push(expressionAt(node, name));
    }
    if (problem && this.#findings.length < FINDINGS) {
      this.#findings.push(
        problem.kind === "required"
          ? {
            code: "env/required-variable-missing",
            message: `Required variable ${problem.name} is not set${
              problem.text === "" || !node.file.sound ? "" : `: ${problem.text}`
            }`,
            at: expressionAt(node, problem.name),
            data: { variable: problem.name },
          }
          : {
            code: "env/invalid-template",
            message: node.file.sound ? `Invalid template "${problem.text}"` : "Invalid template",
            at: { file: node.file, start: node.start, end: node.end },
          },
      );
    }
    const unknown = unset.length > 0 || problem !== null;
    const { file, start, end, tag } = node;
    return {
      kind: "scalar",
      file,
      start,
      end,
      value,
      interpolated: true,
      ...((filled || node.written !== undefined) && { written: node.written ?? text }),
      ...(unknown && { unknown }),
      ...(tag !== undefined && { tag }),
    };
  }
}

function keepTag(before: Node, after: Node): Node {
  return before.tag ? { ...after, tag: before.tag } : after;
}

/** Returns the place of a variable in the text of a scalar: `$NAME` or `${NAME...}`. */
function expressionAt(node: Scalar, name: string): Place {
  if (node.end - node.start > SEARCHED) return node;
  const source = node.file.text.slice(node.start, node.end);
  const braced = new RegExp(`\\$\\{${name}(?![A-Za-z0-9_])`).exec(source);
  if (braced) {
    const close = source.indexOf("}", braced.index);
    const end = close === -1 ? source.length : close + 1;
    return { file: node.file, start: node.start + braced.index, end: node.start + end };
  }
  const bare = new RegExp(`\\$${name}(?![A-Za-z0-9_])`).exec(source);
  if (!bare) return node;
  const start = node.start + bare.index;
  return { file: node.file, start, end: start + name.length + 1 };
}

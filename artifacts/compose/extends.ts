/** `extends`: services with what they take from others, in the same file or in another. */
import type { Entry, Mapping, Node, Place } from "../artifact.ts";
import { yieldToEventLoop } from "../event_loop.ts";
import { folderOf } from "../files/paths.ts";
import { isNull, isUnknown, textOf, valueAt, withEntries, writtenOr } from "../yaml/values.ts";
import { mergeService, settle } from "./merge.ts";
import type { ProjectSources } from "./project_sources.ts";
import type { Environment } from "./variables.ts";

const EXTENDS_DEPTH = 100;

interface Extended {
  readonly node: Node;
  /** The number of services that it extends. */
  readonly depth: number;
}

export class Extends {
  /** The paths of the files that are extended. */
  readonly extended = new Set<string>();
  readonly #sources: ProjectSources;
  /** Services with what they extend, and how deep that goes, by the document they stand in. */
  readonly #whole = new Map<Mapping, Map<string, Extended>>();
  #isTooDeep = false;

  constructor(sources: ProjectSources) {
    this.#sources = sources;
  }

  /** Returns the document with every service as it is after what it extends. */
  async applied(document: Mapping, environment: Environment): Promise<Mapping> {
    const services = document.entries.get("services");
    if (services?.value.kind !== "mapping") return document;
    let entries: Map<string, Entry> | undefined;
    for (const [name, entry] of services.value.entries) {
      if (!valueAt(entry.value, "extends")) continue;
      await yieldToEventLoop();
      const value = (await this.#extend(name, entry, document, environment, [])).node;
      (entries ??= new Map(services.value.entries)).set(name, { key: entry.key, value });
    }
    if (!entries) return document;
    const sections = new Map(document.entries);
    sections.set("services", { key: services.key, value: withEntries(services.value, entries) });
    return withEntries(document, sections);
  }

  async #extend(
    name: string,
    entry: Entry,
    document: Mapping,
    environment: Environment,
    stack: readonly string[],
  ): Promise<Extended> {
    const local = entry.value;
    const extend = valueAt(local, "extends");
    if (extend === null || isNull(extend)) return { node: local, depth: 0 };
    let whole = this.#whole.get(document);
    if (!whole) this.#whole.set(document, whole = new Map());
    const known = whole.get(name);
    if (known) return known;
    const made = await this.#extendFrom(name, entry, extend, document, environment, stack);
    whole.set(name, made);
    return made;
  }

  async #extendFrom(
    name: string,
    entry: Entry,
    extend: Node,
    document: Mapping,
    environment: Environment,
    stack: readonly string[],
  ): Promise<Extended> {
    const local = entry.value;
    const alone: Extended = { node: local, depth: 0 };
    const baseAt = extend.kind === "mapping" ? valueAt(extend, "service") : extend;
    const base = textOf(baseAt);
    const fileAt = extend.kind === "mapping" ? valueAt(extend, "file") : null;
    if (base === null || baseAt === null || isUnknown(fileAt)) {
      this.#sources.incomplete = true;
      return alone;
    }
    const step = `${entry.key.file.path}#${name}`;
    if (stack.includes(step)) {
      const cycle = [...stack.slice(stack.indexOf(step)), step];
      this.#sources.findings.push({
        code: "graph/extends-cycle",
        message: `Extends cycle: ${cycle.map((one) => one.slice(one.indexOf("#") + 1)).join(" -> ")}`,
        at: baseAt,
        data: { cycle },
      });
      return alone;
    }
    if (stack.length >= EXTENDS_DEPTH) return this.#extendsTooDeep(local, baseAt);
    let from = document;
    const written = textOf(fileAt);
    if (written !== null && fileAt) {
      const other = await this.#extendsFile(written, fileAt, environment);
      if (!other) return alone;
      from = other;
    }
    const services = from.entries.get("services")?.value;
    const found = services?.kind === "mapping" ? services.entries.get(base) : undefined;
    if (!found) {
      this.#sources.findings.push({
        code: "ref/extends-missing",
        message: `Service "${writtenOr(baseAt, base)}" does not exist${
          written === null ? "" : ` in "${writtenOr(fileAt, written)}"`
        }`,
        at: baseAt,
        data: { service: writtenOr(baseAt, base) },
      });
      this.#sources.incomplete = true;
      return alone;
    }
    const under = await this.#extend(base, found, from, environment, [...stack, step]);
    // Written the other way round, each service has what it extends already.
    if (under.depth >= EXTENDS_DEPTH) return this.#extendsTooDeep(local, baseAt);
    if (isNull(under.node)) return { node: local, depth: under.depth + 1 };
    // Resets and overrides of the base belong to its own file.
    return {
      node: retagged(mergeService(settle(under.node), local), local),
      depth: under.depth + 1,
    };
  }

  /** Told once, where it begins. What extends this one is too deep as well. */
  #extendsTooDeep(local: Node, at: Place): Extended {
    if (!this.#isTooDeep) {
      this.#sources.tooDeep(
        `\`extends\` goes over ${EXTENDS_DEPTH} levels deep; the rest was not followed`,
        at,
      );
    }
    this.#isTooDeep = true;
    return { node: local, depth: EXTENDS_DEPTH };
  }

  async #extendsFile(written: string, at: Node, environment: Environment): Promise<Mapping | null> {
    const base = this.#sources.bases.get(at.file) ?? folderOf(at.file.path);
    const file = await this.#sources.named(written, base, at, "ref/extends-missing");
    if (!file) return null;
    this.extended.add(file.path);
    if (!this.#sources.bases.has(file)) this.#sources.bases.set(file, folderOf(file.path));
    return this.#sources.documents(file, environment);
  }
}

/** Keeps a service's resets and overrides for the files before, not only for what it extends. */
function retagged(merged: Node, local: Node): Node {
  if (merged.kind !== "mapping" || local.kind !== "mapping") return merged;
  const entries = new Map(merged.entries);
  for (const [key, entry] of local.entries) {
    const { tag } = entry.value;
    if (tag === "!reset") entries.set(key, entry);
    const value = merged.entries.get(key)?.value;
    if (tag === "!override" && value) entries.set(key, { key: entry.key, value: { ...value, tag } });
  }
  return withEntries(merged, entries);
}

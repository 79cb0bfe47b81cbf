/** Parses YAML into values with positions, within limits: the only file that imports the parser. */

import { type Document, isAlias, isMap, isScalar, isSeq, parseAllDocuments, type ParsedNode } from "yaml";
import { integerIn } from "./numbers.ts";
import type { Alias, ArtifactFile, Entry, Finding, List, Mapping, Node, Place, Scalar } from "../artifact.ts";
import type { MergeTag } from "../kinds.ts";
import { YAML_BUDGETS } from "./budgets.ts";
import { hide, withoutKeys, withoutQuotations } from "./hide.ts";
import { type Excess, scan } from "./scan.ts";
import { withoutEnvironment } from "./without_environment.ts";

export interface Parsed {
  readonly documents: Node[];
  readonly findings: Finding[];
  /** False where the text has errors that leave its values in doubt. */
  readonly sound: boolean;
  readonly aliases: readonly Alias[];
}

/** Reads `file.text`; all nodes point into `file`. `excess` is what the scan found, if it ran before. */
export function parseYaml(file: ArtifactFile, excess: Excess | null = scan(file.text)): Parsed {
  const text = file.text;
  if (excess) {
    const at = { file, start: excess.offset, end: Math.min(excess.offset + 1, text.length) };
    return {
      documents: [],
      findings: [{ code: excess.code, message: excess.message, at }],
      sound: false,
      aliases: [],
    };
  }
  const parsed = withoutEnvironment(() =>
    parseAllDocuments<ParsedNode, false>(text, {
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "silent",
      stringKeys: false,
      keepSourceTokens: false,
    })
  );
  const findings: Finding[] = [];
  const documents: Node[] = [];
  const aliases: Alias[] = [];
  let sound = true;
  for (const document of parsed as Document.Parsed[]) {
    for (const error of document.errors) {
      sound = false;
      if (findings.length >= YAML_BUDGETS.findings) break;
      const [start, end] = error.pos;
      findings.push({
        code: "yaml/syntax",
        message: withoutQuotations(error.message),
        at: { file, start: clamp(start, text), end: clamp(Math.max(end, start + 1), text) },
        data: { yamlCode: error.code },
      });
    }
    for (const warning of document.warnings) {
      // Tags are judged by the walk, which knows those of Compose.
      if (warning.code === "TAG_RESOLVE_FAILED") continue;
      const [start, end] = warning.pos;
      findings.push({
        code: "yaml/style",
        // Compose's parser takes no directive that it does not know.
        ...(warning.code === "BAD_DIRECTIVE" && { severity: "error" as const }),
        message: withoutQuotations(warning.message),
        at: { file, start: clamp(start, text), end: clamp(end, text) },
        data: { yamlCode: warning.code },
      });
    }
    if (document.contents === null) continue;
    if (documents.length >= YAML_BUDGETS.documents) {
      const [start] = document.contents.range;
      const message = `Over ${YAML_BUDGETS.documents} documents in one file; the rest was not read`;
      findings.push({ code: "fs/limit-reached", message, at: { file, start, end: start } });
      sound = false;
      break;
    }
    const walk = new Walk(file, findings, aliases);
    const node = walk.document(document.contents);
    if (!walk.sound) sound = false;
    if (node) documents.push(node);
  }
  if (sound) return { documents, findings, sound, aliases };
  for (const document of documents) hide(document);
  return { documents, findings: withoutKeys(findings), sound, aliases };
}

function clamp(offset: number, text: string): number {
  return Math.min(Math.max(offset, 0), text.length);
}

/** Thrown to leave the recursion at once; its depth is bounded by the scan before. */
class OverBudget extends Error {}

const BOOLEAN_WORD = /^(?:yes|no|on|off)$/i;
const CORE_TAG = "tag:yaml.org,2002:";

class Walk {
  sound = true;
  readonly #file: ArtifactFile;
  readonly #findings: Finding[];
  readonly #aliases: Alias[];
  /** `null` while the anchored value is being read: an alias to it is a cycle. */
  readonly #anchors = new Map<string, { node: Node | null; size: number; place: Place; used: boolean }>();
  #nodes = 0;
  /** The next value is that of `restart`. */
  #mayBeNo = false;

  constructor(file: ArtifactFile, findings: Finding[], aliases: Alias[]) {
    this.#file = file;
    this.#findings = findings;
    this.#aliases = aliases;
  }

  document(contents: ParsedNode): Node | null {
    try {
      const node = this.#node(contents);
      for (const [name, anchor] of this.#anchors) {
        if (!anchor.used) this.#find("yaml/unused-anchor", `Anchor &${name} is never used`, anchor.place);
      }
      return node;
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
      this.sound = false;
      return null;
    }
  }

  #node(source: ParsedNode): Node {
    const range = source.range;
    const start = range[0];
    const end = range[1];
    if (isAlias(source)) return this.#alias(source.source, start, end);
    if (++this.#nodes > YAML_BUDGETS.nodes) this.#overBudget(start, end);
    const anchor = source.anchor;
    const before = this.#nodes;
    if (anchor !== undefined) this.#open(anchor, start, end);
    let node: Node;
    const tag = source.tag === undefined ? undefined : this.#tag(source.tag, start, end);
    if (isScalar(source)) node = this.#scalar(source.value, source.type === "PLAIN", start, end, tag);
    else if (isMap(source)) node = this.#mapping(source.items as Pair[], start, end, tag);
    else if (isSeq(source)) {
      const items: Node[] = [];
      for (const item of source.items as ParsedNode[]) items.push(this.#node(item));
      const list: List = { kind: "list", file: this.#file, start, end, items };
      node = tag ? { ...list, tag } : list;
    } else node = { kind: "scalar", file: this.#file, start, end, value: null };
    if (anchor !== undefined) {
      const entry = this.#anchors.get(anchor);
      if (entry) {
        entry.node = node;
        entry.size = this.#nodes - before + 1;
      }
    }
    return node;
  }

  #scalar(value: unknown, plain: boolean, start: number, end: number, tag: MergeTag | undefined): Scalar {
    const file = this.#file;
    if (plain && file.kind === "compose" && /^[-+\d]/.test(file.text[start] ?? "")) {
      const exact = integerIn(file.text.slice(start, end));
      if (exact !== null) value = Number(exact);
    }
    if (typeof value === "string") {
      if (!plain) {
        return tag
          ? { kind: "scalar", file, start, end, value, tag }
          : { kind: "scalar", file, start, end, value };
      }
      // The parser takes a value under an unknown tag for text.
      if (tag) return { kind: "scalar", file, start, end, value: plainValue(value), plain, tag };
      const isRestart = this.#mayBeNo && value === "no";
      this.#mayBeNo = false;
      if (!isRestart && value.length < 4 && file.kind === "compose" && BOOLEAN_WORD.test(value)) {
        this.#find(
          "yaml/boolean-word",
          `"${value}" is a string in YAML 1.2; write true or false for a boolean`,
          { file, start, end },
        );
      }
      return { kind: "scalar", file, start, end, value, plain };
    }
    const known = typeof value === "number" || typeof value === "boolean" ? value : null;
    const scalar: Scalar = { kind: "scalar", file, start, end, value: known, plain: true };
    return tag ? { ...scalar, tag } : scalar;
  }

  #mapping(pairs: readonly Pair[], start: number, end: number, tag: MergeTag | undefined): Mapping {
    const file = this.#file;
    const entries = new Map<string, Entry>();
    let merges: Node[] | undefined;
    for (const { key, value } of pairs) {
      let name: string;
      let at: Place;
      if (isMergeKey(key)) {
        const end = key?.range?.[1] ?? start;
        const nothing: Scalar = { kind: "scalar", file, start: end, end, value: null };
        (merges ??= []).push(value ? this.#node(value) : nothing);
        continue;
      }
      if (
        isScalar(key) && typeof key.value === "string" && key.anchor === undefined && key.tag === undefined
      ) {
        name = key.value;
        at = { file, start: key.range![0], end: key.range![1] };
      } else {
        [name, at] = this.#oddKey(key, start);
      }
      // `restart: no` is a word of Compose.
      this.#mayBeNo = name === "restart";
      const inner: Node = value
        ? this.#node(value)
        : { kind: "scalar", file, start: at.end, end: at.end, value: null };
      const first = entries.get(name);
      if (first) {
        this.#find("yaml/duplicate-key", `Key "${name}" is already defined`, at, {
          related: [{ message: "First defined here", at: first.key }],
          data: { key: name },
        });
        continue;
      }
      entries.set(name, { key: at, value: inner });
    }
    if (merges) { for (const merge of merges) this.#merge(entries, merge); }
    const mapping: Mapping = { kind: "mapping", file, start, end, entries };
    return tag ? { ...mapping, tag } : mapping;
  }

  /** `<<` adds keys that are not there yet. */
  #merge(entries: Map<string, Entry>, from: Node): void {
    if (from.kind === "list") {
      for (const item of from.items) this.#mergeOne(entries, item);
    } else this.#mergeOne(entries, from);
  }

  #mergeOne(entries: Map<string, Entry>, from: Node): void {
    if (from.kind !== "mapping") {
      this.sound = false;
      this.#find("yaml/bad-merge", "`<<` needs a mapping", from);
      return;
    }
    // Copying a key costs about twice what reading one does.
    this.#nodes += 2 * from.entries.size;
    if (this.#nodes > YAML_BUDGETS.nodes) this.#overBudget(from.start, from.end);
    for (const [name, entry] of from.entries) if (!entries.has(name)) entries.set(name, entry);
  }

  #oddKey(key: unknown, start: number): [string, Place] {
    const file = this.#file;
    if (isScalar(key)) {
      const at = { file, start: key.range?.[0] ?? start, end: key.range?.[1] ?? start };
      if (key.anchor !== undefined) {
        this.#open(key.anchor, at.start, at.end);
        const entry = this.#anchors.get(key.anchor)!;
        entry.node = this.#scalar(key.value, key.type === "PLAIN", at.start, at.end, undefined);
        entry.size = 1;
      }
      if (typeof key.value === "string") return [key.value, at];
      const name = key.source ?? String(key.value);
      this.#find("yaml/non-string-key", `Key ${name === "" ? "null" : name} is not a string`, at);
      return [name, at];
    }
    if (isAlias(key)) {
      const at = { file, start: key.range?.[0] ?? start, end: key.range?.[1] ?? start };
      const node = this.#alias(key.source, at.start, at.end);
      if (node.kind === "scalar" && typeof node.value === "string") return [node.value, at];
      this.#find("yaml/non-string-key", "The key is not a string", at);
      return [`*${key.source}`, at];
    }
    // A missing key (": value") or a collection as key.
    const range = (key as ParsedNode | null)?.range;
    const at = { file, start: range?.[0] ?? start, end: range?.[1] ?? start };
    this.#find("yaml/non-string-key", "The key is not a string", at);
    return [file.text.slice(at.start, Math.min(at.end, at.start + 40)), at];
  }

  #open(name: string, start: number, end: number): void {
    const known = this.#anchors.get(name);
    const place = { file: this.#file, start, end };
    if (known) {
      this.#find("yaml/duplicate-anchor", `Anchor &${name} is defined twice`, place, {
        related: [{ message: "Defined here before", at: known.place }],
      });
    }
    this.#anchors.set(name, { node: null, size: 0, place, used: false });
  }

  #alias(name: string, start: number, end: number): Node {
    const place = { file: this.#file, start, end };
    const anchor = this.#anchors.get(name);
    if (anchor?.node) {
      anchor.used = true;
      this.#nodes += anchor.size;
      if (this.#nodes > YAML_BUDGETS.nodes) this.#overBudget(start, end);
      const { node } = anchor;
      this.#aliases.push({ name, start: node.start, end: node.end });
      return node.kind === "scalar" ? { ...node, written: `*${name}` } : node;
    }
    this.sound = false;
    if (anchor) {
      anchor.used = true;
      this.#find("yaml/alias-cycle", "An alias is inside its own anchor", place);
    } else this.#find("yaml/undefined-alias", "An alias has no anchor before it", place);
    return { kind: "scalar", ...place, value: null, unknown: true };
  }

  #tag(tag: string, start: number, end: number): MergeTag | undefined {
    if (tag === "!reset" || tag === "!override") return tag;
    if (!tag.startsWith(CORE_TAG) && tag !== "!") {
      this.#find("yaml/unknown-tag", "Unknown tag: Compose knows only !reset and !override", {
        file: this.#file,
        start,
        end,
      });
    }
    return undefined;
  }

  #overBudget(start: number, end: number): never {
    this.#find("yaml/alias-bomb", `Over ${YAML_BUDGETS.nodes} values once aliases are expanded`, {
      file: this.#file,
      start,
      end,
    });
    throw new OverBudget();
  }

  #find(code: string, message: string, at: Place, more: Partial<Finding> = {}): void {
    if (this.#findings.length < YAML_BUDGETS.findings) this.#findings.push({ code, message, at, ...more });
  }
}

interface Pair {
  readonly key: ParsedNode | null;
  readonly value: ParsedNode | null;
}

/** `<<` without quotes, or `!!merge` before it: the parser gives that one a symbol as its value. */
function isMergeKey(key: ParsedNode | null): boolean {
  return isScalar(key) && (key.tag === `${CORE_TAG}merge` || (key.type === "PLAIN" && key.value === "<<"));
}

function plainValue(text: string): string | number | boolean | null {
  if (text === "" || text === "~" || /^null$/i.test(text)) return null;
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) return Number(text);
  return text;
}

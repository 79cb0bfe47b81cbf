/** Which findings count: severities from `berth.yaml`, and comments that silence single ones. */

import type { ArtifactFile, Finding, Model } from "../artifact.ts";
import type { Severity } from "../kinds.ts";
import { isRuleCode, type RuleCode, ruleOf } from "./catalog.ts";

/** A finding with the severity that counts. */
export interface JudgedFinding extends Finding {
  readonly severity: Severity;
}

/** The findings that count. */
export interface Judged {
  readonly findings: readonly JudgedFinding[];
  /** The number of findings that a comment silenced. */
  readonly suppressed: number;
}

/** Returns true if a rule is on in a workspace. */
export function wantsRule(model: Model, code: RuleCode): boolean {
  const set = model.settings.rules.get(code);
  return set === undefined ? ruleOf(code).off !== true : set !== "off";
}

/** Gives every finding its severity; drops those that are off, silenced or repeated. */
export class Judging {
  readonly #model: Model;
  readonly #findings: JudgedFinding[] = [];
  readonly #seen = new Set<string>();
  #suppressed = 0;

  constructor(model: Model) {
    this.#model = model;
  }

  take(findings: Iterable<Finding>): void {
    for (const finding of findings) this.#take(finding);
  }

  result(): Judged {
    return { findings: this.#findings, suppressed: this.#suppressed };
  }

  #take(finding: Finding): void {
    const severity = severityOf(this.#model, finding);
    if (severity === "off") return;
    const { at, code } = finding;
    if (at !== null) {
      // Several groups may read one file: its findings count once.
      const key = `${code} ${at.start} ${at.file.path} ${finding.message}`;
      if (this.#seen.has(key)) return;
      this.#seen.add(key);
      if (isSilenced(at.file, at.start, code)) {
        this.#suppressed++;
        return;
      }
    }
    this.#findings.push({ ...finding, severity });
  }
}

/** Returns true if a comment or a setting of the workspace lifts the finding. */
export function isLifted(model: Model, { code, at }: Finding): boolean {
  const set = model.settings.rules.get(code);
  return (set !== undefined && set !== "error") || (at !== null && isSilenced(at.file, at.start, code));
}

function severityOf(model: Model, { code, severity }: Finding): Severity | "off" {
  const set = model.settings.rules.get(code);
  if (set !== undefined) return set;
  if (!isRuleCode(code)) return severity ?? "error";
  const rule = ruleOf(code);
  return rule.off === true ? "off" : severity ?? rule.severity;
}

/** Which codes are silenced, by line start; `null` stands for the whole file. */
interface Silence {
  readonly from: number;
  readonly to: number;
  readonly codes: ReadonlySet<string> | null;
}

const silences = new WeakMap<ArtifactFile, readonly Silence[]>();
const COMMENT = /(?:^|\s)#\s*berth-disable-(line|next-line|file)\b([^\n]*)/g;

/** Returns true if a comment in a file silences a code at a place. */
export function isSilenced(file: ArtifactFile, offset: number, code: string): boolean {
  return silencesOf(file).some(({ from, to, codes }) =>
    offset >= from && offset < to && (codes === null || codes.has(code))
  );
}

function silencesOf(file: ArtifactFile): readonly Silence[] {
  const known = silences.get(file);
  if (known !== undefined) return known;
  const found: Silence[] = [];
  const { text } = file;
  if (text.includes("berth-disable-")) {
    for (const match of text.matchAll(COMMENT)) {
      const words = match[2]!.split(/[\s,]+/).filter((word) => word !== "");
      const codes = words.length === 0 ? null : new Set(words);
      const after = (from: number) => {
        const end = text.indexOf("\n", from);
        return end === -1 ? text.length + 1 : end + 1;
      };
      const hash = match.index + match[0].indexOf("#");
      const lineStart = text.lastIndexOf("\n", hash) + 1;
      const lineEnd = after(hash);
      if (match[1] === "file") found.push({ from: 0, to: text.length + 1, codes });
      else if (match[1] === "line") found.push({ from: lineStart, to: lineEnd, codes });
      else found.push({ from: lineEnd, to: after(lineEnd), codes });
    }
  }
  silences.set(file, found);
  return found;
}

/** One text to one `ArtifactFile`: here when it is small, in a worker when it would hold up the loop. */

import type { ArtifactFile, Finding, Node } from "../artifact.ts";
import { YAML_BUDGETS } from "./budgets.ts";
import { parseDotenv } from "./dotenv.ts";
import type { ParseQueue } from "./parse_queue.ts";
import { decode } from "./parsed_codec.ts";
import { type Excess, prescan } from "./prescan.ts";
import { parseYaml } from "./yaml.ts";

/** What is known of a text before it is parsed. */
export interface Source {
  readonly path: string;
  readonly kind: ArtifactFile["kind"];
  readonly text: string;
  readonly hash: string;
}

/** `ArtifactFile` while it is being made; its nodes point to it before they are all there. */
interface Draft extends Source {
  documents: readonly Node[];
  findings: readonly Finding[];
  sound: boolean;
  stale: boolean;
}

function draft(source: Source): Draft {
  return { ...source, documents: [], findings: [], sound: true, stale: false };
}

export function parseNow(source: Source, excess?: Excess | null): ArtifactFile {
  const file = draft(source);
  if (source.kind === "readme") return file;
  return Object.assign(file, source.kind === "env" ? parseDotenv(file) : parseYaml(file, excess));
}

export async function parseFile(source: Source, queue: ParseQueue): Promise<ArtifactFile> {
  const small = source.text.length <= YAML_BUDGETS.inlineLength;
  if (small || source.kind === "env" || source.kind === "readme" || prescan(source.text)) {
    return parseNow(source);
  }
  const encoded = await queue.parse(source);
  const file = draft(source);
  if (encoded) return Object.assign(file, await decode(encoded, file));
  file.sound = false;
  file.findings = [{
    code: "fs/limit-reached",
    severity: "error",
    message: `Reading ${source.path} takes over ${YAML_BUDGETS.workerMs / 1000} seconds`,
    at: { file, start: 0, end: Math.min(1, source.text.length) },
  }];
  return file;
}

/** Parses one text: here when it is small, in a worker when it would block the event loop. */

import type { ArtifactFile } from "../artifact.ts";
import { parseDotenv } from "../env/dotenv.ts";
import { YAML_BUDGETS } from "../yaml/budgets.ts";
import { parseYaml } from "../yaml/parse.ts";
import type { ParseQueue } from "../yaml/parse_queue.ts";
import { decode } from "../yaml/parsed_codec.ts";
import { scan } from "../yaml/scan.ts";
import { draftOf, type Source } from "../yaml/source.ts";

const PLAIN: readonly ArtifactFile["kind"][] = ["readme", "secret", "config", "mounted", "other"];

/** Returns true for a text that is not parsed. */
const isPlain = ({ kind }: Pick<ArtifactFile, "kind">): boolean => PLAIN.includes(kind);

/** Parses a text at once, however long it takes. */
export function parseNow(source: Source): ArtifactFile {
  const file = draftOf(source);
  if (isPlain(source)) return file;
  return Object.assign(file, source.kind === "env" ? parseDotenv(file) : parseYaml(file));
}

/** Parses a text without blocking the event loop for long. */
export async function parseFile(source: Source, queue: ParseQueue): Promise<ArtifactFile> {
  const small = source.text.length <= YAML_BUDGETS.inlineLength;
  if (small || source.kind === "env" || isPlain(source) || scan(source.text)) {
    return parseNow(source);
  }
  const encoded = await queue.parse(source);
  const file = draftOf(source);
  if (encoded) return Object.assign(file, await decode(encoded, file));
  file.sound = false;
  file.findings = [{
    code: "fs/limit-reached",
    severity: "error",
    message: `"${source.path}" takes over ${
      YAML_BUDGETS.workerMs / 1000
    } seconds to parse, so it was not read`,
    at: { file, start: 0, end: Math.min(1, source.text.length) },
  }];
  return file;
}

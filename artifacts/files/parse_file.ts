/** One text to one `ArtifactFile`: here when it is small, in a worker when it would hold up the loop. */

import type { ArtifactFile } from "../artifact.ts";
import { parseDotenv } from "../env/dotenv.ts";
import { YAML_BUDGETS } from "../yaml/budgets.ts";
import { parseYaml } from "../yaml/parse.ts";
import type { ParseQueue } from "../yaml/parse_queue.ts";
import { decode } from "../yaml/parsed_codec.ts";
import { scan } from "../yaml/scan.ts";
import { draftOf, type Source } from "../yaml/source.ts";

export function parseNow(source: Source): ArtifactFile {
  const file = draftOf(source);
  if (source.kind === "readme") return file;
  return Object.assign(file, source.kind === "env" ? parseDotenv(file) : parseYaml(file));
}

export async function parseFile(source: Source, queue: ParseQueue): Promise<ArtifactFile> {
  const small = source.text.length <= YAML_BUDGETS.inlineLength;
  if (small || source.kind === "env" || source.kind === "readme" || scan(source.text)) {
    return parseNow(source);
  }
  const encoded = await queue.parse(source);
  const file = draftOf(source);
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

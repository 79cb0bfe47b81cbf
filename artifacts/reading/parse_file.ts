/** One text to one `ArtifactFile`: here when it is small, in a worker when it would hold up the loop. */

import type { ArtifactFile, Finding, Node } from "../artifact.ts";
import { YAML_BUDGETS } from "./budgets.ts";
import { parseDotenv } from "./dotenv.ts";
import { prescan } from "./prescan.ts";
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

export function parseNow(source: Source): ArtifactFile {
  const file: Draft = { ...source, documents: [], findings: [], sound: true, stale: false };
  if (source.kind !== "readme") {
    const parsed = source.kind === "env" ? parseDotenv(file) : parseYaml(file);
    file.documents = parsed.documents;
    file.findings = parsed.findings;
    file.sound = parsed.sound;
  }
  return file;
}

export async function parseFile(source: Source): Promise<ArtifactFile> {
  const small = source.text.length <= YAML_BUDGETS.inlineBytes;
  if (small || source.kind === "env" || source.kind === "readme" || prescan(source.text)) {
    return parseNow(source);
  }
  const file = await inWorker(source);
  if (file) return file;
  const gaveUp: Draft = { ...source, documents: [], findings: [], sound: false, stale: false };
  gaveUp.findings = [{
    code: "fs/limit-reached",
    severity: "error",
    message: `Reading ${source.path} takes over ${YAML_BUDGETS.workerMs / 1000} seconds`,
    at: { file: gaveUp, start: 0, end: Math.min(1, source.text.length) },
  }];
  return gaveUp;
}

/** Null once its time is over. One worker a text: large files are rare, and a worker that is gone cannot leak. */
function inWorker(source: Source): Promise<ArtifactFile | null> {
  const worker = new Worker(import.meta.resolve("./parse_worker.ts"), { type: "module" });
  return new Promise<ArtifactFile | null>((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), YAML_BUDGETS.workerMs);
    worker.onmessage = (event: MessageEvent<ArtifactFile>) => {
      clearTimeout(timer);
      resolve(event.data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      clearTimeout(timer);
      reject(new Error(`The parser's worker failed: ${event.message}`));
    };
    worker.postMessage(source);
  }).finally(() => worker.terminate());
}

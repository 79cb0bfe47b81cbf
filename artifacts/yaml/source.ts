/** A text to be parsed, and the file it becomes. */

import type { Alias, ArtifactFile, Finding, Node } from "../artifact.ts";

/** The facts about a text before it is parsed. */
export interface Source {
  readonly path: string;
  readonly kind: ArtifactFile["kind"];
  readonly text: string;
  readonly hash: string;
  readonly leadsTo?: string;
}

/** `ArtifactFile` while it is being made; its nodes point to it before they are all there. */
interface Draft extends Source {
  documents: readonly Node[];
  findings: readonly Finding[];
  aliases: readonly Alias[];
  sound: boolean;
  stale: boolean;
}

export function draftOf(source: Source): Draft {
  return { ...source, documents: [], findings: [], aliases: [], sound: true, stale: false };
}

/**
 * The parts of the corpus that a file of tests takes: each corpus on each engine. `BERTH_TEST_PART="docker compose 2/3"`
 * takes one alone: an engine, a corpus, and a share of its folders.
 */
import { corpus } from "../support/corpus.ts";
import type { EngineKind } from "../support/engine.ts";
import { projectsIn } from "./corpus_projects.ts";

type Corpus = Parameters<typeof corpus>[0];

const KINDS = ["docker", "podman"] as const;
const CORPORA = ["awesome-compose", "compose", "compose-go"] as const;

export interface CorpusPart {
  readonly corpus: Corpus;
  /** The folder of the corpus; null if it is absent. */
  readonly root: string | null;
  /** The share as it was asked for, for the name of a test. */
  readonly share: string;
  /** The folders with a project, in a fixed order. */
  readonly names: readonly string[];
}

const [kind, part, share = ""] = Deno.env.get("BERTH_TEST_PART")?.split(" ") ?? [];

/** The engines that are asked for. */
export const kindsAsked: readonly EngineKind[] = KINDS.filter((one) => kind === undefined || one === kind);

/** Returns the parts of the corpus that are asked for. Throws for a part that nobody has: it would prove nothing. */
export function partsAsked(): CorpusPart[] {
  const corpora = CORPORA.filter((one) => part === undefined || one === part);
  const [, nth = "1", of = "1"] = share === "" ? [] : /^(\d+)\/(\d+)$/.exec(share) ?? ["", "0", "0"];
  if (kindsAsked.length * corpora.length === 0 || Number(nth) < 1 || Number(nth) > Number(of)) {
    throw new Error(`There is no part "${Deno.env.get("BERTH_TEST_PART")}" of the corpus`);
  }
  return corpora.map((one) => {
    const root = corpus(one);
    const all = root === null ? [] : [...projectsIn(root, "")].sort();
    const names = all.filter((_, n) => n % Number(of) === Number(nth) - 1);
    return { corpus: one, root, share: share === "" ? "" : ` ${share}`, names };
  });
}

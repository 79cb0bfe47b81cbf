/** The last words of a container as they are kept: zipped and sealed. */
import type { LastWords } from "../../core/endings.ts";
import type { TextSeal } from "../../core/text_seal.ts";

type Words = Pick<LastWords, "lines" | "isCut" | "health">;

/** Sealed words that were moved to another ending do not open. */
export const placeOfWords = (ending: string): string => JSON.stringify(["endings", ending]);

export async function zipped({ lines, isCut, health }: Words): Promise<string> {
  const text = new Blob([JSON.stringify({ lines, isCut, health })]).stream();
  const bytes = await new Response(text.pipeThrough(new CompressionStream("deflate"))).bytes();
  return bytes.toBase64();
}

/** Returns the words; null for what another key has sealed. */
export async function openWords(seal: TextSeal, ending: string, sealed: Uint8Array): Promise<Words | null> {
  const text = await seal.open(sealed, placeOfWords(ending));
  if (text === null) return null;
  const zip = new Blob([Uint8Array.fromBase64(text)]).stream();
  return await new Response(zip.pipeThrough(new DecompressionStream("deflate"))).json() as Words;
}

/** The folder of real Compose files for tests, if it is here; `BERTH_TEST_CORPUS` names another. */

const FOLDER = Deno.env.get("BERTH_TEST_CORPUS") ||
  new URL("../../../shared/corpus", import.meta.url).pathname;

/** The real path of a part of the corpus, or null, said aloud once, where it is absent. */
export function corpus(part: "awesome-compose" | "compose" | "compose-go"): string | null {
  try {
    return Deno.realPathSync(`${FOLDER}/${part}`);
  } catch {
    if (!said) console.warn(`SKIPPED: no corpus of real Compose files at ${FOLDER}`);
    said = true;
    return null;
  }
}

let said = false;

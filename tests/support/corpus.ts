/** Where the real Compose files for tests are, if they are here; `BERTH_TEST_CORPUS` says where else. */

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

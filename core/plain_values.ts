/** Recognises values that are no secrets by their form: numbers, versions, paths, hosts, images, a few words. */

const LONGEST = 200;
/** Words that are told side by side: more of them may be a passphrase. */
const MOST_WORDS = 3;
/** All that plain values are written with. */
const SIGNS = /^[A-Za-z0-9 ._/:,~-]*$/;
const URL_WITHOUT_USER = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s@?#]+$/i;
const SCHEME = /^[a-z][a-z0-9+.-]{1,20}:\/\//i;
const LOCALE = /^[a-z]{2}_[A-Z]{2}\.UTF-8$/;
const IMAGE_DIGEST = /@sha256:[0-9a-f]{64}$/;
/** Longer numbers and words are ids or keys. */
const LONGEST_NUMBER = 8;
const LONGEST_WORD = 14;

/** Returns true for a value whose form says that it was written to be read. */
export function looksPlain(value: string): boolean {
  if (value.length > LONGEST) return false;
  if (value.includes("://") && !URL_WITHOUT_USER.test(value)) return false;
  const bare = value.replace(IMAGE_DIGEST, "").replace(SCHEME, "");
  if (!SIGNS.test(bare)) return false;
  // Keys have small and great letters and digits side by side.
  if (/[a-z]/.test(bare) && /[A-Z]/.test(bare) && /\d/.test(bare) && !LOCALE.test(bare)) return false;
  if (bare.split(" ").length > MOST_WORDS) return false;
  // Groups of hex digits with dashes are ids.
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(bare)) return false;
  return bare.split(/[^A-Za-z0-9]+/).every(isPlainPart);
}

/** A word, a number, or one behind the other, as `alpine3` and `512m`. */
function isPlainPart(part: string): boolean {
  const [, before = "", number = "", after = ""] = /^([A-Za-z]*)(\d*)([A-Za-z]*)$/.exec(part) ?? [];
  if (before + number + after !== part || (before !== "" && number !== "" && after !== "")) return false;
  return number.length <= LONGEST_NUMBER && isWord(before) && isWord(after);
}

function isWord(letters: string): boolean {
  if (letters.length > LONGEST_WORD || !/^(?:[a-z]*|[A-Z]*|[A-Z][a-z]+)$/.test(letters)) return false;
  if (letters.length <= 4) return true; // as "ghcr" and "html"
  // Letters that can be spoken: nobody writes a key so.
  if (/[bcdfghjklmnpqrstvwxz]{5}/i.test(letters)) return false;
  const vowels = letters.match(/[aeiouy]/gi)?.length ?? 0;
  return vowels / letters.length >= 0.2 && vowels / letters.length <= 0.75;
}

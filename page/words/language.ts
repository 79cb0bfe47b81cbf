/** Which language the page speaks: the one that was chosen, else the first of the browser's that it knows. */

export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

/** Every text of the words may be another, and nothing else of them. */
export type Spoken<Words> = Words extends string ? string
  : Words extends (...given: infer Given) => string ? (...given: Given) => string
  : Words extends object ? { readonly [Name in keyof Words]: Spoken<Words[Name]> }
  : Words;

const CHOSEN = "berth.language";
/** Absent where a test or a tool reads the words. */
const page = (globalThis as { readonly document?: { documentElement: { lang: string } } }).document;

const isKnown = (name: string | null): name is Language => name !== null && Object.hasOwn(LANGUAGES, name);

export const language: Language = languageOf();

function languageOf(): Language {
  if (page === undefined) return "en";
  const chosen = localStorage.getItem(CHOSEN);
  if (isKnown(chosen)) return chosen;
  const wanted = navigator.languages.map((one) => one.toLowerCase().split("-")[0]!); // a name has a first part
  return wanted.find(isKnown) ?? "en";
}

/** Speaks another one from now on. */
export function speak(other: Language): void {
  localStorage.setItem(CHOSEN, other);
  location.reload();
}

/** The words in the language that is spoken: English ones come with the page, others are asked for. */
export async function spoken<Words>(english: Words): Promise<Spoken<Words>> {
  if (page !== undefined) page.documentElement.lang = language;
  const own = english as Spoken<Words>; // a text is one, whatever it says
  if (language === "en") return own;
  try {
    const script = `/${language}.js`;
    return overlaid(own, (await import(script)).words);
  } catch {
    return own;
  }
}

/** Returns the words of one language, with the other's for those that are missing. */
function overlaid<Words>(below: Words, above: unknown): Words {
  if (typeof below !== "object" || below === null) {
    return (typeof above === typeof below ? above : below) as Words;
  }
  const over = (above ?? {}) as Readonly<Record<string, unknown>>;
  const whole = Object.entries(below).map(([name, value]) => [name, overlaid(value, over[name])]);
  return { ...over, ...Object.fromEntries(whole) } as Words;
}

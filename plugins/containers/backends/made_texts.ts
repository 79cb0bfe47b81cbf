/** Texts of lists by what they were asked for, each made once for all who ask until what it was made from is another. */
import { Lru } from "../../../core/lru.ts";
import { CachedText } from "../../../http/declare/cached_text.ts";
import { etagOf } from "../../../http/declare/etag.ts";

interface Made {
  /** The versions of what it was made from; another stamp means that it may have changed. */
  readonly stamp: string;
  readonly text: CachedText;
}

const MOST_WHOLE = 32;
/** For callers who hold scopes. */
const MOST_SCOPED = 64;
/** Texts of this many characters are long, and few of them are remembered. */
const LONG = 1024 * 1024;
const MOST_LONG = 2;
/** The stamp of what is about to change, and so is of no use to the next caller. */
export const UNSETTLED = "";

export class MadeTexts {
  readonly #whole = new Lru<Made>(MOST_WHOLE);
  readonly #scoped = new Lru<Made>(MOST_SCOPED);
  readonly #long = new Lru<Made>(MOST_LONG);
  /** Numbers start again with every start of the service. */
  readonly #epoch = crypto.randomUUID();
  #made = 0;

  /** Null where it has to be made anew. */
  known(key: string, stamp: string): CachedText | null {
    const made = this.#of(key);
    return stamp !== UNSETTLED && made?.stamp === stamp ? made.text : null;
  }

  /** Keeps a text. One that is as before keeps its tag too, so that nobody is told what else has changed. */
  keep(key: string, stamp: string, text: string, { isScoped }: { readonly isScoped: boolean }): CachedText {
    const before = this.#of(key)?.text;
    const isLong = text.length >= LONG;
    // A hash is the same on every replica. Of a long text it takes long, and a number is as good for one.
    const tag = () => etagOf(isLong ? `${this.#epoch} ${this.#made++} ${key}` : text);
    const made = before?.text === text ? before : new CachedText(text, tag());
    const short = isScoped ? this.#scoped : this.#whole;
    const [kept, other] = isLong ? [this.#long, short] : [short, this.#long];
    kept.set(key, { stamp, text: made });
    other.delete(key);
    return made;
  }

  #of(key: string): Made | undefined {
    return this.#whole.get(key) ?? this.#scoped.get(key) ?? this.#long.get(key);
  }
}

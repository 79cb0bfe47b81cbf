/** The places up to which the sources of a subscription to logs were read, as many as it may ask to resume. */

/** The most sources that the service follows for one subscription. */
const MOST = 128;
/** The longest list of cursors as JSON, so that it fits into a message with what else is asked for. */
const MOST_CHARACTERS = 48 * 1024;

/** A source and its state, as the service tells them. */
interface ToldSource {
  readonly source: string;
  readonly state: "following" | "waiting" | "ended";
}

/** The cursors of one subscription. */
export class Cursors {
  /** By source, the one that was told longest ago first. */
  readonly #known: Map<string, string>;
  /** The sources that the service has, as it last said. */
  #present = new Set<string>();
  #isAsked = false;

  /** Begins with those that the caller has. */
  constructor(given: Readonly<Record<string, string>> = {}) {
    this.#known = new Map(Object.entries(given));
  }

  /** Takes the cursors of a message. */
  read(cursors: Readonly<Record<string, string>>): void {
    for (const [source, cursor] of Object.entries(cursors)) {
      this.#known.delete(source);
      this.#known.set(source, cursor);
    }
  }

  /** Takes the states of a message. A container that is gone is never asked for again. */
  hear(items: readonly ToldSource[]): void {
    if (this.#isAsked) this.#present = new Set(); // others may have gone while nobody was told
    this.#isAsked = false;
    for (const { source, state } of items) {
      if (state !== "ended") {
        this.#present.add(source);
        continue;
      }
      this.#present.delete(source);
      this.#known.delete(source);
    }
  }

  /**
   * Returns the cursors to ask with. Drops those for which there is no room: first of sources that the service does not
   * have any more, then of those that were told longest ago.
   */
  ask(): Record<string, string> {
    this.#isAsked = true;
    const known = [...this.#known];
    const ranked = [
      ...known.filter(([source]) => !this.#present.has(source)),
      ...known.filter(([source]) => this.#present.has(source)),
    ].slice(-MOST);
    while (JSON.stringify(ranked).length > MOST_CHARACTERS) ranked.shift();
    this.#known.clear();
    for (const [source, cursor] of ranked) this.#known.set(source, cursor);
    return Object.fromEntries(ranked);
  }
}

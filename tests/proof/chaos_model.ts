/** The answers to callers, checked against the simplest model: a set of names that grows and shrinks. */

/** Milliseconds on one clock. */
export interface Times {
  readonly began: number;
  readonly ended: number;
}

/** `yes`: acknowledged. `no`: refused, and not done. `unknown`: no answer, or one that leaves it open. */
export type Outcome = "yes" | "no" | "unknown";

interface Change extends Times {
  readonly outcome: Outcome;
}

interface Life {
  added: Change | null;
  removals: Change[];
}

/** One name is added once, and removed by whoever likes. */
export class NamesModel {
  readonly #lives = new Map<string, Life>();
  readonly broken: string[] = [];

  constructor(readonly what: string) {}

  #life(name: string): Life {
    let life = this.#lives.get(name);
    if (life === undefined) this.#lives.set(name, life = { added: null, removals: [] });
    return life;
  }

  /** Before it is asked for, so that a list that comes meanwhile may have it. */
  tries(name: string, began: number): void {
    this.#life(name).added = { began, ended: Infinity, outcome: "unknown" };
  }

  added(name: string, change: Change): void {
    this.#life(name).added = change;
  }

  /** Also before it is asked for: then `ended` is Infinity. */
  removed(name: string, change: Change): void {
    const { removals } = this.#life(name);
    const pending = removals.findIndex(({ began, ended }) => began === change.began && ended === Infinity);
    if (pending >= 0) removals[pending] = change;
    else removals.push(change);
  }

  /** Checks what a list showed, and that it showed all there is. */
  listed(names: readonly string[], times: Times): void {
    this.shown(names, times);
    const shown = new Set(names);
    const { began, ended } = times;
    for (const [name, { added, removals }] of this.#lives) {
      if (shown.has(name) || added?.outcome !== "yes" || added.ended >= began) continue;
      if (removals.some((one) => one.outcome !== "no" && one.began <= ended)) continue;
      this.broken.push(`${this.what}: "${name}" was acknowledged and is lost`);
    }
  }

  /** Checks that nothing was shown that was not there. */
  shown(names: readonly string[], { began, ended }: Times): void {
    const shown = new Set(names);
    if (shown.size < names.length) this.broken.push(`${this.what}: a name is listed twice`);
    for (const name of shown) {
      const life = this.#lives.get(name);
      if (life === undefined || life.added === null || life.added.began > ended) {
        this.broken.push(`${this.what}: "${name}" is listed and never was`);
      } else if (life.added.outcome === "no") {
        this.broken.push(`${this.what}: "${name}" is listed, and was refused`);
      } else if (life.removals.some((one) => one.outcome === "yes" && one.ended < began)) {
        this.broken.push(`${this.what}: "${name}" is listed, and its removal was acknowledged before`);
      }
    }
  }

  /** Returns the names that are there for certain, and that nobody tries to remove. */
  there(): string[] {
    return [...this.#lives].flatMap(([name, { added, removals }]) =>
      added?.outcome === "yes" && removals.every(({ outcome }) => outcome === "no") ? [name] : []
    );
  }
}

/** An apply as an answer shows it. */
export interface ShownApply {
  readonly id: string;
  readonly project: string;
  readonly state: string;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

const isOver = ({ state }: ShownApply) => ["done", "failed", "cancelled"].includes(state);

/** Applies, and what their journals told: none is lost, none goes on behind its end, and of a project one at a time. */
export class AppliesModel {
  readonly #acknowledged = new Map<string, number>();
  /** The end of each, and the time since which it was known. */
  readonly #ends = new Map<string, { readonly state: string; readonly at: number }>();
  readonly #latest = new Map<string, ShownApply>();
  readonly #journals = new Map<string, Map<number, string>>();
  readonly broken: string[] = [];

  acknowledged(id: string, at: number): void {
    this.#acknowledged.set(id, at);
  }

  get count(): number {
    return this.#acknowledged.size;
  }

  /** Another one of the same project was refused because of this one. */
  inTheWay(id: string, { began }: Times): void {
    const end = this.#ends.get(id);
    if (end !== undefined && end.at < began) this.broken.push(`apply ${id} is in the way, and it was over`);
  }

  shown(apply: ShownApply, { began, ended }: Times): void {
    const end = this.#ends.get(apply.id);
    if (end !== undefined && end.at < began && end.state !== apply.state) {
      this.broken.push(`apply ${apply.id} was ${end.state}, and is ${apply.state}`);
    }
    if (isOver(apply) !== (apply.endedAt !== null)) {
      this.broken.push(`apply ${apply.id} is ${apply.state}, and ended at ${apply.endedAt}`);
    }
    if (end === undefined && isOver(apply)) this.#ends.set(apply.id, { state: apply.state, at: ended });
    if (end === undefined) this.#latest.set(apply.id, apply);
  }

  absent(id: string): void {
    this.broken.push(`apply ${id} was acknowledged and is lost`);
  }

  /** All that a list had, from its first page to its last. */
  listed(applies: readonly ShownApply[], times: Times): void {
    const ids = new Set(applies.map(({ id }) => id));
    if (ids.size < applies.length) this.broken.push("applies: one is listed twice");
    for (const [id, at] of this.#acknowledged) if (at < times.began && !ids.has(id)) this.absent(id);
    for (const apply of applies) this.shown(apply, times);
  }

  /** A line of a journal behind the place `after`; the same place says the same for ever. Its own place. */
  line(apply: string, after: number, event: { readonly id: number }): number {
    const journal = this.#journals.get(apply) ?? new Map<number, string>();
    this.#journals.set(apply, journal);
    const text = JSON.stringify(event);
    const known = journal.get(event.id) ?? text;
    if (known !== text) this.broken.push(`apply ${apply}: ${known} became ${text}`);
    if (event.id <= after) this.broken.push(`apply ${apply}: place ${event.id} came behind ${after}`);
    journal.set(event.id, text);
    return event.id;
  }

  /** The whole journal, at the end: it has what followers were told, and they missed nothing of it. */
  compare(apply: string, whole: readonly { readonly id: number }[]): void {
    const journal = this.#journals.get(apply) ?? new Map<number, string>();
    const all = new Map(whole.map((event) => [event.id, JSON.stringify(event)]));
    for (const [id, text] of journal) {
      if (all.get(id) !== text) this.broken.push(`apply ${apply}: ${text} was told and is gone`);
    }
    const missed = [...all.keys()].filter((id) => !journal.has(id));
    if (missed.length > 0) this.broken.push(`apply ${apply}: its follower missed the places ${missed}`);
  }

  /** Of each project one after the other. */
  conclude(): void {
    const byProject = Map.groupBy(this.#latest.values(), ({ project }) => project);
    for (const [project, applies] of byProject) {
      const inOrder = applies.toSorted((a, b) => a.createdAt < b.createdAt ? -1 : 1);
      for (const [index, { id, endedAt }] of inOrder.entries()) {
        const next = inOrder[index + 1];
        if (next === undefined || (endedAt !== null && endedAt <= next.createdAt)) continue;
        this.broken.push(
          `${project}: apply ${next.id} began at ${next.createdAt}, ${id} ended at ${endedAt}`,
        );
      }
    }
  }
}

/** Checks numbered lines of several lives of one container, as one follower was told them. */
export class LinesModel {
  readonly broken: string[] = [];
  readonly lines: string[] = [];
  /** Places in `lines` before which a gap was told. */
  readonly gaps = new Set<number>();

  line(text: string): void {
    const [life, number] = text.split(" ");
    const [lastLife, lastNumber] = this.lines.at(-1)?.split(" ") ?? [];
    const isNext = life === lastLife ? Number(number) === Number(lastNumber) + 1 : number === "1";
    if (!isNext && this.lines.length > 0 && !this.gaps.has(this.lines.length)) {
      this.broken.push(`log: "${text}" behind "${this.lines.at(-1)}" without a gap`);
    }
    this.lines.push(text);
  }

  gap(): void {
    this.gaps.add(this.lines.length);
  }

  /** Compares with what the engine itself has at the end: all of it was told once, but for gaps. */
  compare(engine: readonly string[]): void {
    const told = new Map<string, number>();
    for (const line of this.lines) told.set(line, (told.get(line) ?? 0) + 1);
    for (const [line, count] of told) {
      if (count > 1) this.broken.push(`log: "${line}" was told ${count} times`);
    }
    if (this.gaps.size > 0) return;
    const missing = engine.filter((line) => !told.has(line));
    if (missing.length > 0) {
      this.broken.push(`log: ${missing.length} lines were never told, as "${missing[0]}"`);
    }
  }
}

/** The audit trail of one request: its intent before an act, its entry with a change, and its result. */
import { maskText } from "../../core/secrets.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import type { Auditor, Caller } from "./caller.ts";

export type Particulars = Readonly<Record<string, string>>;

/**
 * `act`: the intent is in the store before the handler runs, and the outcome follows. `change`: the handler hands
 * `call.entry()` to the store, which commits it with the change. False: only refusals for lack of rights are told.
 */
export type Audited = "act" | "change" | false;

/** Returns the given values as text, with secrets masked; others are left out. */
export function particularsOf(given: Readonly<Record<string, unknown>>): Particulars {
  const said: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    said[name] = maskText(typeof value === "string" ? value : JSON.stringify(value));
  }
  return said;
}

/** The origin of a request; the caller becomes known on the way. */
interface Origin {
  readonly caller: Caller | null;
  readonly requestId: string;
  readonly peer: string;
}

/** The result of an act that continued after its answer. */
export interface Outcome {
  /** The code of its failure. */
  readonly code?: string;
  readonly particulars?: Particulars;
}

export class Trail {
  readonly #auditor: Auditor;
  readonly #origin: Origin;
  readonly #action: string;
  readonly #url: string;
  #particulars: Particulars = {};
  #begun = false;
  #told = false;
  #later: Promise<Outcome> | null = null;

  constructor(auditor: Auditor, origin: Origin, action: string, url: string) {
    this.#auditor = auditor;
    this.#origin = origin;
    this.#action = action;
    this.#url = url;
  }

  /** The entry of a change; whoever makes the thing adds what only they know, as its id. */
  entry(over: { readonly target?: string; readonly particulars?: Particulars } = {}): NewAuditEntry {
    this.#told = true;
    return this.#entry(over);
  }

  /** Resolves once the intent is in the store. Throws `store_unavailable`: then nothing may be done. */
  async begin(particulars: Particulars): Promise<void> {
    this.#particulars = particulars;
    await this.#auditor.first(this.#entry({ particulars, result: "begun" }));
    this.#begun = true;
  }

  /** The same for what changes nothing, but shows what is masked otherwise. */
  async show(particulars: Particulars): Promise<void> {
    await this.#auditor.first(this.entry({ particulars: { ...particulars, shown: "secrets" } }));
  }

  /** Records that a connected caller was refused something. */
  refuse(code: string, particulars: Particulars): void {
    this.#auditor.record(this.#entry({ chain: "refusals", particulars, result: code }));
  }

  /** Says that the act goes on after the answer, and gives what its end is told to. */
  goOn(): (outcome: Outcome) => void {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#later = promise;
    return resolve;
  }

  /** The answer stands: tells of it what is not told yet. */
  finish(audited: Audited, status: number, code: string | null, made: string | undefined): void {
    const target = made === undefined ? {} : { target: made };
    if (this.#begun) {
      if (this.#later === null || code !== null) this.#outcome({ code: code ?? "done", target });
      else {
        this.#later.then(({ code = "done", particulars = {} }) =>
          this.#outcome({ code, target, particulars })
        );
      }
      return;
    }
    if (this.#told && code === null) return;
    if (audited === false && status !== 401 && status !== 403) return;
    const chain = code === null ? "changes" : "refusals";
    this.#auditor.record(this.#entry({ ...target, chain, result: code ?? "done" }));
  }

  #outcome(
    { code, target, particulars = {} }: {
      readonly code: string;
      readonly target: { readonly target?: string };
      readonly particulars?: Particulars;
    },
  ): void {
    const all = { ...this.#particulars, ...particulars };
    this.#auditor.record(this.#entry({ ...target, particulars: all, result: code }));
  }

  #entry(over: Partial<Pick<NewAuditEntry, "chain" | "target" | "particulars" | "result">>): NewAuditEntry {
    const { caller, requestId, peer } = this.#origin;
    const { target = new URL(this.#url).pathname } = over;
    return this.#auditor.entry({ ...over, caller, action: this.#action, target, requestId, peer });
  }
}

/** Asks registries for the references of all projects: one request at a time a host, spread over the day. */
import type { Group } from "../../artifacts/artifact.ts";
import { ServiceError } from "../../core/error.ts";
import { nameOf, readReference, type Reference, textOfReference } from "../../core/image_reference.ts";
import type { Log } from "../../core/log.ts";
import { pause } from "../../core/pause.ts";
import type { ContainerRuntime } from "../../core/runtime.ts";
import type { ReplicaStore } from "../../core/store.ts";
import { type CheckRecord, DUE_UPDATES, type UpdateStore } from "../../core/updates.ts";
import type { Registries } from "../registries/registries.ts";
import type { CheckResult } from "./check.ts";
import type { Checked } from "./checked.ts";
import { platformOf } from "./manifest.ts";
import { digestsOf, imageKey, referenceOf } from "./unit_update.ts";
import type { KnownUpdates, Updates } from "./updates.ts";

/** References that are remembered. */
const MOST_REFERENCES = 10_000;
/** So many in one look: a check costs some milliseconds, and a look comes once a minute. */
const MOST_A_LOOK = 100;
const HOSTS_AT_ONCE = 4;
const LOOK_MS = 60_000;
const EVERY_MS = 12 * 3_600_000;
/** Lists of tags are long, and change less often than people look. */
const LIST_EVERY_MS = 20 * 3_600_000;
/** After a failure, sooner than after an answer. */
const AGAIN_MS = 3_600_000;
/** A look ends by then, also where registries answer slowly; what it did not come to is due in the next one. */
const LONGEST_LOOK_MS = 5 * LOOK_MS;
const LEASE_MS = 2 * LONGEST_LOOK_MS;

interface CheckerOptions {
  readonly updates: Updates;
  readonly store: UpdateStore;
  readonly registries: Registries;
  /** Every group of every registered folder. */
  readonly groups: () => Promise<readonly Group[]>;
  /** Null while no plugin has a container runtime. */
  readonly runtime: () => Pick<ContainerRuntime, "backends" | "containers" | "images"> | null;
  /** Null where no other replica could ask for a look. */
  readonly replicas: Pick<ReplicaStore, "listen"> | null;
  /** Resolves to true for the one replica that checks. */
  readonly isOurTurn: (ms: number) => Promise<boolean>;
  readonly log: Pick<Log, "warn">;
  readonly now: () => number;
  readonly random?: () => number;
  readonly longestLookMs?: number;
}

interface Due {
  readonly reference: Reference;
  readonly text: string;
  readonly before: Checked | null;
  readonly listsTags: boolean;
}

/** Due since ever: somebody asked for it. */
const BY_HAND = 0;

export class UpdateChecker implements AsyncDisposable {
  readonly #over = new AbortController();
  readonly #running: Promise<void>;
  readonly #heard: Disposable | undefined;
  #wake = new AbortController();

  constructor(private readonly options: CheckerOptions) {
    // The replica that checks is another one than the caller's, as often as not.
    this.#heard = options.replicas?.listen((hint) => {
      if (hint === DUE_UPDATES) this.#wake.abort();
    });
    this.#running = this.#run();
  }

  /** Makes everything due, and looks at once. Returns the number of references that are declared. */
  async checkNow(): Promise<number> {
    await this.options.store.hasten(BY_HAND);
    const declared = await this.#declared();
    this.#wake.abort();
    return declared.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#heard?.[Symbol.dispose]();
    this.#over.abort();
    this.#wake.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      try {
        while (!signal.aborted && await this.#look() >= MOST_A_LOOK && this.#wake.signal.aborted);
      } catch (error) {
        if (!signal.aborted) {
          this.options.log.warn("Newer images cannot be looked for", { error: String(error) });
        }
      }
      if (!signal.aborted) await pause(LOOK_MS, this.#wake.signal);
    }
  }

  /** Asks for what is due. Returns the number of references that it asked for. */
  async #look(): Promise<number> {
    const { updates, store, isOurTurn, now, longestLookMs = LONGEST_LOOK_MS } = this.options;
    const known = await updates.current();
    if (!known.enabled || !await isOurTurn(LEASE_MS)) return 0;
    const declared = await this.#declared();
    await store.forgetChecks([...known.nextAt.keys()].filter((text) => !declared.has(text)));
    const due = dueOf(declared, known, now()).slice(0, MOST_A_LOOK);
    const hosts = [...Map.groupBy(due, ({ reference }) => reference.registry).values()];
    if (due.length === 0) return 0;
    const facts = await this.#facts();
    const late = AbortSignal.timeout(longestLookMs);
    const work = async () => {
      for (let host = hosts.shift(); host !== undefined && !late.aborted; host = hosts.shift()) {
        await this.#host(host, restOfHost(host, known, now()), { ...facts, late });
      }
    };
    await Promise.all(Array.from({ length: HOSTS_AT_ONCE }, work));
    return due.length;
  }

  async #declared(): Promise<ReadonlyMap<string, Reference>> {
    const found = new Map<string, Reference>();
    for (const group of await this.options.groups()) {
      for (const unit of group.units) {
        const reference = referenceOf(unit);
        if (reference !== null && found.size < MOST_REFERENCES) {
          found.set(textOfReference(reference), reference);
        }
      }
    }
    return found;
  }

  /** Asks one host for one reference after the other, until it wants to be left alone, or the look has to end. */
  async #host(due: readonly Due[], resting: number | null, facts: Facts & Ending): Promise<void> {
    const { store, now, random = Math.random } = this.options;
    let rests = resting;
    for (const one of due) {
      if (this.#over.signal.aborted || facts.late.aborted) return;
      const at = now();
      const result = rests !== null
        ? { checked: untold(one.before, at, "limited", null, rests), restsUntil: rests }
        : await this.#check(one, at, facts);
      rests = result.restsUntil;
      await store.putChecks([recordOf(one.text, result, at, random())], MOST_REFERENCES);
    }
  }

  async #check(
    { reference, before, listsTags }: Due,
    now: number,
    { differing, platforms, late }: Facts & Ending,
  ): Promise<CheckResult> {
    const { registries } = this.options;
    const [{ checkReference }, access] = await Promise.all([import("./check.ts"), registries.access()]);
    try {
      const rules = await registries.rulesFor(reference.registry, reference.repository);
      return await checkReference(access, {
        reference,
        rules,
        before,
        differing: (digest) => differing(reference, digest),
        platforms: () => platforms,
        listsTags,
        now,
        signal: AbortSignal.any([this.#over.signal, late]),
      });
    } catch (error) {
      if (late.aborted && !this.#over.signal.aborted) {
        return { checked: untold(before, now, "unreachable", TOO_SLOW, null), restsUntil: null };
      }
      if (!(error instanceof ServiceError)) throw error;
      return { checked: untold(before, now, "refused", error.message.slice(0, 300), null), restsUntil: null };
    }
  }

  async #facts(): Promise<Facts> {
    const runtime = this.options.runtime();
    if (runtime === null) return { differing: () => [], platforms: [] };
    const platforms = platformsOf(runtime);
    const images = new Map((await runtime.images()).map((one) => [imageKey(one.backend, one.id), one]));
    const used = new Set((await runtime.containers()).map((one) => imageKey(one.backend, one.imageId)));
    const byName = Map.groupBy(
      [...used].flatMap((key) => images.get(key) ?? []).flatMap((image) =>
        image.digests.map((digested) => ({ name: digested.slice(0, digested.indexOf("@")), image }))
      ),
      ({ name }) => fullName(name),
    );
    const differing = (reference: Reference, digest: string) => {
      const found = new Set<string>();
      for (const { image } of byName.get(nameOf(reference)) ?? []) {
        const platform = platforms.get(image.backend);
        if (platform !== undefined && !digestsOf(image, reference).includes(digest)) found.add(platform);
      }
      return [...found];
    };
    return { differing, platforms: [...new Set(platforms.values())] };
  }
}

const TOO_SLOW = "its registry answers too slowly: the look for newer images ended before";

interface Ending {
  /** Aborted once the look has to end. */
  readonly late: AbortSignal;
}

interface Facts {
  /** Returns the platforms of containers whose image is another one than a digest. */
  readonly differing: (reference: Reference, digest: string) => readonly string[];
  /** Of the engines, each once. */
  readonly platforms: readonly string[];
}

const fullName = (name: string): string => {
  const read = readReference(name);
  return read === null ? name : nameOf(read);
};

/** Returns the platform of each engine that tells it. */
export function platformsOf(runtime: Pick<ContainerRuntime, "backends">): ReadonlyMap<string, string> {
  return new Map(
    runtime.backends().flatMap(({ name, os, arch }) =>
      os === null || arch === null ? [] : [[name, platformOf(os, arch)] as const]
    ),
  );
}

/** Returns the references whose time has come, those that were never asked for first. */
function dueOf(declared: ReadonlyMap<string, Reference>, known: KnownUpdates, now: number): Due[] {
  const due = [...declared].flatMap(([text, reference]) => {
    const at = known.nextAt.get(text) ?? 0;
    if (at > now) return [];
    const before = known.checks.get(text) ?? null;
    const listedAt = before?.versions?.listedAt ?? 0;
    return [{ reference, text, before, at, listsTags: at === BY_HAND || listedAt + LIST_EVERY_MS <= now }];
  });
  return due.sort((one, other) => one.at - other.at);
}

/**
 * Returns until when the host wants to be left alone, as it said in an earlier look; null where it does not, and where
 * a person asked for a look: they may have stored other credentials.
 */
function restOfHost(due: readonly Due[], { checks, nextAt }: KnownUpdates, now: number): number | null {
  if (due.some(({ text }) => nextAt.get(text) === BY_HAND)) return null;
  const host = due[0]!.reference.registry;
  const rests = [...checks].flatMap(([text, { outcome, until }]) =>
    outcome === "limited" && until !== null && until > now && readReference(text)?.registry === host
      ? [until]
      : []
  );
  return rests.length === 0 ? null : Math.max(...rests);
}

/** Keeps what is known of a reference that was not asked for, or not to the end. */
function untold(
  before: Checked | null,
  now: number,
  outcome: Checked["outcome"],
  reason: string | null,
  until: number | null,
): Checked {
  const nothing = { digest: null, firstSeen: null, platforms: {}, versions: null };
  const checkedAt = outcome === "limited" ? before?.checkedAt ?? now : now;
  return { ...nothing, ...before, outcome, reason, checkedAt, until };
}

/** Spreads the next checks, so that they never come all at once. */
function recordOf(
  reference: string,
  { checked, restsUntil }: CheckResult,
  now: number,
  random: number,
): CheckRecord {
  const isWell = checked.outcome === "found" || checked.outcome === "gone";
  const usual = now + (isWell ? EVERY_MS : AGAIN_MS) * (0.75 + random / 2);
  const nextAt = Math.round(Math.max(usual, checked.until ?? 0, restsUntil ?? 0));
  return { reference, body: JSON.stringify(checked), nextAt };
}

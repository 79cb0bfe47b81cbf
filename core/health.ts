/** The state of the whole service: store, logs, plugins and engines. */
import { ServiceError } from "./error.ts";
import type { Backend, ContainerRuntime } from "./runtime.ts";

interface HealthCheck {
  readonly status: "ok" | "degraded" | "failed";
  readonly reason?: string;
}

interface HealthReport {
  readonly status: HealthCheck["status"];
  readonly version: string;
  readonly uptimeMs: number;
  readonly checks: Readonly<Record<string, HealthCheck>>;
}

/** The parts whose state is checked. */
export interface HealthSources {
  readonly version: string;
  /** By the clock of `performance.now()`. */
  readonly startedMs: number;
  /** Rejects while the store cannot be read, or changes would be lost; a `ServiceError` says why to everybody. */
  readonly checkStore: () => Promise<void>;
  /** Returns why log lines are lost, or null. */
  readonly logFailure: () => string | null;
  /** Returns why audit entries cannot be written or delivered, or null. */
  readonly auditFailure: () => string | null;
  /** Returns why an apply waits with a container stopped in the middle of a swap, or null. */
  readonly applyFailure: () => string | null;
  readonly plugins: readonly { readonly name: string; readonly state: string }[];
  readonly runtime: ContainerRuntime | null;
}

const OK: HealthCheck = { status: "ok" };
/** A store that has not answered by then counts as failed. */
const STORE_MS = 2_000;

/** Only the loss of the service's own store is a failure; what else is wrong degrades it. */
async function lookAtHealth(sources: HealthSources): Promise<HealthReport> {
  const checks: Record<string, HealthCheck> = {
    store: await checkStore(sources.checkStore),
    log: sources.logFailure() === null ? OK : { status: "degraded", reason: "Lines cannot be written" },
    audit: degradedBy(sources.auditFailure()),
    plugins: checkPlugins(sources.plugins),
    applies: degradedBy(sources.applyFailure()),
  };
  for (const backend of sources.runtime?.backends() ?? []) {
    checks[`backend:${backend.name}`] = checkEngine(backend);
  }
  return {
    status: worst(Object.values(checks)),
    version: sources.version,
    uptimeMs: Math.round(performance.now() - sources.startedMs),
    checks,
  };
}

/** The time for which one check serves a burst of callers. */
const FRESH_MS = 100;

/** The same, looked at anew at most every tenth of a second. */
export function cachedHealth(sources: HealthSources): () => Promise<HealthReport> {
  let lookedAt = -Infinity;
  let report: Promise<HealthReport>;
  return () => {
    const now = performance.now();
    if (now - lookedAt > FRESH_MS) {
      lookedAt = now;
      report = lookAtHealth(sources);
    }
    return report;
  };
}

function worst(checks: readonly HealthCheck[]): HealthCheck["status"] {
  if (checks.some(({ status }) => status === "failed")) return "failed";
  return checks.some(({ status }) => status === "degraded") ? "degraded" : "ok";
}

function checkEngine({ state, since, stale }: Backend): HealthCheck {
  if (state !== "up") {
    const reason = `It is ${state}${since === undefined ? "" : `: it has not answered since ${since}`}`;
    return { status: "degraded", reason };
  }
  return stale === undefined ? OK : { status: "degraded", reason: `It does not list ${stale.join(", ")}` };
}

function degradedBy(reason: string | null): HealthCheck {
  return reason === null ? OK : { status: "degraded", reason };
}

function checkPlugins(plugins: HealthSources["plugins"]): HealthCheck {
  const failed = plugins.filter(({ state }) => state === "failed").map(({ name }) => name);
  return failed.length === 0 ? OK : { status: "degraded", reason: `Failed to start: ${failed.join(", ")}` };
}

async function checkStore(check: () => Promise<void>): Promise<HealthCheck> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("late")), STORE_MS);
  });
  try {
    await Promise.race([check(), late]);
    return OK;
  } catch (error) {
    return { status: "failed", reason: error instanceof ServiceError ? error.message : "It cannot be read" };
  } finally {
    clearTimeout(timer);
  }
}

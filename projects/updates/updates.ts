/** Newer images: the rules, and what is known of each reference, as all replicas know it. */
import type { NewAuditEntry } from "../../core/audit_entry.ts";
import type {
  FailedUpdate,
  ProjectUpdates,
  UpdatedProject,
  UpdateRules,
  UpdateStore,
} from "../../core/updates.ts";
import { type Checked, readChecked } from "./checked.ts";

/** The state of all checks, as of one moment. */
export interface KnownUpdates extends UpdateRules {
  readonly checks: ReadonlyMap<string, Checked>;
  /** When each reference is asked for again. */
  readonly nextAt: ReadonlyMap<string, number>;
  /** The wishes for single projects, by `<group>@<workspace>`. */
  readonly projects: ReadonlyMap<string, ProjectUpdates>;
  /** The updates that went back, by `failureKey`. */
  readonly failures: ReadonlyMap<string, FailedUpdate>;
}

const NOTHING: KnownUpdates = {
  enabled: false,
  coolDownDays: 0,
  checks: new Map(),
  nextAt: new Map(),
  projects: new Map(),
  failures: new Map(),
};

export const projectKey = ({ workspace, group }: UpdatedProject): string => `${group}@${workspace}`;

export const failureKey = (of: UpdatedProject, unit: string, digest: string): string =>
  `${projectKey(of)} ${unit} ${digest}`;

/** Returns until when a newer image of a project is only told. */
export function coolsUntil(
  { coolDownDays, projects }: Pick<KnownUpdates, "coolDownDays" | "projects">,
  of: UpdatedProject,
  firstSeen: number,
): number {
  return firstSeen + (projects.get(projectKey(of))?.coolDownDays ?? coolDownDays) * DAY_MS;
}

const DAY_MS = 86_400_000;

export class Updates {
  #known = NOTHING;
  #revision = 0;

  constructor(private readonly store: UpdateStore) {}

  /** Returns the same object while nothing changed, whichever replica changes it. */
  async current(): Promise<KnownUpdates> {
    const { revision, enabled, coolDownDays } = await this.store.rules();
    if (revision === this.#revision) return this.#known;
    const records = await this.store.checks();
    const checks = new Map<string, Checked>();
    const nextAt = new Map<string, number>();
    for (const record of records) {
      const checked = readChecked(record.body);
      if (checked === null) continue;
      checks.set(record.reference, checked);
      nextAt.set(record.reference, record.nextAt);
    }
    const projects = new Map((await this.store.projects()).map((one) => [projectKey(one), one]));
    const failures = new Map(
      (await this.store.failures()).map((one) => [failureKey(one, one.unit, one.digest), one]),
    );
    this.#known = { enabled, coolDownDays, checks, nextAt, projects, failures };
    this.#revision = revision;
    return this.#known;
  }

  setRules(rules: UpdateRules, entry: NewAuditEntry): Promise<void> {
    return this.store.setRules(rules, entry);
  }

  setProject(of: UpdatedProject, wanted: ProjectUpdates | null, entry: NewAuditEntry): Promise<void> {
    return this.store.setProject(of, wanted, entry);
  }

  noteProject(of: UpdatedProject, stands: Pick<ProjectUpdates, "waits" | "wentBackAt">): Promise<void> {
    return this.store.noteProject(of, stands);
  }
}

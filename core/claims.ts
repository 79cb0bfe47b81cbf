/** Claims: a container belongs to a declared project because somebody said so, although its labels do not. */
import type { AuditActor, NewAuditEntry } from "./audit_entry.ts";

/** One container, and the service that it stands for until an apply replaces it. */
export interface Claim {
  readonly id: string;
  readonly engine: string;
  /** The container's id, and the name that it had. */
  readonly container: string;
  readonly name: string;
  /** The workspace's id. */
  readonly workspace: string;
  /** The group that holds the service, and its project's name. */
  readonly group: string;
  readonly project: string;
  readonly service: string;
  /** The group's folder and its Compose file on this machine. */
  readonly folder: string;
  readonly file: string;
  readonly by: Pick<AuditActor, "kind" | "id" | "name">;
  readonly at: number;
  /** Since when an engine that answers does not have the container any more; null while it has it. */
  readonly goneAt: number | null;
}

export interface ClaimStore {
  /** Returns all of them, by engine and container. */
  list(): Promise<Claim[]>;
  /**
   * Adds all or none. Throws `already_claimed` if one of the containers is claimed, and `too_many_claims` when there
   * would be more than `most`.
   */
  add(claims: readonly Claim[], most: number, entry: NewAuditEntry): Promise<void>;
  /** Gives a claim another container. Returns false if there is no such claim. Throws `already_claimed`. */
  move(id: string, container: string, entry: NewAuditEntry): Promise<boolean>;
  /** Returns false if there is no such claim. */
  remove(id: string, entry: NewAuditEntry): Promise<boolean>;
  /** Notes when containers went, or that they are there. Housekeeping. */
  note(goneAt: ReadonlyMap<string, number | null>): Promise<void>;
  /** Forgets claims whose containers were replaced, or are gone for long. Housekeeping. */
  forget(ids: readonly string[]): Promise<void>;
}

/** The project that a claim gives a container, in the form of Compose's labels. */
interface ClaimedProject {
  readonly project: string;
  readonly service: string;
  readonly workingDir: string;
  readonly configFiles: string[];
  /** `likely` for another container under the name of the claimed one. */
  readonly claim: "certain" | "likely";
}

/** A container as a claim is looked for. */
export interface Claimed {
  readonly engine: string;
  readonly id: string;
  readonly name: string;
  /** True if labels of Compose say where it belongs. */
  readonly isLabelled: boolean;
}

/** The claims that this replica knows, for those who cannot wait for a store. */
export interface ClaimLookup {
  /** Returns the project that a claim gives a container; null where there is none. */
  of(container: Claimed): ClaimedProject | null;
  /** Calls back with the claims that came, went or changed. */
  onChange(changed: (claims: readonly Pick<Claim, "engine" | "container" | "name">[]) => void): Disposable;
}

/** For engines without a berth around them. */
export const NO_CLAIMS: ClaimLookup = {
  of: () => null,
  onChange: () => ({ [Symbol.dispose]: () => {} }),
};

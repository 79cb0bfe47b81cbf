/** The parts that a watch is made of. */
import type { Model } from "../../artifacts/artifact.ts";
import type { ApplyStore } from "../../core/applies.ts";
import type { AuditStore } from "../../core/audit_store.ts";
import type { ActingRuntime } from "../../core/engine_acts.ts";
import type { IgnoredStore } from "../../core/ignored.ts";
import type { IncidentStore } from "../../core/incidents.ts";
import type { Log } from "../../core/log.ts";
import type { Ownership } from "../../core/ownership.ts";
import type { NoticeStore } from "../../core/notices.ts";
import type { FileVersionStore } from "../../core/store.ts";
import type { Workspace } from "../../core/workspace.ts";
import type { OwnSide } from "../drift/contents.ts";
import type { Endings } from "./endings.ts";
import type { Unrecorded } from "./unrecorded.ts";

export interface WatchTimes {
  /** Before the first look: a start is not slowed down by it. */
  readonly beginMs: number;
  /** The interval of asking whether anything changed. */
  readonly tickMs: number;
  /** The time for which a subject must be well. */
  readonly wellMs: number;
  /** Everything is judged again after this time, whatever was heard. */
  readonly againMs: number;
}

export interface WatcherOptions {
  readonly store: IncidentStore;
  readonly notices: Pick<NoticeStore, "list">;
  readonly audit: Pick<AuditStore, "between">;
  readonly applies: Pick<ApplyStore, "list">;
  readonly versions: Pick<FileVersionStore, "newest">;
  readonly ignored: Pick<IgnoredStore, "list">;
  readonly registry: {
    models(): Promise<
      readonly { readonly workspace: { readonly id: string; readonly path: string }; readonly model: Model }[]
    >;
    list(): Promise<readonly Workspace[]>;
  };
  readonly runtime: () => ActingRuntime | null;
  readonly ownership: Ownership;
  readonly own: (workspace: string) => Promise<OwnSide>;
  /** Returns true if no other replica watches during this time. */
  readonly isOurTurn: (ms: number) => Promise<boolean>;
  readonly now: () => number;
  /** The time by a clock that never steps. */
  readonly steady: () => number;
  readonly endings: Endings;
  readonly unrecorded: Unrecorded;
  /** Called when changes are written, of which somebody may have to be told at once. */
  readonly written?: () => void;
  readonly log: Log;
  readonly times?: Partial<WatchTimes>;
}

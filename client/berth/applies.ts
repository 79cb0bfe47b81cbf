/** The API's group `applies`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Apply, ApplyFailure, ApplyState, ApplySummary, StepState } from "./models.ts";

/** GET: Past and running applies. */
export const APPLIES: Endpoint<"/api/applies", {
  get: {
    response: ApplyList;
    query: {
      /** Of this workspace, by its id. */
      workspace?: string;
      /** Of this group. */
      group?: string;
      /** In this state. */
      state?: "running" | "paused" | "done" | "failed" | "cancelled";
      /** Maximum number of applies. */
      limit?: number;
      /** `next` of the page before. */
      cursor?: string;
    };
  };
}> = new Endpoint("/api/applies");

/** GET: One apply, with all of its steps. */
export const APPLY: Endpoint<"/api/applies/{id}", {
  get: { response: Apply; query: Record<string, never> };
}> = new Endpoint("/api/applies/{id}");

/** GET: The events of an apply, from its beginning to its end. */
export const APPLY_EVENTS: Endpoint<"/api/applies/{id}/events", {
  get: {
    item: ApplyEvent;
    query: {
      /** The place in the journal to go on behind. */
      after?: number;
    };
  };
}> = new Endpoint("/api/applies/{id}/events");

/** POST: Begin no further step: what is in hand is finished, or turned back. */
export const APPLY_CANCEL: Endpoint<"/api/applies/{id}/cancel", {
  post: { response: Apply; query: Record<string, never> };
}> = new Endpoint("/api/applies/{id}/cancel");

/** POST: Let a paused apply go on, with the caller's own rights. */
export const APPLY_RESUME: Endpoint<"/api/applies/{id}/resume", {
  post: { response: Apply; payload: ApplyResume | undefined; query: Record<string, never> };
}> = new Endpoint("/api/applies/{id}/resume");

/** POST: Give an apply up: only a swap in hand is finished, or turned back. */
export const APPLY_ABANDON: Endpoint<"/api/applies/{id}/abandon", {
  post: { response: Apply; query: Record<string, never> };
}> = new Endpoint("/api/applies/{id}/abandon");

/** An item of the stream of `GET /api/applies/{id}/events`. */
export type ApplyEvent = {
  /** A step was begun, or ended. */
  readonly kind: "step";
  /** Its place in the journal. */
  readonly id: number;
  /** RFC 3339. */
  readonly at: string;
  /** Its number. */
  readonly step: number;
  /** Progress. */
  readonly state: StepState;
  /** The failure; null unless it failed. */
  readonly error: ApplyFailure | null;
  /** Further remarks. */
  readonly note: string | null;
} | {
  /** Output of an unhealthy container, or of a hook in it. */
  readonly kind: "log";
  /** Its place in the journal. */
  readonly id: number;
  /** RFC 3339. */
  readonly at: string;
  /** The step it belongs to. */
  readonly step: number;
  /** Its name. */
  readonly container: string;
  /** The last lines, masked. */
  readonly lines: readonly (string)[];
} | {
  /** The apply itself continues, waits, or has ended. */
  readonly kind: "state";
  /** Its place in the journal. */
  readonly id: number;
  /** RFC 3339. */
  readonly at: string;
  /** Its state. */
  readonly state: ApplyState;
  /** The reason; null where there is none. */
  readonly reason: string | null;
} | {
  /** A pull makes progress. */
  readonly kind: "progress";
  /** Its number. */
  readonly step: number;
  /** The layer this is about. */
  readonly layer: string | null;
  /** The progress in the engine's words. */
  readonly status: string;
  /** Bytes so far. */
  readonly current: number | null;
  /** Bytes in all. */
  readonly total: number | null;
} | {
  /** Nothing follows. */
  readonly kind: "end";
  /** The final state. */
  readonly state: ApplyState;
  /** The reason, as the apply has it. */
  readonly reason: string | null;
};

/** The answer of `GET /api/applies`. */
export type ApplyList = {
  /** The newest first. */
  readonly items: readonly (ApplySummary)[];
  /** The cursor of the next page; null on the last. */
  readonly next: string | null;
};

/** The payload of `POST /api/applies/{id}/resume`. */
export type ApplyResume = {
  /** The answer for hooks of which berth does not know if they ended: run them `again`, or take them for `done`. If absent, the apply continues to wait. */
  readonly hooks?: "again" | "done";
};

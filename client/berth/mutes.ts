/** The API's group `mutes`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { IncidentKind, Scope } from "./models.ts";

/**
 * GET: The mutes that have not ended.
 *
 * POST: Tell nobody of a scope or an incident for a while.
 */
export const MUTES: Endpoint<"/api/mutes", {
  get: { response: Mutes; query: Record<string, never> };
  post: { response: Mute; payload: NewMute; query: Record<string, never> };
}> = new Endpoint("/api/mutes", { post: [201] });

/** DELETE: End a mute. */
export const MUTE: Endpoint<"/api/mutes/{id}", {
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/mutes/{id}", { delete: [204] });

/** A part of `Mutes`. */
export type Mute = {
  /** The id to end it by. */
  readonly id: string;
  /** The muted scope; null where it is one incident. */
  readonly on: Scope | null;
  /** Only this unit of the scope, by its id. */
  readonly unit: string | null;
  /** The id of the muted incident. */
  readonly incident: string | null;
  /** Only incidents of these kinds; empty for all. */
  readonly kinds: readonly (IncidentKind)[];
  /** When it ends. */
  readonly until: string;
  /** The user or key that muted it. */
  readonly createdBy: string;
  /** When it was muted. */
  readonly createdAt: string;
};

/** The answer of `GET /api/mutes`. */
export type Mutes = {
  /** The mutes. */
  readonly items: readonly (Mute)[];
};

/** The payload of `POST /api/mutes`. */
export type NewMute = {
  /** The scope to mute: an engine, a workspace or a project. */
  readonly on?: Scope;
  /** Only this unit of the scope, by its id or name. */
  readonly unit?: string;
  /** The id of one incident, instead of a scope. */
  readonly incident?: string;
  /** Only incidents of these kinds; all if left out. */
  readonly kinds?: readonly (IncidentKind)[];
  /** Seconds until it ends by itself, 7 days at most. */
  readonly forS: number;
};

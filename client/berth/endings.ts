/** The API's group `endings`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";

/** GET: How containers ended, also those that are gone. */
export const ENDINGS: Endpoint<"/api/endings", {
  get: {
    response: ContainerEndings;
    query: {
      /** Only of this workspace, by its id. */
      workspace?: string;
      /** Only of this unit, by its id or name. */
      unit?: string;
      /** Only of this container, by its name or whole id. */
      container?: string;
      /** Only those of this incident, by its id. */
      incident?: string;
      /** `next` of the page before. */
      before?: string;
      /** Maximum number of endings. */
      limit?: number;
    };
  };
}> = new Endpoint("/api/endings");

/** GET: What a container said last. */
export const ENDING_LOG: Endpoint<"/api/endings/{id}/log", {
  get: { response: LastWords; query: Record<string, never> };
}> = new Endpoint("/api/endings/{id}/log");

/** A part of `ContainerEndings`. */
export type ContainerEnding = {
  /** The ending's id. */
  readonly id: string;
  /** When berth heard of it. */
  readonly at: string;
  /** The engine's name. */
  readonly engine: string;
  /** The container's name. */
  readonly container: string;
  /** The container's id. */
  readonly containerId: string;
  /** The workspace's id; null for what no file declares. */
  readonly workspace: string | null;
  /** The group's name. */
  readonly group: string | null;
  /** The unit's id. */
  readonly unit: string | null;
  /** The Compose project. */
  readonly project: string | null;
  /** The code that it ended with; null where the engine does not tell. */
  readonly exitCode: number | null;
  /** True only where the engine says that its memory ran out. */
  readonly outOfMemory: boolean;
  /** The state of its last words: `kept`; `none`, it was empty; `removedTooSoon`, the container was gone before the engine could be asked; `unreadable`, the engine did not tell it; `forgotten`, it gave way to newer ones. */
  readonly words: LastWordsState;
  /** Further endings after this one that were only counted, in a restart loop. */
  readonly more: number;
};

/** The answer of `GET /api/endings`. */
export type ContainerEndings = {
  /** The newest first. */
  readonly items: readonly (ContainerEnding)[];
  /** The `before` of the next page; null on the last. */
  readonly next: string | null;
};

/** The answer of `GET /api/endings/{id}/log`. */
export type LastWords = {
  /** The state of its last words. */
  readonly words: LastWordsState;
  /** The last lines of its log, each masked and cut. */
  readonly lines: readonly (string)[];
  /** True if the log has more than is kept of it. */
  readonly isCut: boolean;
  /** The last output of its health check; empty without one. */
  readonly health: string;
};

/** A part of `ContainerEnding`. */
export type LastWordsState = "kept" | "none" | "removedTooSoon" | "unreadable" | "forgotten";

/** The API's group `hooks`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { CommitId, SourceChange } from "./models.ts";

/** POST: Look for new commits after a push. */
export const HOOK: Endpoint<"/api/hooks/{id}", {
  post: { response: HookAnswer; query: Record<string, never> };
}> = new Endpoint("/api/hooks/{id}", { post: [200, 202] });

/** The answer of `POST /api/hooks/{id}`. */
export type HookAnswer = {
  /** The newest commit of the branch. */
  readonly commit: CommitId;
  /** The groups that it would change. */
  readonly groups: readonly (HookGroup)[];
  /** When files are written. */
  readonly policy: "manual" | "auto";
};

/** A part of `HookAnswer`. */
export type HookGroup = {
  /** The group's name. */
  readonly name: string;
  /** The effect of the commit on it. */
  readonly change: SourceChange;
};

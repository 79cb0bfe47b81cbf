/** The API's group `artifacts`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { DraftFile } from "./models.ts";

/** POST: Make a project's text out of a line of docker run. */
export const ARTIFACTS_FROM_RUN: Endpoint<"/api/artifacts/from-run", {
  post: { response: RunLine; payload: RunRequest; query: Record<string, never> };
}> = new Endpoint("/api/artifacts/from-run");

/** The answer of `POST /api/artifacts/from-run`. */
export type RunLine = {
  /** The project's name. */
  readonly name: string;
  /** `.env` for what looks like a secret, and the Compose file; nothing is masked. */
  readonly files: readonly (DraftFile)[];
  /** Flags of the line that are not in the text, as they were written. */
  readonly unknown: readonly (string)[];
  /** Differences from the line that a reader should know. */
  readonly notes: readonly (string)[];
};

/** The payload of `POST /api/artifacts/from-run`. */
export type RunRequest = {
  /** The line, which may go on behind a backslash. */
  readonly command: string;
};

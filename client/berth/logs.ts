/** The API's group `logs`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";

/** GET: Earlier lines of several containers, backwards. */
export const LOGS: Endpoint<"/api/logs", {
  get: {
    response: EarlierLines;
    query: {
      /** By id or name, with the engine before it where several have it: `docker/web`; may be given several times. */
      container: string | readonly (string)[];
      /** Only lines before this one, for each container: its source, a blank, and the line's `cursor`, as in `next`. */
      before?: string | readonly (string)[];
      /** Only lines up to then, of containers without `before`: a time as `2026-01-31T12:00:00Z`, or a span as `10m`. */
      until?: string;
      /** Only lines from then on, written as for `until`. */
      since?: string;
      /** Only lines that hold this text, in any case. */
      q?: string;
      /** Maximum number of lines. */
      limit?: number;
    };
  };
}> = new Endpoint("/api/logs");

/** A part of `EarlierLines`. */
export type EarlierLine = {
  /** The container, by its engine and id: `docker/0f1e…`. */
  readonly source: string;
  /** The container's name. */
  readonly name: string;
  /** When it was written. */
  readonly time: string;
  /** Which output. */
  readonly stream: "stdout" | "stderr";
  /** The text of the line. */
  readonly line: string;
  /** The line was longer than 256 KiB. */
  readonly cut?: true;
  /** Its cursor: `before` continues before it, and a followed log behind it. */
  readonly cursor: string;
};

/** The answer of `GET /api/logs`. */
export type EarlierLines = {
  /** The last lines before the place that was asked for, in the order of their times. */
  readonly items: readonly (EarlierLine)[];
  /** Asks for the lines before these; null where there are none. */
  readonly next: {
    /** For `before`. */
    readonly before: readonly (string)[];
    /** For `until`. */
    readonly until: string;
  } | null;
};

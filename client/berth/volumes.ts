/** The API's group `volumes`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Unavailable, UsingContainer } from "./models.ts";

/**
 * GET: List the volumes of all engines.
 *
 * POST: Create a volume.
 */
export const VOLUMES: Endpoint<"/api/volumes", {
  get: {
    response: VolumeList;
    query: {
      /** The name of one engine. */
      backend?: string;
      /** Part of a name. */
      q?: string;
      /** Only those that no container mounts, or only the others. */
      unused?: boolean;
    };
  };
  post: {
    response: Volume;
    payload: NewVolume;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/volumes", { post: [201] });

/**
 * GET: One volume.
 *
 * DELETE: Remove a volume and what is in it.
 */
export const VOLUME: Endpoint<"/api/volumes/{name}", {
  get: {
    response: Volume;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
  delete: {
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/volumes/{name}", { delete: [204] });

/** The payload of `POST /api/volumes`. */
export type NewVolume = {
  /** The engine makes one up where it is missing. */
  readonly name?: string;
  /** The driver that makes it; local unless told otherwise. */
  readonly driver?: string;
  /** Options of the driver, which can bind any folder of the host: needs volumes:host-paths or projects:host. */
  readonly options?: { readonly [key: string]: string };
  /** Labels to find it by. */
  readonly labels?: { readonly [key: string]: string };
};

/** A part of `LiveMessage`. */
export type Volume = {
  /** The volume's name. */
  readonly name: string;
  /** The driver that keeps it. */
  readonly driver: string;
  /** Path on the host. */
  readonly mountpoint: string;
  /** The reach of its driver, as `local`. */
  readonly scope: string;
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** Passwords in mount options are masked. */
  readonly options: { readonly [key: string]: string };
  /** When it was made. */
  readonly createdAt: string | null;
  /** The containers that mount it, running or not; null without `containers:read`. */
  readonly usedBy: readonly (UsingContainer)[] | null;
  /** Bytes; null where not measured. */
  readonly size: number | null;
  /** The engine it is on, by name. */
  readonly backend: string;
  /** The engine does not answer, or does not list this kind: this is how it was last known. Absent else. */
  readonly stale?: true;
};

/** The answer of `GET /api/volumes`. */
export type VolumeList = {
  /** The items found. */
  readonly items: readonly (Volume)[];
  /** Number of all items. */
  readonly total: number;
  /** The engines that could not be asked. */
  readonly unavailable: readonly (Unavailable)[];
  /** Engines whose latest changes are not in the list yet, because too much happens on them, or they hang or do not list it. */
  readonly stale?: readonly (string)[];
};

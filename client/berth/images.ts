/** The API's group `images`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Unavailable, UsingContainer } from "./models.ts";

/** GET: List the images of all engines. */
export const IMAGES: Endpoint<"/api/images", {
  get: {
    response: ImageList;
    query: {
      /** The name of one engine. */
      backend?: string;
      /** Part of a tag or id. */
      q?: string;
      dangling?: boolean;
      /** Only those that no container was made from, or only the others. */
      unused?: boolean;
    };
  };
}> = new Endpoint("/api/images");

/**
 * GET: One image, by id, id prefix or reference.
 *
 * DELETE: Remove an image, or one of its names.
 */
export const IMAGE: Endpoint<"/api/images/{id}", {
  get: {
    response: ImageDetail;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
  delete: {
    query: {
      /** The name of one engine. */
      backend?: string;
      force?: boolean;
      /** Keep untagged parents. */
      noprune?: boolean;
    };
  };
}> = new Endpoint("/api/images/{id}");

/** POST: Pull an image; closing the request cancels it. */
export const IMAGES_PULL: Endpoint<"/api/images/pull", {
  post: {
    response: PullResult;
    item: PullFrame;
    payload: PullRequest;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/images/pull");

/** A part of `ImageList`. */
export type Image = {
  readonly id: string;
  readonly tags: readonly (string)[];
  /** Names with the digest that a registry knows them by. */
  readonly digests: readonly (string)[];
  /** Bytes, shared layers included. */
  readonly size: number;
  /** Bytes of layers that other images have too; null where not measured. */
  readonly sharedSize: number | null;
  readonly createdAt: string;
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** The containers made from it, running or not; null without `containers:read`. */
  readonly usedBy: readonly (UsingContainer)[] | null;
  /** Nothing names it. */
  readonly dangling: boolean;
  readonly backend: string;
  /** The engine does not answer: this is how it was last known. Absent else. */
  readonly stale?: true;
};

/** The answer of `GET /api/images/{id}`. */
export type ImageDetail = {
  readonly id: string;
  readonly tags: readonly (string)[];
  /** Names with the digest that a registry knows them by. */
  readonly digests: readonly (string)[];
  /** Bytes, shared layers included. */
  readonly size: number;
  /** Bytes of layers that other images have too; null where not measured. */
  readonly sharedSize: number | null;
  readonly createdAt: string;
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** The containers made from it, running or not; null without `containers:read`. */
  readonly usedBy: readonly (UsingContainer)[] | null;
  /** Nothing names it. */
  readonly dangling: boolean;
  readonly backend: string;
  /** The engine does not answer: this is how it was last known. Absent else. */
  readonly stale?: true;
  readonly os: string;
  readonly architecture: string;
  readonly author: string;
  readonly comment: string;
  readonly config: {
    readonly command: readonly (string)[];
    readonly entrypoint: readonly (string)[];
    /** Names; the values are masked. */
    readonly env: readonly (string)[];
    readonly user: string;
    readonly workingDir: string;
    readonly ports: readonly (string)[];
    readonly volumes: readonly (string)[];
    readonly stopSignal: string | null;
    readonly healthcheck: readonly (string)[] | null;
    readonly labels: { readonly [key: string]: string };
  };
  readonly history: readonly ({
    readonly createdAt: string | null;
    readonly createdBy: string;
    readonly comment: string;
    readonly size: number;
    readonly tags: readonly (string)[];
  })[];
  readonly layers: readonly (string)[];
};

/** The answer of `GET /api/images`. */
export type ImageList = {
  readonly items: readonly (Image)[];
  readonly total: number;
  readonly unavailable: readonly (Unavailable)[];
  /** Engines whose latest changes are not in the list yet, because too much happens on them or they hang. */
  readonly stale?: readonly (string)[];
};

/** An item of the stream of `POST /api/images/pull`. */
export type PullFrame = PullProgress | {
  readonly done: PullResult;
} | {
  readonly error: {
    readonly code: string;
    readonly title: string;
  };
};

/** A part of `PullFrame`. */
export type PullProgress = {
  readonly layer: string | null;
  readonly status: string;
  /** Bytes so far. */
  readonly current: number | null;
  readonly total: number | null;
};

/** The payload of `POST /api/images/pull`. */
export type PullRequest = {
  readonly reference: string;
  readonly platform?: string;
  /** For the reference's registry alone; kept nowhere. */
  readonly auth?: RegistryCredentials;
};

/** The answer of `POST /api/images/pull`. */
export type PullResult = {
  readonly id: string;
  /** In full: registry, repository, and tag or digest. */
  readonly reference: string;
  readonly digest: string | null;
  /** Whether the name means another image than before. */
  readonly changed: boolean;
  readonly backend: string;
};

/** A part of `PullRequest`. */
export type RegistryCredentials = {
  readonly username: string;
  readonly password: string;
} | {
  readonly identityToken: string;
};

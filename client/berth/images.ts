/** The API's group `images`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { RegistryCredentials, StreamFailure, Unavailable, UsingContainer } from "./models.ts";

/** GET: List the images of all engines. */
export const IMAGES: Endpoint<"/api/images", {
  get: {
    response: ImageList;
    query: {
      /** The name of one engine. */
      backend?: string;
      /** Part of a tag or id. */
      q?: string;
      /** Only images without a tag, or only the others. */
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
export const IMAGE: Endpoint<"/api/images/{id...}", {
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
      /** Even if several tags name it, or stopped containers use it. */
      force?: boolean;
      /** Keep untagged parents. */
      noprune?: boolean;
    };
  };
}> = new Endpoint("/api/images/{id...}", { delete: [204] });

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

/** A part of `LiveMessage`. */
export type Image = {
  /** The image's id. */
  readonly id: string;
  /** The names it has. */
  readonly tags: readonly (string)[];
  /** Names with the digest that a registry knows them by. */
  readonly digests: readonly (string)[];
  /** Bytes, shared layers included. */
  readonly size: number;
  /** Bytes of layers that other images have too; null where not measured. */
  readonly sharedSize: number | null;
  /** When it was made. */
  readonly createdAt: string;
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** The containers made from it, running or not; null without `containers:read`. */
  readonly usedBy: readonly (UsingContainer)[] | null;
  /** Nothing names it. */
  readonly dangling: boolean;
  /** The engine it is on, by name. */
  readonly backend: string;
  /** The engine does not answer, or does not list this kind: this is how it was last known. Absent else. */
  readonly stale?: true;
};

/** The answer of `GET /api/images/{id}`. */
export type ImageDetail = {
  /** The image's id. */
  readonly id: string;
  /** The names it has. */
  readonly tags: readonly (string)[];
  /** Names with the digest that a registry knows them by. */
  readonly digests: readonly (string)[];
  /** Bytes, shared layers included. */
  readonly size: number;
  /** Bytes of layers that other images have too; null where not measured. */
  readonly sharedSize: number | null;
  /** When it was made. */
  readonly createdAt: string;
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** The containers made from it, running or not; null without `containers:read`. */
  readonly usedBy: readonly (UsingContainer)[] | null;
  /** Nothing names it. */
  readonly dangling: boolean;
  /** The engine it is on, by name. */
  readonly backend: string;
  /** The engine does not answer, or does not list this kind: this is how it was last known. Absent else. */
  readonly stale?: true;
  /** The operating system it is made for. */
  readonly os: string;
  /** The processor it is made for. */
  readonly architecture: string;
  /** Author. */
  readonly author: string;
  /** Remark of the author. */
  readonly comment: string;
  /** Default settings of its containers. */
  readonly config: {
    /** The arguments. */
    readonly command: readonly (string)[];
    /** The program. */
    readonly entrypoint: readonly (string)[];
    /** Names; the values are masked. */
    readonly env: readonly (string)[];
    /** The user. */
    readonly user: string;
    /** The folder. */
    readonly workingDir: string;
    /** The ports it listens on. */
    readonly ports: readonly (string)[];
    /** The folders that become volumes. */
    readonly volumes: readonly (string)[];
    /** The signal that asks it to stop. */
    readonly stopSignal: string | null;
    /** The command that checks its health. */
    readonly healthcheck: readonly (string)[] | null;
    /** Its labels. */
    readonly labels: { readonly [key: string]: string };
  };
  /** The steps it was made in, newest first. */
  readonly history: readonly ({
    /** When. */
    readonly createdAt: string | null;
    /** The command. */
    readonly createdBy: string;
    /** Comment of the author. */
    readonly comment: string;
    /** Bytes it added. */
    readonly size: number;
    /** The tags of that step. */
    readonly tags: readonly (string)[];
  })[];
  /** The digests of its layers. */
  readonly layers: readonly (string)[];
};

/** The answer of `GET /api/images`. */
export type ImageList = {
  /** The items found. */
  readonly items: readonly (Image)[];
  /** Number of all items. */
  readonly total: number;
  /** The engines that could not be asked. */
  readonly unavailable: readonly (Unavailable)[];
  /** Engines whose latest changes are not in the list yet, because too much happens on them, or they hang or do not list it. */
  readonly stale?: readonly (string)[];
};

/** An item of the stream of `POST /api/images/pull`. */
export type PullFrame = PullProgress | {
  /** The result. */
  readonly done: PullResult;
} | {
  readonly error: StreamFailure;
};

/** A part of `PullFrame`. */
export type PullProgress = {
  /** The layer this is about. */
  readonly layer: string | null;
  /** The progress in the engine's words. */
  readonly status: string;
  /** Bytes so far. */
  readonly current: number | null;
  /** Bytes in all. */
  readonly total: number | null;
};

/** The payload of `POST /api/images/pull`. */
export type PullRequest = {
  /** The image, as ghcr.io/owner/app:1.2. */
  readonly reference: string;
  /** Another platform than the engine's own, as linux/arm64. */
  readonly platform?: string;
  /** For the reference's registry alone, instead of stored credentials; kept nowhere. */
  readonly auth?: RegistryCredentials;
};

/** The answer of `POST /api/images/pull`. */
export type PullResult = {
  /** The image's id. */
  readonly id: string;
  /** In full: registry, repository, and tag or digest. */
  readonly reference: string;
  /** The digest that the registry has it under. */
  readonly digest: string | null;
  /** True if the name means another image than before. */
  readonly changed: boolean;
  /** The engine it is on, by name. */
  readonly backend: string;
};

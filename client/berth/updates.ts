/** The API's group `updates`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { LineChange, Location, UpdateWindow, WorkspaceFileKind } from "./models.ts";

/**
 * GET: The images of declared projects, and whether their registries have newer ones.
 *
 * PUT: Switch the look for newer images on or off.
 */
export const UPDATES: Endpoint<"/api/updates", {
  get: {
    response: Updates;
    query: {
      /** Only those of this project, by its id or its name. */
      project?: string;
      /** Only those with this state. */
      state?: UpdateState;
    };
  };
  put: { payload: UpdateRules; query: Record<string, never> };
}> = new Endpoint("/api/updates", { put: [204] });

/** POST: Look for newer images now. */
export const UPDATES_CHECK: Endpoint<"/api/updates/check", {
  post: { response: UpdateCheck; query: Record<string, never> };
}> = new Endpoint("/api/updates/check", { post: [202] });

/** POST: The file's text with another version of an image in place. */
export const UPDATES_PROPOSE: Endpoint<"/api/updates/propose", {
  post: { response: ProposedUpdate; payload: UpdateProposal; query: Record<string, never> };
}> = new Endpoint("/api/updates/propose");

/** A part of `UpdateCandidate`. */
export type FailedUpdate = {
  /** When its container went back to the old image. */
  readonly at: string;
  /** The reason. */
  readonly reason: string;
  /** The id of the apply. */
  readonly apply: string;
};

/** A part of `LiveMessage`. */
export type ProjectUpdates = {
  /** The project's id. */
  readonly project: string;
  /** True if berth updates it by itself. */
  readonly automatic: boolean;
  /** When an automatic update may begin; null for any time. */
  readonly window: UpdateWindow | null;
  /** Its own cool-down; null for that of all projects. */
  readonly coolDownDays: number | null;
  /** The user or key with whose rights it is updated. */
  readonly by: string;
  /** When they said so. */
  readonly since: string;
  /** The reason that its automatic update waits; null for none. */
  readonly waits: string | null;
};

/** The answer of `POST /api/updates/propose`. */
export type ProposedUpdate = {
  /** Below the workspace's folder. */
  readonly path: string;
  /** The kind of file that it was read as: `secret`, `config` and `mounted` are files that projects name, `other` is one that was created and that nothing names yet. */
  readonly kind: WorkspaceFileKind;
  /** The id of the workspace that the file is of. */
  readonly workspace: string;
  /** Of the text as it would be, without masks. */
  readonly sha256: string;
  /** All of it, with `********` for every secret and the change in place. */
  readonly text: string;
  /** True if berth may write the file. */
  readonly editable: boolean;
  /** The lines that differ. */
  readonly changes: readonly (LineChange)[];
};

/** A part of `UpdateItem`. */
export type UpdateBack = {
  /** The image that runs again; `POST /api/updates/propose` takes it. */
  readonly reference: string;
  /** The try of what the file says. */
  readonly failed: FailedUpdate;
};

/** A part of `UpdateItem`. */
export type UpdateCandidate = {
  /** `digest`: the same tag, which stands for another image now; `tag`: a newer version, which takes a change of the file. */
  readonly kind: "digest" | "tag";
  /** The first part that differs; a `major` version is listed, and counts nowhere. Absent for a digest. */
  readonly step?: "patch" | "minor" | "major";
  /** The image by its digest, or with the newer tag. */
  readonly reference: string;
  /** The digest that the registry has under the tag. */
  readonly digest: string;
  /** When berth first saw it. */
  readonly firstSeen: string;
  /** The end of its cool-down; null once that is over. */
  readonly coolsUntil: string | null;
  /** The address of its release notes or source, as the image's labels tell. */
  readonly notes: string | null;
  /** The last try, where its container went back: an update takes it again only where its service is named; null otherwise. */
  readonly failed: FailedUpdate | null;
};

/** The answer of `POST /api/updates/check`. */
export type UpdateCheck = {
  /** Number of references that are looked at. */
  readonly references: number;
};

/** A part of `LiveMessage`. */
export type UpdateItem = {
  /** The image in full, with registry and tag. */
  readonly reference: string;
  /** The project's id. */
  readonly project: string;
  /** The units that it is written for, by their names. */
  readonly units: readonly (string)[];
  /** The place of the first one's image. */
  readonly location: Location;
  /** Number of their containers, running or not. */
  readonly containers: number;
  /** Number of the services of a swarm that they run as; berth updates none of those. */
  readonly services: number;
  /** `newer`: the tag stands for another image than the one that runs; `gone`, `refused` and `limited` are answers of the registry; `unknown` has a reason. */
  readonly state: UpdateState;
  /** The reason of a state that is neither `newer` nor `current`. */
  readonly reason: string | null;
  /** The digest that runs; null where no registry knows it. */
  readonly current: string | null;
  /** When the registry was last asked. */
  readonly checkedAt: string | null;
  /** Until when the registry wants to be left alone. */
  readonly until: string | null;
  /** The images that could run instead, the nearest first. */
  readonly candidates: readonly (UpdateCandidate)[];
  /** The reason that newer versions of the tag are not known, or not all of them. */
  readonly versionsReason: string | null;
  /** The way back where the image that the file says went back to the one before; null otherwise. */
  readonly back: UpdateBack | null;
};

/** The payload of `POST /api/updates/propose`. */
export type UpdateProposal = {
  /** The project's id. */
  readonly project: string;
  /** The image as `GET /api/updates` names it. */
  readonly reference: string;
  /** The `reference` of one of its candidates of kind `tag`, or of `back`. */
  readonly candidate: string;
};

/** The payload of `PUT /api/updates`. */
export type UpdateRules = {
  /** True if berth asks registries for newer images. */
  readonly enabled: boolean;
  /** The cool-down of a new image in days. */
  readonly coolDownDays: number;
};

/** A part of `UpdateItem`. */
export type UpdateState = "newer" | "current" | "gone" | "refused" | "limited" | "unknown";

/** The answer of `GET /api/updates`. */
export type Updates = {
  /** One for each reference of a project, the newer ones first. */
  readonly items: readonly (UpdateItem)[];
  /** Number of those that the question means. */
  readonly total: number;
  /** True if berth asks registries for newer images. */
  readonly enabled: boolean;
  /** The cool-down of a new image in days. */
  readonly coolDownDays: number;
  /** The wishes for single projects. */
  readonly projects: readonly (ProjectUpdates)[];
  /** The permission that the caller lacks to see what runs; only there where that is why it is left out. */
  readonly liveNeeds?: "containers:read";
};

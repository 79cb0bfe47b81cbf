/** The API's group `adoptions`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { ContainerRef } from "./models.ts";

/** POST: Save a draft, and take its containers over as they are. */
export const ADOPTIONS_DRAFT_ACCEPT: Endpoint<"/api/adoptions/drafts/{id}/accept", {
  post: { response: AcceptedAdoption; payload: AcceptRequest; query: Record<string, never> };
}> = new Endpoint("/api/adoptions/drafts/{id}/accept", { post: [201] });

/** GET: Containers that belong to a project because somebody adopted them. */
export const ADOPTIONS: Endpoint<"/api/adoptions", {
  get: { response: AdoptionList; query: Record<string, never> };
}> = new Endpoint("/api/adoptions");

/** POST: Say that the container which has the name now is the adopted one. */
export const ADOPTION_CONFIRM: Endpoint<"/api/adoptions/{id}/confirm", {
  post: { query: Record<string, never> };
}> = new Endpoint("/api/adoptions/{id}/confirm", { post: [204] });

/** DELETE: End an adoption. */
export const ADOPTION: Endpoint<"/api/adoptions/{id}", {
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/adoptions/{id}", { delete: [204] });

/** The payload of `POST /api/adoptions/drafts/{id}/accept`. */
export type AcceptRequest = {
  /** The projects to save; others of the draft can be saved by further calls. */
  readonly projects: readonly ({
    /** The project's name, which no other project has. */
    readonly name: string;
    /** The folder below the workspace; it is created where it is not there. */
    readonly folder: string;
    /** Containers of the draft. */
    readonly containers: readonly (ContainerRef)[];
  })[];
  /** Variables that go to `.env`, too, although they do not look secret: `web.SALT`. */
  readonly secrets?: readonly (string)[];
};

/** The answer of `POST /api/adoptions/drafts/{id}/accept`. */
export type AcceptedAdoption = {
  /** The projects that were saved. */
  readonly projects: readonly ({
    /** The project's name. */
    readonly name: string;
    /** The name of its group. */
    readonly group: string;
    /** The folder below the workspace. */
    readonly folder: string;
    /** The paths of its files below the workspace. */
    readonly files: readonly (string)[];
    /** The names of the containers that belong to it now. */
    readonly containers: readonly (string)[];
  })[];
  /** Projects that were not saved while others were; nothing of them was written. */
  readonly failed: readonly ({
    /** The project's name. */
    readonly name: string;
    /** The reason. */
    readonly why: string;
  })[];
  /** Mistakes that remain, each with what to do. */
  readonly warnings: readonly (string)[];
};

/** A part of `AdoptionList`. */
export type Adoption = {
  /** The adoption's id. */
  readonly id: string;
  /** The engine's name. */
  readonly engine: string;
  /** The container's id. */
  readonly container: string;
  /** The name that it had. */
  readonly name: string;
  /** `certain`: the container is there; `likely`: another one without labels of its own has its name; `gone`: neither is there; `unknown`: its engine does not answer. */
  readonly state: "certain" | "likely" | "gone" | "unknown";
  /** The project's id: `<group>@<workspace>`. */
  readonly project: string;
  /** The service that it stands for. */
  readonly service: string;
  /** The name of the person or key that adopted it. */
  readonly by: string;
  /** RFC 3339. */
  readonly at: string;
};

/** The answer of `GET /api/adoptions`. */
export type AdoptionList = {
  /** By engine and container. */
  readonly items: readonly (Adoption)[];
};

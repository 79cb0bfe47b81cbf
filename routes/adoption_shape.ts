/** A draft of containers written down, as callers see it. */
import * as z from "../core/schema.ts";
import { text } from "../http/declare/query.ts";
import { ContainerRef, ProjectName } from "./adopting.ts";

/** Containers of one draft. */
const MOST = 500;

export const DraftRequest = z.strictObject({
  containers: z.array(ContainerRef).min(1).max(MOST).describe("The containers to write down"),
  name: ProjectName.optional()
    .describe("All of them become one project of this name; otherwise those that are connected, one each"),
}).meta({
  id: "DraftRequest",
  examples: [{ containers: [{ backend: "docker", id: "4f2c…" }], name: "shop" }],
});

export const DraftFile = z.object({
  path: z.string().describe("Below the project's folder"),
  text: z.string().describe("All of its text"),
}).meta({ id: "DraftFile" });

export const AdoptionDraft = z.object({
  id: z.string().describe("Accepting the draft takes it"),
  expiresAt: z.string().describe("RFC 3339: until then it can be accepted, by the caller who asked for it"),
  projects: z.array(z.object({
    name: z.string().describe("The project's name"),
    backend: z.string().describe("The engine that its containers are on"),
    folder: z.string().describe(
      "The folder below the workspace that accepting it would write into by itself",
    ),
    services: z.array(z.object({
      container: z.string().describe("The container's name"),
      id: z.string().describe("Its id"),
      service: z.string().describe("The service that it was written as"),
      isRunning: z.boolean().describe("False for one that the first plan would start"),
    })).describe("The containers that were written"),
    files: z.array(DraftFile).describe(
      "`.env` for what looks like a secret, and the Compose file; secrets are masked unless they were asked for",
    ),
    differences: z.array(z.object({
      container: z.string().describe("The container's name"),
      field: z.string().describe("The field, named as in drift"),
      declared: z.string().describe("The value of the text"),
      actual: z.string().describe("The value of the container"),
    })).describe("Differences that are left between a text and its container; empty where the text says all"),
    leftOut: z.array(z.object({
      containers: z.array(z.string()).describe("The names of the containers that have it"),
      field: z.string().describe("The field, or the engine's setting"),
      why: z.string().describe("The reason"),
    })).describe("Settings that no file can say, or that the engine does not tell"),
    refused: z.array(z.object({
      container: z.string().describe("The container's name"),
      why: z.string().describe("The reason"),
    })).describe("Containers that cannot be written down"),
    blocked: z.array(z.string()).describe("Reasons why the text cannot be used as it is"),
  })).describe("The projects that were written"),
}).meta({ id: "AdoptionDraft" });

const Folder = z.string().min(1).max(1_000);

export const AcceptRequest = z.strictObject({
  projects: z.array(z.strictObject({
    name: ProjectName.describe("The project's name, which no other project has"),
    folder: Folder.describe("The folder below the workspace; it is created where it is not there"),
    containers: z.array(ContainerRef).min(1).max(MOST).describe("Containers of the draft"),
  })).min(1).max(100).describe("The projects to save; others of the draft can be saved by further calls"),
  secrets: z.array(text(500)).max(1_000).default([]).describe(
    "Variables that go to `.env`, too, although they do not look secret: `web.SALT`",
  ),
}).meta({
  id: "AcceptRequest",
  examples: [{
    projects: [{ name: "shop", folder: "shop", containers: [{ backend: "docker", id: "4f2c…" }] }],
  }],
});

export const Accepted = z.object({
  projects: z.array(z.object({
    name: z.string().describe("The project's name"),
    group: z.string().describe("The name of its group"),
    folder: z.string().describe("The folder below the workspace"),
    files: z.array(z.string()).describe("The paths of its files below the workspace"),
    containers: z.array(z.string()).describe("The names of the containers that belong to it now"),
  })).describe("The projects that were saved"),
  failed: z.array(z.object({
    name: z.string().describe("The project's name"),
    why: z.string().describe("The reason"),
  })).describe("Projects that were not saved while others were; nothing of them was written"),
  warnings: z.array(z.string()).describe("Mistakes that remain, each with what to do"),
}).meta({ id: "AcceptedAdoption" });

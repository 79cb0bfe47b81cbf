/** Containers that belong to no workspace. */
import type { Ownership } from "../../core/ownership.ts";

export const NO_OWNER: Ownership = {
  ownerOf: () => null,
  groupOf: () => null,
  startedFrom: () => null,
  revision: 0,
  projectsOf: () => null,
  roots: () => Promise.resolve([]),
  strayed: () => Promise.resolve([]),
  settle: () => false,
  refresh: () => Promise.resolve(),
};

/** Intended differences from Compose's loader, and their reasons. */

import type { Difference } from "./compared.ts";

export interface Agreed {
  readonly why: string;
  readonly covers: (difference: Difference) => boolean;
}

/** berth refuses, for these reasons alone. */
const refusedFor = (...codes: string[]) => ({ field, berth, codes: found }: Difference) =>
  field === "verdict" && berth === "refused" && found.every((code) => codes.includes(code));

/** Compose refuses with these words; berth says it, and takes it for less than an error. */
const said = (words: RegExp, code: string) => ({ field, compose, berth, codes }: Difference) =>
  field === "verdict" && berth === "accepted" && words.test(String(compose)) && codes.includes(code);

/** Mistakes about files that `docker compose config` lets pass and `up` fails with. */
const FILES = [
  "file/build-context-missing",
  "file/config-missing",
  "file/dockerfile-missing",
  "file/secret-missing",
];
/** The same, in the engine. */
const ENGINE = [
  "compose/bad-image-ref",
  "compose/start-interval-without-period",
  "graph/healthcheck-disabled",
  "name/container-name-invalid",
  "name/duplicate-container-name",
  "port/conflict",
];

/** Mistakes of groups that are meant for a swarm, which the loader knows nothing of. */
const SWARM = ["swarm/build-without-image", "swarm/host-ip-ignored", "swarm/reservation-over-limit"];

export const AGREED: readonly Agreed[] = [
  {
    why: "The loader makes containers of a file that says that it is meant for a swarm",
    covers: refusedFor(...SWARM),
  },
  {
    why:
      "A value with a variable that is not set is unknown to berth: whoever starts the project may well set it",
    covers: ({ field, codes }) => field !== "verdict" && codes.includes("env/unset-variable"),
  },
  {
    why: "The loader does not look whether files are there that only building and starting need",
    covers: refusedFor(...FILES),
  },
  {
    why: "The loader lets pass what every engine refuses when containers are made or started",
    covers: refusedFor(...FILES, ...ENGINE),
  },
  {
    why: "berth reads no file outside the workspace, and says so",
    covers: said(/env file .* not found/, "fs/path-escape"),
  },
  {
    why: "berth fetches nothing, and says so",
    covers: said(/remote:|https:/, "ref/remote-not-loaded"),
  },
  {
    why: "Profiles are alternatives to berth: a circle that no single one of them closes is a warning",
    covers: said(/dependency cycle/, "graph/cycle"),
  },
  {
    why: "berth has budgets for texts that are made to exhaust a reader, and reads nothing of such a file",
    covers: ({ project }) => /^yaml_(?:too-deep|alias-bomb)_bad\//.test(project),
  },
];

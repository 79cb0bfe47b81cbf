/**
 * The identity of an engine, as its answers tell: its kind, the API version to speak with it, its clock and its own
 * version.
 */
import { engineError } from "./errors.ts";
import { objectOf, textOf } from "./wire.ts";

/** The oldest and newest API versions that berth speaks. */
const OLDEST: ApiVersion = [1, 41];
const NEWEST: ApiVersion = [1, 52];

type ApiVersion = readonly [major: number, minor: number];
export type EngineKind = "docker" | "podman";

/** The answer of `/_ping`. */
export interface Greeting {
  readonly kind: EngineKind;
  readonly api: string;
  /** The time on the engine's own clock, in whole seconds; null where it does not say. */
  readonly time: number | null;
}

export interface EngineVersion {
  readonly version: string;
  readonly apiVersion: string;
  readonly os: string;
  readonly arch: string;
}

/** Reads the answer to `/_ping`. Throws `engine_failed` for an engine that berth cannot speak with. */
export function greetingOf(engine: string, response: Response): Greeting {
  return {
    kind: response.headers.has("libpod-api-version") ? "podman" : "docker",
    api: negotiated(engine, response.headers.get("api-version")),
    time: timeOn(response),
  };
}

/** Milliseconds, from the answer's head. */
export function timeOn({ headers }: Response): number | null {
  const time = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(time) ? null : time;
}

/** Reads the answer to `/version`. */
export function versionOf(answered: unknown): EngineVersion {
  const answer = objectOf(answered);
  return {
    version: textOf(answer.Version),
    apiVersion: textOf(answer.ApiVersion),
    os: textOf(answer.Os),
    arch: textOf(answer.Arch),
  };
}

/** Reads the answer to `/info`; null where it names no id. */
export function identityIn(answered: unknown): string | null {
  const { ID, Name, DockerRootDir } = objectOf(answered);
  return textOf(ID) === "" ? null : [ID, Name, DockerRootDir].map(textOf).join(" ");
}

/** The newest API version that both support. Throws `engine_failed` if there is none. */
function negotiated(engine: string, offered: string | null): string {
  const match = /^(\d{1,3})\.(\d{1,3})$/.exec(offered ?? "");
  if (match === null) {
    throw engineError(
      "engine_failed",
      `Cannot use engine "${engine}": its answer does not name an API version`,
    );
  }
  const theirs: ApiVersion = [Number(match[1]), Number(match[2])];
  if (older(theirs, OLDEST)) {
    throw engineError(
      "engine_failed",
      `Cannot use engine "${engine}": it has API version ${theirs.join(".")}, and berth needs at least ${
        OLDEST.join(".")
      }`,
    );
  }
  return (older(theirs, NEWEST) ? theirs : NEWEST).join(".");
}

function older([major, minor]: ApiVersion, [otherMajor, otherMinor]: ApiVersion): boolean {
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

/** Writes the fields of the process: image, words, health, user, how it is stopped and started again. */

import type { Yaml } from "../../artifacts/yaml/write.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import { cleanPath } from "../../artifacts/compose/clean_path.ts";
import { isSame } from "../fields/field.ts";
import { durationText, type Fragment, keyOf, type Writer } from "./writing.ts";

/** True if the image alone does not give both: an entrypoint of its own takes the image's command away. */
function hasOwnEntrypoint({ entrypoint, command, imageDefaults: image }: InspectedContainer): boolean {
  if (image === null) return entrypoint.length > 0;
  return !isSame(entrypoint, image.entrypoint) || (command.length === 0 && image.command.length > 0);
}

const entrypoint: Writer = (container) =>
  hasOwnEntrypoint(container) ? { entrypoint: container.entrypoint } : null;

const command: Writer = (container) => {
  const { command, imageDefaults: image } = container;
  if (image !== null && !hasOwnEntrypoint(container) && isSame(command, image.command)) return null;
  return keyOf("command", command);
};

const isNone = (test: readonly string[] | null): boolean =>
  test === null || test.length === 0 || test[0] === "NONE";

const healthcheck: Writer = ({ healthcheck: test, healthTimes: times, imageDefaults: image }) => {
  if (image !== null && isSame(test, image.healthcheck) && isSame(times, image.healthTimes)) return null;
  if (test?.[0] === "NONE" || (isNone(test) && !isNone(image?.healthcheck ?? null))) {
    return { healthcheck: { disable: true } };
  }
  // Times alone are those of a check that the image may have.
  const written: Record<string, Yaml> = test === null || test.length === 0 ? {} : { test };
  for (
    const [key, time] of [
      ["interval", times?.interval],
      ["timeout", times?.timeout],
      ["start_period", times?.startPeriod],
      ["start_interval", times?.startInterval],
    ] as const
  ) if (time) written[key] = durationText(time);
  if (times?.retries) written["retries"] = times.retries;
  return keyOf("healthcheck", written);
};

const user: Writer = ({ user, imageDefaults }) => user === imageDefaults?.user ? null : keyOf("user", user);

const workingDir: Writer = ({ workingDir, imageDefaults: image }) =>
  image !== null && cleanPath(workingDir) === cleanPath(image.workingDir)
    ? null
    : keyOf("working_dir", workingDir);

/** Podman tells its own signal where nobody asked for one. */
const stopSignal: Writer = ({ stopSignal, imageDefaults }, { kind }) =>
  stopSignal === (imageDefaults?.stopSignal || (kind === "podman" ? "SIGTERM" : ""))
    ? null
    : keyOf("stop_signal", stopSignal);

/** Podman's own client gives ten seconds, and a container that Compose makes there gets 0. */
const stopGracePeriod: Writer = ({ stopTimeoutSeconds: seconds }, { kind }) =>
  seconds === null || (kind === "podman" && seconds === 0) ? null : { stop_grace_period: `${seconds}s` };

const restart: Writer = ({ restart: { name, maximumRetries } }) => {
  if (name === "no" || name === "") return null;
  return { restart: name === "on-failure" && maximumRetries > 0 ? `${name}:${maximumRetries}` : name };
};

/** A flag that is off where nobody asks for it. */
export const flag = (
  key: string,
  property: "terminal" | "stdinOpen" | "privileged" | "readOnlyRoot" | "oomKillDisabled",
): Writer =>
(container) => container[property] ? { [key]: true } : null;

const init: Writer = ({ init }, { kind }) =>
  init === null || (kind === "podman" && !init) ? null : { init } satisfies Fragment;

export const processWriters: Readonly<Record<string, Writer>> = {
  image: ({ image }) => ({ image }),
  command,
  entrypoint,
  healthcheck,
  user,
  workingDir,
  terminal: flag("tty", "terminal"),
  stdinOpen: flag("stdin_open", "stdinOpen"),
  init,
  stopSignal,
  stopGracePeriod,
  restart,
};

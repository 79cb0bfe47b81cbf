/** Fields of the process: its image, its words, its user, how it is stopped and started again. */

import { imageReference, nanosecondsOf } from "../../artifacts/compose/amounts.ts";
import type { Node } from "../../artifacts/artifact.ts";
import { numberOf, textOf } from "../../artifacts/yaml/values.ts";
import { wordsOf } from "../../artifacts/compose/command.ts";
import { cleanPath } from "../../artifacts/compose/clean_path.ts";
import {
  type Declaration,
  type Declared,
  flagAt,
  isSame,
  nodeAt,
  type Row,
  row,
  scalarAt,
  single,
  textAt,
  textsOf,
  UNKNOWN,
} from "./field.ts";

/** Compose 2 joins the name of what it builds with a dash, Compose 1 with an underscore. */
export function imageNames({ service, group, unit }: Declared): string[] {
  return service.image === null
    ? ["-", "_"].map((sign) => `${group.project}${sign}${unit.label}`)
    : [service.image];
}

const image: Row = row<readonly string[]>({
  key: "image",
  covers: ["image", "build", "pull_policy"],
  declared: (of) => {
    const { imageAt, build } = of.service;
    if (imageAt !== null && textOf(imageAt) === null) return UNKNOWN;
    if (imageAt === null && !build) return null;
    return { value: imageNames(of), at: imageAt ?? nodeAt(of, "build") ?? of.unit.source };
  },
  ask: (asked, [name]) => asked.image = name!, // there is one at least
  compare: (declared, container, { imageNow }) => {
    if (declared === null) return [];
    const { value: names, at } = declared;
    const running = fullImage(container.image);
    if (!names.some((name) => fullImage(name) === running || name === container.imageId)) {
      return [{ field: "image", declared: names[0]!, seen: shortImage(container.image), at }];
    }
    // The name is the same, but was given to another image since: pulled or built anew.
    const now = imageNow(running);
    if (now === undefined || now === container.imageId) return [];
    return [{
      field: "image",
      declared: `${names[0]} (${shortId(now)})`,
      seen: `${shortImage(container.image)} (${shortId(container.imageId)})`,
      at,
    }];
  },
});

const shortId = (id: string): string => id.replace(/^sha256:/, "").slice(0, 12);

/** Without the registry that engines put before a short name. */
const shortImage = (text: string): string =>
  text.replace(/^(?:localhost|docker\.io)\//, "").replace(/^library\//, "");

/** An image name in full, so that short and long forms are equal. */
export function fullImage(text: string): string {
  const bare = shortImage(text);
  const image = imageReference(bare);
  if (image === null) return bare;
  if (image.digest !== null) return `${image.name}@${image.digest}`;
  return `${image.name}:${image.tag ?? "latest"}`;
}

/** The words of a command in either form. */
function wordsAt(node: Node | null): Declaration<readonly string[]> {
  if (node?.kind === "list") return textsOf(node);
  return scalarAt(node, wordsOf);
}

const words = (key: "command" | "entrypoint"): Row =>
  single<readonly string[]>({
    key,
    covers: [key],
    declared: (of) => wordsAt(nodeAt(of, key)),
    seen: (container) => container[key],
    // An image's command goes with its entrypoint.
    otherwise: (container, _view, of) =>
      key === "command" && nodeAt(of, "entrypoint") !== null ? undefined : container.imageDefaults?.[key],
    // An empty command means that of the image. An empty entrypoint is none, and Podman knows no such.
    same: (declared, seen, { imageDefaults }, { kind }) =>
      isSame(declared, seen) ||
      (declared.length === 0 && (key === "command" || kind === "podman") &&
        isSame(imageDefaults?.[key] ?? seen, seen)),
    show: line,
    ask: (asked, value) => asked[key] = value,
  });

const line = (words: readonly string[]): string =>
  words.map((word) => /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)).join(" ") || "(none)";

const user = single({
  key: "user",
  covers: ["user"],
  declared: textAt("user"),
  seen: (container) => container.user,
  otherwise: (container) => container.imageDefaults?.user,
  show: orNone,
  ask: (asked, value) => asked.user = value,
});

const workingDir = single({
  key: "workingDir",
  covers: ["working_dir"],
  declared: textAt("working_dir"),
  seen: (container) => container.workingDir,
  otherwise: (container) => container.imageDefaults?.workingDir,
  same: (declared, seen) => cleanPath(declared) === cleanPath(seen),
  show: orNone,
  ask: (asked, value) => asked.workingDir = value,
});

function orNone(text: string): string {
  return text || "(none)";
}

/** A flag that is off where nobody asks for it. */
export const flag = <
  Key extends "terminal" | "stdinOpen" | "privileged" | "readOnlyRoot" | "oomKillDisabled",
>(
  key: string,
  compose: string,
  property: Key,
): Row =>
  single({
    key,
    covers: [compose],
    declared: flagAt(compose),
    seen: (container) => container[property],
    otherwise: () => false,
    ask: (asked, value) => asked[property] = value,
  });

/** Null where nobody said: an engine may have one by default, which no container tells. */
const init = single<boolean | null>({
  key: "init",
  covers: ["init"],
  untold: ["podman"],
  declared: flagAt("init"),
  seen: (container) => container.init,
  otherwise: () => null,
  same: (declared, seen) => declared === seen || (declared === null && seen === false),
  show: (value) => value === null ? "(not set)" : String(value),
  ask: (asked, value) => asked.init = value,
});

/** `SIGTERM` of `SIGTERM`, `TERM` or `15`: an engine may tell another form than it was asked in. */
const signalName = (text: string): string => {
  const bare = text.toUpperCase().replace(/^SIG/, "");
  return bare === "" ? "SIGTERM" : `SIG${SIGNALS[Number(bare)] ?? bare}`;
};

/** The signals of Linux by their numbers. */
const SIGNALS = (
  "0 HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG " +
  "XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"
).split(" ");

const stopSignal = single({
  key: "stopSignal",
  covers: ["stop_signal"],
  declared: textAt("stop_signal"),
  seen: (container) => container.stopSignal,
  otherwise: (container) => container.imageDefaults?.stopSignal,
  same: (declared, seen) => signalName(declared) === signalName(seen),
  show: signalName,
  ask: (asked, value) => asked.stopSignal = value,
});

/** The seconds that engines wait before they kill a container without a grace period. */
const PATIENCE = 10;

const stopGracePeriod = single<number>({
  key: "stopGracePeriod",
  covers: ["stop_grace_period"],
  declared: (of) =>
    scalarAt(nodeAt(of, "stop_grace_period"), (node) => {
      const nanoseconds = nanosecondsOf(textOf(node) ?? "");
      return nanoseconds === null ? null : Math.trunc(nanoseconds / 1e9); // as Compose
    }),
  seen: (container) => container.stopTimeoutSeconds ?? PATIENCE,
  otherwise: () => PATIENCE,
  // Podman says 0 for "not said", too.
  same: (declared, seen, _container, { kind }) =>
    declared === seen || (kind === "podman" && seen === 0 && declared === PATIENCE),
  show: (seconds) => `${seconds}s`,
  ask: (asked, value) => asked.stopTimeoutSeconds = value,
});

interface Restart {
  readonly name: string;
  /** Null: not said. */
  readonly attempts: number | null;
}

const RESTARTS: Readonly<Record<string, string>> = { "": "no", none: "no", any: "always" };

function restartOf(of: Declared): Declaration<Restart> {
  const condition = nodeAt(of, "deploy", "restart_policy", "condition");
  const policy = nodeAt(of, "deploy", "restart_policy");
  const read = (attempts: number | null) => (node: Node): Restart | null => {
    const text = textOf(node);
    if (text === null) return null;
    const [name = "", retries] = text.split(":");
    return { name: RESTARTS[name] ?? name, attempts: retries === undefined ? attempts : Number(retries) };
  };
  if (policy !== null) {
    const attempts = numberOf(nodeAt(of, "deploy", "restart_policy", "max_attempts"));
    // Compose starts nothing again then, whatever `restart` says.
    return condition === null
      ? { value: { name: "no", attempts: null }, at: policy }
      : scalarAt(condition, read(attempts));
  }
  return scalarAt(nodeAt(of, "restart"), read(null));
}

const restart = single<Restart>({
  key: "restart",
  covers: [
    "restart",
    "deploy.restart_policy.condition",
    "deploy.restart_policy.max_attempts",
    "deploy.restart_policy.delay",
    "deploy.restart_policy.window",
  ],
  change: "update",
  declared: restartOf,
  seen: ({ restart: { name, maximumRetries } }) => ({
    name: RESTARTS[name] ?? name,
    attempts: maximumRetries,
  }),
  otherwise: () => ({ name: "no", attempts: null }),
  same: (declared, seen) =>
    declared.name === seen.name &&
    (declared.name !== "on-failure" || (declared.attempts ?? 0) === seen.attempts),
  show: ({ name, attempts }) => attempts === null || attempts === 0 ? name : `${name}:${attempts}`,
  ask: (asked, { name, attempts }) => asked.restart = { name, maximumRetries: attempts ?? 0 },
});

const TIMES = [
  ["interval", "interval", 30e9],
  ["timeout", "timeout", 30e9],
  ["start_period", "startPeriod", 0],
  ["start_interval", "startInterval", 0],
] as const;
const RETRIES = 3;

type Time = "interval" | "timeout" | "startPeriod" | "startInterval" | "retries";

interface Health {
  readonly test: readonly string[] | null;
  readonly times: Readonly<Partial<Record<Time, number>>>;
}

function healthOf(of: Declared): Declaration<Health> {
  const node = nodeAt(of, "healthcheck");
  if (node === null) return null;
  const parts = new Map<string, Node>();
  const times: Partial<Record<Time, number>> = {};
  for (const [key, name] of [...TIMES, ["retries", "retries"] as const]) {
    const read = key === "retries" ? numberOf : (at: Node) => nanosecondsOf(textOf(at) ?? "");
    const written = scalarAt(nodeAt(of, "healthcheck", key), read);
    if (written === UNKNOWN) return UNKNOWN;
    if (written === null) continue;
    times[name] = written.value;
    parts.set(key, nodeAt(of, "healthcheck", key)!); // it was read
  }
  const testAt = nodeAt(of, "healthcheck", "test");
  const isDisabled = of.service.healthcheck?.disabled === true;
  const test = isDisabled
    ? { value: ["NONE"] }
    : testAt?.kind === "scalar"
    ? scalarAt(testAt, (at) => ["CMD-SHELL", textOf(at) ?? ""])
    : wordsAt(testAt);
  if (test === UNKNOWN) return UNKNOWN;
  if (testAt !== null) parts.set("test", testAt);
  return { value: { test: test?.value ?? null, times }, at: node, parts };
}

const healthcheck: Row = row<Health>({
  key: "healthcheck",
  covers: ["test", "interval", "timeout", "retries", "start_period", "start_interval", "disable"].map((key) =>
    `healthcheck.${key}`
  ),
  declared: healthOf,
  ask: (asked, { test, times }) => {
    if (test !== null) asked.healthcheck = test;
    asked.healthTimes = { interval: 0, timeout: 0, startPeriod: 0, startInterval: 0, retries: 0, ...times };
  },
  compare: (declared, container, _view, of) => {
    const { unit } = of;
    const written = (key: string) => textOf(nodeAt(of, "healthcheck", key)) ?? "(not set)";
    const at = (key: string) => declared?.parts?.get(key) ?? declared?.at ?? unit.source;
    const { imageDefaults } = container;
    const inherited = imageDefaults === null ? undefined : imageDefaults.healthcheck ?? ["NONE"];
    const expected = declared?.value.test ?? inherited;
    const actual = container.healthcheck ?? ["NONE"];
    if (expected !== undefined && !isSame(expected, actual) && !(isNone(expected) && isNone(actual))) {
      return [{ field: "healthcheck", declared: line(expected), seen: line(actual), at: at("test") }];
    }
    const seen = container.healthTimes;
    if (isNone(actual) || seen === null) return [];
    // Engines write nothing or their own value where nothing is said.
    const own = (name: keyof Health["times"], standard: number) =>
      imageDefaults === null ? null : [imageDefaults.healthTimes?.[name] ?? 0, 0, standard];
    const found = TIMES.flatMap(([key, name, standard]) => {
      const wanted = declared?.value.times[name];
      const fits = wanted === undefined
        ? own(name, standard)?.includes(seen[name]) ?? true
        : wanted === seen[name];
      if (fits) return [];
      return [{
        field: `healthcheck.${key}`,
        declared: written(key),
        seen: seconds(seen[name]),
        at: at(key),
      }];
    });
    const wanted = declared?.value.times.retries;
    if (
      wanted === undefined ? own("retries", RETRIES)?.includes(seen.retries) ?? true : wanted === seen.retries
    ) {
      return found;
    }
    return [...found, {
      field: "healthcheck.retries",
      declared: written("retries"),
      seen: seen.retries === 0 ? "(not set)" : String(seen.retries),
      at: at("retries"),
    }];
  },
});

const isNone = (test: readonly string[]): boolean => test.length === 0 || test[0] === "NONE";
const seconds = (nanoseconds: number): string => nanoseconds === 0 ? "(not set)" : `${nanoseconds / 1e9}s`;

export const processRows: readonly Row[] = [
  image,
  words("command"),
  words("entrypoint"),
  healthcheck,
  user,
  workingDir,
  flag("terminal", "tty", "terminal"),
  flag("stdinOpen", "stdin_open", "stdinOpen"),
  init,
  stopSignal,
  stopGracePeriod,
  restart,
];

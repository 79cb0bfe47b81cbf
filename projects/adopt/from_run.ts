/** A line of `docker run` as a project: read into a container, which goes through the same writer as one that runs. */
import { ServiceError } from "../../core/error.ts";
import { type Blank, blankContainer } from "./blank.ts";
import { OFF, ON, RUN_FLAGS, SHORT_FLAGS, split } from "./run_flags.ts";
import { shellWords } from "./shell_words.ts";
import { writeProject } from "./write_project.ts";

export interface FromRun {
  readonly name: string;
  /** `.env` for what looks like a secret, and the Compose file. */
  readonly files: ReadonlyMap<string, string>;
  /** Flags of the line that are not in the text, as they were written. */
  readonly unknown: readonly string[];
  /** What a reader of the text should look at. */
  readonly notes: readonly string[];
}

/** Docker's own values where nobody asks. */
const DEFAULTS = { logDriver: "json-file", runtime: "runc", cgroupMode: "private" };

/** Throws `line_refused` for what is no line of `docker run`. */
export function fromRun(line: string): FromRun {
  const { words, unexpanded, isOpen } = shellWords(line);
  if (isOpen) throw refused("a quote has no end");
  const args = withoutProgram(words);
  const unknown: string[] = [];
  const container = blankContainer("");
  let rest = readFlags(args, container, unknown);
  const [image, ...command] = rest;
  if (image === undefined || image === "") throw refused("it names no image");
  rest = command;
  container.image = image;
  container.command = rest;
  const service = container.name || serviceOf(image);
  const name = service.toLowerCase().replace(/[^a-z0-9_-]/g, "-").replace(/^[^a-z0-9]+/, "") || "project";
  // Without `--name` Compose names it.
  if (container.name === "") {
    container.name = `${name}-${name}-1`;
    container.compose = { project: name, service: name, workingDir: null, configFiles: [] };
  }
  const volumes = container.mounts.flatMap((one) =>
    one.type === "volume" && one.source !== "" ? [one.source] : []
  );
  const { files, refused: unwritable, leftOut } = writeProject({
    name,
    kind: "docker",
    defaults: DEFAULTS,
    bare: null,
    containers: [container],
    networks: [],
    volumes: [...new Set(volumes)].map((volume) => ({
      name: volume,
      labels: { "com.docker.compose.project": name, "com.docker.compose.volume": volume },
    })),
    nameOf: (id) => id,
    self: null,
    foreign: new Set(),
  });
  return {
    name,
    files,
    unknown,
    notes: [
      ...unexpanded.map((word) =>
        `"${word}" is taken as it stands: berth expands no variables and runs no commands`
      ),
      ...unwritable.map(({ why }) => why),
      ...leftOut.filter(({ field }) => !["untold", "contents", "image"].includes(field)).map((
        { field, why },
      ) => `${field}: ${why}`),
      ...container.networks.map(({ name }) =>
        `The network "${name}" must be there: "docker network create ${name}"`
      ),
      ...container.mounts.flatMap(({ type, source }) =>
        type === "bind" && !source.startsWith("/")
          ? [`"${source}" starts at the project's folder now, not where the line was typed`]
          : []
      ),
    ],
  };
}

function withoutProgram(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => /(?:^|\/)(?:docker|podman)$/.test(word));
  const behind = words.slice(at + 1);
  const args = behind[0] === "container" ? behind.slice(1) : behind;
  if (at < 0 || !["run", "create"].includes(args[0] ?? "")) throw refused('it is no line of "docker run"');
  return args.slice(1);
}

/** Reads the flags into the container, and returns the words behind them. */
function readFlags(args: readonly string[], container: Blank, unknown: string[]): readonly string[] {
  let at = 0;
  while (at < args.length && args[at]!.startsWith("-") && args[at] !== "-") { // within the words
    const word = args[at++]!; // as above
    if (word === "--") break;
    if (word.startsWith("--")) {
      const [name, given] = split(word.slice(2), "=");
      at += take(name, given, args[at], { container, unknown, written: word });
      continue;
    }
    for (let n = 1; n < word.length; n++) {
      const name = SHORT_FLAGS[word[n]!]; // within the word
      if (name === undefined) throw refused(`berth does not know the flag "-${word[n]}"; take it out`);
      if (!RUN_FLAGS[name]!.value) { // every short one has a long one
        const given = word[n + 1] === "=" ? word.slice(n + 2) : undefined;
        take(name, given, undefined, { container, unknown, written: `-${word[n]}` });
        if (given !== undefined) break;
        continue;
      }
      const given = word.slice(n + 1).replace(/^=/, "");
      at += take(name, given === "" ? undefined : given, args[at], { container, unknown, written: word });
      break;
    }
  }
  return args.slice(at);
}

/** Returns the number of further words that it took. */
function take(
  name: string,
  given: string | undefined,
  next: string | undefined,
  { container, unknown, written }: {
    readonly container: Blank;
    readonly unknown: string[];
    readonly written: string;
  },
): number {
  const flag = Object.hasOwn(RUN_FLAGS, name) ? RUN_FLAGS[name]! : undefined; // it is its own
  if (flag === undefined) throw refused(`berth does not know the flag "--${name}"; take it out`);
  if (!flag.value) {
    const isOn = switchOf(given ?? ON);
    if (isOn === null) throw refused(`the flag "--${name}" is true or false, and not "${given}"`);
    if (flag.take !== null) flag.take(container, isOn ? ON : OFF);
    else if (isOn && !flag.isQuiet) unknown.push(written);
    return 0;
  }
  const value = given ?? next;
  if (value === undefined) throw refused(`the flag "--${name}" has no value`);
  const isTaken = flag.take !== null && flag.take(container, value) !== false;
  if (!isTaken && !flag.isQuiet) unknown.push(given === undefined ? `${written} ${value}` : written);
  return given === undefined ? 1 : 0;
}

/** Reads a switch as Docker's command line does; null for another text. */
function switchOf(text: string): boolean | null {
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  return ["0", "f", "F", "FALSE", "false", "False"].includes(text) ? false : null;
}

/** The last part of an image's name: `web` of `ghcr.io/owner/web:1.2`. */
const serviceOf = (image: string): string =>
  (image.split("@")[0]!.split("/").at(-1) ?? "").split(":")[0] || "app"; // a split has one part at least

const refused = (why: string): ServiceError =>
  new ServiceError("line_refused", `Cannot read the line: ${why}`);

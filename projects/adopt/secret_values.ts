/** Values that look like secrets go to `.env`, and the Compose file names a variable in their place. */

import type { ArtifactFile } from "../../artifacts/artifact.ts";
import { parseDotenv } from "../../artifacts/env/dotenv.ts";
import { textOf, valueAt } from "../../artifacts/yaml/values.ts";
import { Variable, type Yaml } from "../../artifacts/yaml/write.ts";
import { looksSecret, maskArguments, maskText } from "../../core/secrets.ts";
import { type Fragment, isMap } from "./writing.ts";

/** Keys below which somebody chose each name, and the value may be anything. */
const MAPS: readonly string[] = [
  "environment",
  "labels",
  "annotations",
  "options",
  "storage_opt",
  "driver_opts",
];
/** Keys whose values are the words of a command. */
const COMMANDS: readonly string[] = ["command", "entrypoint", "test"];

export class SecretValues {
  readonly #values = new Map<string, string>();
  readonly #names = new Set<string>();
  /** The values that `.env` cannot hold. */
  readonly unwritable: { readonly container: string; readonly why: string }[] = [];

  /** `asked` names further variables, as `web.SALT`. */
  constructor(private readonly asked: ReadonlySet<string> = new Set()) {}

  /** Returns the service with a variable in the place of each secret. */
  moved(service: string, fragment: Fragment): Fragment {
    const move = (path: readonly string[], value: string) => this.#move(service, path, value);
    const program = fragment["entrypoint"];
    const walk = (node: Fragment, path: readonly string[]): Fragment =>
      Object.fromEntries(
        Object.entries(node).map(([key, value]): [string, Yaml] => {
          const at = [...path, key];
          if (isMap(value)) return [key, walk(value, at)];
          if (Array.isArray(value) && COMMANDS.includes(key)) {
            const words = value as readonly string[]; // commands are texts
            const before = key === "command" && Array.isArray(program) ? program as string[] : [];
            const masked = maskArguments(words, before);
            return [key, words.map((word, n) => word === masked[n] ? word : move([...at, `${n}`], word))];
          }
          if (typeof value !== "string" || value === "" || !MAPS.includes(path.at(-1) ?? "")) {
            return [key, value];
          }
          const isSecret = looksSecret(key) || maskText(value) !== value ||
            maskText(`${key}=${value}`) !== `${key}=${value}` ||
            (path[0] === "environment" && this.asked.has(`${service}.${key}`));
          return [key, isSecret ? move(path[0] === "environment" ? [key] : at, value) : value];
        }),
      );
    return walk(fragment, []);
  }

  /** Returns the text of `.env`; empty if there is no secret. */
  text(): string {
    return [...this.#values].map(([name, value]) => `${lineOf(name, value)}\n`).join("");
  }

  #move(service: string, path: readonly string[], value: string): Yaml {
    const wanted = [service, ...path].join("_").toUpperCase().replace(/[^A-Z0-9_]/g, "_").replace(
      /^(?=\d)/,
      "_",
    );
    let name = wanted;
    for (let n = 2; this.#names.has(name); n++) name = `${wanted}_${n}`;
    this.#names.add(name);
    if (lineOf(name, value) === null) {
      // The Compose file does not get it either.
      this.unwritable.push({ container: service, why: `".env" cannot hold the value of ${path.join(".")}` });
    } else this.#values.set(name, value);
    return new Variable(name);
  }
}

/** Returns the line that reads back as the value; null if there is none. */
function lineOf(name: string, value: string): string | null {
  const escaped = value.replace(/[\\"$]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  const lines = [...(/['\\\r\n]/.test(value) ? [] : [`${name}='${value}'`]), `${name}="${escaped}"`];
  return lines.find((text) => readBack(name, text) === value) ?? null;
}

function readBack(name: string, text: string): string | null {
  const file: ArtifactFile = {
    path: ".env",
    kind: "env",
    text,
    hash: "",
    documents: [],
    aliases: [],
    sound: true,
    findings: [],
    stale: false,
  };
  const { documents: [document] } = parseDotenv(file);
  return textOf(valueAt(document, name));
}

/** Options of how the host confines a container: a seccomp profile is sent as its text, as Docker Compose does. */

import type { Place, Unit } from "../../artifacts/artifact.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { UNMASKED } from "../../core/security_option.ts";
import type { InspectedContainer } from "../../core/runtime.ts";
import {
  type Declaration,
  type Declared,
  type EngineKind,
  type Row,
  sameSet,
  single,
  textsAt,
  UNKNOWN,
} from "./field.ts";

/** `no-new-privileges` is a flag; `label:disable` is an old way to write `label=disable`. */
const plain = (text: string): string =>
  text.replace(/^no-new-privileges(?:[:=]true)?$/, "no-new-privileges").replace(/^(\w+):/, "$1=");

/** Returns what Docker itself adds to a container that SELinux could not keep from the host's processes or memory. */
export const ownOptions = (
  { privileged, ipcMode, pidMode }: InspectedContainer,
  kind: EngineKind,
): readonly string[] =>
  kind === "docker" && (privileged || ipcMode === "host" || pidMode === "host") ? ["label=disable"] : [];

function optionsOf(of: Declared): Declaration<readonly string[]> {
  const found = textsAt("security_opt")(of);
  if (found === null || found === UNKNOWN) return found;
  const options = found.value.map((text) => withProfile(text, of.unit, found.parts?.get(text)));
  return options.includes(null) ? UNKNOWN : { ...found, value: options as string[] }; // without null, as was looked at
}

/** Returns the option with the text of the profile that it names; null where that cannot be read. */
function withProfile(text: string, { paths }: Unit, item: Place | undefined): string | null {
  const use = paths.find(({ kind, at }) => kind === "seccomp" && at === item);
  if (use === undefined) return text;
  const profile = use.file === undefined ? null : compact(use.file.text);
  return profile === null ? null : `seccomp=${profile}`;
}

/** Returns JSON without the space between its parts, and nothing else of it changed; null for any other text. */
export function compact(text: string): string | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return text.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, (_, string: string | undefined) => string ?? "");
}

/** A profile is too long to be read beside other options. */
const shown = (option: string): string =>
  option.startsWith("seccomp={") ? `seccomp=(profile ${sha256(option).slice(0, 12)})` : option;

export const securityOptions: Row = single<readonly string[]>({
  key: "securityOptions",
  covers: ["security_opt"],
  declared: optionsOf,
  seen: (container) => container.securityOptions,
  otherwise: () => [],
  same: (declared, seen, container, { kind }) => {
    // Neither Podman nor a privileged container tells it.
    const told = (option: string) => option !== UNMASKED || (kind === "docker" && !container.privileged);
    const [one, other] = [declared, seen].map((options) => options.map(plain).filter(told)) as [
      string[],
      string[],
    ];
    const own = ownOptions(container, kind);
    return sameSet(one, other) || sameSet(one, other.filter((option) => !own.includes(option)));
  },
  show: (options) => options.map(shown).join(", ") || "(none)",
  ask: (asked, options) => asked.securityOptions = options,
});

/** Tells whether an image that an engine has is one for a platform, as containerd compares them. */

import type { Engine } from "../calls/engine.ts";
import { at, SlashedName } from "../calls/path.ts";
import { objectOf, textOf } from "../calls/wire.ts";

/** A platform in its plain form; null for a part that is not said. */
interface Platform {
  readonly os: string | null;
  readonly architecture: string | null;
  readonly variant: string | null;
}

const SYSTEMS = new Set(
  ("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris windows " +
    "zos").split(" "),
);

/** Reads `linux/arm/v7`, or the system or the processor alone. */
function readPlatform(text: string): Platform {
  const [first = "", second, variant = ""] = text.toLowerCase().replace(/\([^)]*\)/, "").split("/");
  const os = first === "macos" ? "darwin" : first;
  if (second !== undefined) return { os, ...processor(second, variant) };
  return SYSTEMS.has(os)
    ? { os, architecture: null, variant: null }
    : { os: "linux", ...processor(first, "") };
}

function processor(name: string, said: string): Pick<Platform, "architecture" | "variant"> {
  const variant = said === "" ? null : `v${said.replace(/^v/, "").replace(/\.0$/, "")}`;
  if (["x86_64", "x86-64", "amd64"].includes(name)) {
    return { architecture: "amd64", variant: variant ?? "v1" };
  }
  if (["aarch64", "arm64"].includes(name)) return { architecture: "arm64", variant: variant ?? "v8" };
  if (name === "armhf") return { architecture: "arm", variant: "v7" };
  if (name === "armel") return { architecture: "arm", variant: "v6" };
  return { architecture: name === "i386" ? "386" : name, variant };
}

/** Null where the engine does not tell the image's platform. A variant that is not asked for may be any. */
export function isForPlatform(image: unknown, asked: string): boolean | null {
  const { Os, Architecture, Variant } = objectOf(image);
  const architecture = textOf(Architecture);
  if (architecture === "") return null;
  const actual = { os: textOf(Os).toLowerCase(), ...processor(architecture.toLowerCase(), textOf(Variant)) };
  const wanted = readPlatform(asked);
  return (wanted.os === null || actual.os === "" || wanted.os === actual.os) &&
    (wanted.architecture === null || wanted.architecture === actual.architecture) &&
    (wanted.variant === null || actual.variant === null || isAtMost(actual.variant, wanted.variant));
}

/** Engines take an image for a lower variant of the processor, which runs it too. */
function isAtMost(actual: string, wanted: string): boolean {
  const [own, most] = [VERSION.exec(actual), VERSION.exec(wanted)];
  if (own === null || most === null) return actual === wanted;
  const [difference, minor] = [1, 2].map((part) => Number(own[part] ?? 0) - Number(most[part] ?? 0));
  return (difference || minor)! <= 0;
}

const VERSION = /^v(\d+)(?:\.(\d+))?$/;

/** Null where the engine does not tell the platform of an image, or has no such image. */
export async function isImageFor(engine: Engine, name: string, platform: string): Promise<boolean | null> {
  const subject = { doing: `inspect image "${name}"`, missing: "image_not_found" } as const;
  const path = at`/images/${new SlashedName(name)}/json`;
  const isFor = isForPlatform(await engine.get(path, subject).catch(() => null), platform);
  const { os, architecture, variant } = readPlatform(platform);
  if (isFor !== false || architecture === null) return isFor;
  // Engines with containerd's store keep several platforms under one name, and show their own.
  const query = { platform: JSON.stringify({ os, architecture, ...(variant !== null && { variant }) }) };
  const other = await engine.get(path, { ...subject, query }).catch(() => null);
  return isForPlatform(other, platform) === true;
}

/** Differences between a container that Compose made and one that berth made which are meant, and why. */

import { COMPOSE } from "../../support/compose_version.ts";

interface Agreed {
  readonly why: string;
  readonly path: RegExp;
  /** The forms and the versions of Compose that it is about; all where nothing is said. */
  readonly lines?: RegExp;
  readonly version?: string;
}

const AGREED: readonly Agreed[] = [
  {
    why: "berth names the engine's id of the image, Compose the digest of its own store",
    path: /^Config\.Labels\.com\.docker\.compose\.image$/,
  },
  {
    why: "whether the client that made it was attached: the engine does nothing by it afterwards",
    path: /^Config\.Attach(?:Stdout|Stderr)$/,
  },
  {
    why: "the form in which mounts are sent: the engine's own list of mounts is compared",
    path: /^HostConfig\.(?:Binds|Mounts)$/,
  },
  {
    why: 'Compose loses the ":ro" of volumes_from, which gives more rights than the file',
    path: /^HostConfig\.VolumesFrom$/,
  },
  {
    why: "the engine repeats an address that it was asked for in one place or in two",
    path: /^NetworkSettings\.Networks\.[^.]+\.(?:MacAddress|IPv6Gateway)$/,
  },
  {
    why: "labels of Compose that tell how it was started, and not what it made",
    path: /^Config\.Labels\.com\.docker\.compose\.(?:project\.environment_file|replace)$/,
  },
  {
    why: "Compose 5 keeps the sign of the number -0",
    path: /^Config\.(?:Env|Labels\.com\.docker\.compose\.config-hash)$/,
    lines: /E: -0/,
    version: "5.",
  },
  {
    why: "Compose 5 leaves the address to the network alone, where an older engine takes it from neither",
    path: /^Config\.MacAddress$/,
    version: "5.",
  },
];

export const isAgreed = (at: string, written: string): boolean =>
  AGREED.some(({ path, lines, version }) =>
    path.test(at) && (lines?.test(written) ?? true) && COMPOSE.startsWith(version ?? "")
  );

/** Forms that Compose takes and berth blocks, and why. */
export const REFUSED: readonly { readonly why: string; readonly message: RegExp }[] = [
  {
    why: "the engine of the test is too old, which Compose leaves out without a word",
    message: /cannot be asked of the engine/,
  },
  {
    why: "Compose takes a size with an exponent for none, without a word",
    message: /e\+?\d+" is not a size/,
  },
];

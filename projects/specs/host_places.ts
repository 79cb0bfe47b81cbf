/** The places of the host's paths as a group sees them: its own folder, its workspace, or beyond. */

import type { Group, Model } from "../../artifacts/artifact.ts";
import { isBelow, pathBelow } from "../../artifacts/files/inside.ts";
import { pinned } from "../../artifacts/files/pinned.ts";
import { followed } from "../../artifacts/files/real_folder.ts";
import { isInGroup } from "../../artifacts/graph/own_folder.ts";
import type { HostPlace } from "../../core/spec_rows.ts";

/** A source with its links followed. */
export interface Placed {
  readonly place: HostPlace;
  readonly path: string;
  /** Device and inode at that moment; null for a path that does not exist or that berth may not open. */
  readonly identity: string | null;
  /** True if a container has something mounted below it, which a writer of this folder can exchange by a link. */
  readonly isAboveMount: boolean;
}

/** Paths that containers have mounted. */
interface MountedPaths {
  /** Folders that containers may write to, with their links followed. */
  readonly writable: readonly string[];
  readonly mounted: readonly string[];
}

/** Places as they are now; links are followed on the disk. */
export class HostPlaces {
  constructor(
    private readonly model: Model,
    private readonly group: Group,
    private readonly paths: MountedPaths,
  ) {}

  async placeOf(source: string): Promise<Placed> {
    const pin = pinned(source);
    const path = pin?.path ?? await followed(source);
    const identity = pin?.identity ?? null;
    if (path === null) return { place: "outside", path: source, identity, isAboveMount: false };
    const isAboveMount = this.paths.mounted.some((one) => isBelow(one, path));
    return { place: await this.#place(path), path, identity, isAboveMount };
  }

  async #place(path: string): Promise<HostPlace> {
    const below = pathBelow(this.model.root, path);
    if (below === null) return "outside";
    if (await isSpecial(path)) return "special";
    // A program that writes to a folder above it can exchange it by a link after this look.
    if (this.paths.writable.some((folder) => isBelow(path, folder))) return "shared";
    return isInGroup(this.model, this.group, below) ? "own" : "workspace";
  }
}

async function isSpecial(path: string): Promise<boolean> {
  try {
    const { isFile, isDirectory } = await Deno.stat(path);
    return !isFile && !isDirectory;
  } catch {
    return false; // it does not exist yet
  }
}

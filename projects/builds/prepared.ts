/** A build right before it is sent: its context as it lies on the disk now, with all links followed. */

import type { Group, Model } from "../../artifacts/artifact.ts";
import { pathBelow } from "../../artifacts/files/inside.ts";
import { followed } from "../../artifacts/files/real_folder.ts";
import { SafeReader } from "../../artifacts/files/safe_reader.ts";
import { TreeRefusal } from "../../artifacts/files/tree.ts";
import { isInGroup } from "../../artifacts/graph/own_folder.ts";
import type { BuildSpec } from "../../core/engine_acts.ts";
import { ServiceError } from "../../core/error.ts";
import type { HostPlace } from "../../core/spec_rows.ts";
import type { Declared } from "../fields/field.ts";
import { buildOf, INLINE } from "./build_spec.ts";
import { type Context, contextOf, type ContextPlace } from "./context.ts";

/** How files of the workspace are read. */
export interface Reading {
  readonly allowHardLinks: boolean;
  readonly hidden: readonly string[];
}

export interface PreparedBuild {
  readonly spec: BuildSpec;
  readonly context: Context;
  /** The place of the folder that is sent. */
  readonly place: HostPlace;
}

/** Throws `apply_failed` with what is in the way. */
export async function prepareBuild(of: Declared, reading: Reading, version: string): Promise<PreparedBuild> {
  const { model, group } = of;
  const build = buildOf(of);
  const refuse = (why: string, cause?: unknown) => {
    const [name] = build !== null && "spec" in build ? build.spec.tags : [of.unit.id];
    return new ServiceError("apply_failed", `Cannot build "${name}": ${why}`, { cause });
  };
  if (build === null) throw refuse("the files no longer say how; ask for a new plan");
  if ("refused" in build) throw refuse(build.refused);
  const path = await followed(full(model, build.context));
  const below = path === null ? null : pathBelow(model.root, path);
  if (path === null || below === null) throw refuse("a link leads its context out of the workspace");
  const labels = { ...build.spec.labels, "com.docker.compose.version": version };
  try {
    const place: ContextPlace = { root: model.root, path, ...reading };
    const dockerfile = build.inline === null
      ? await dockerfileOf(build.dockerfile!, below, place) // one of the two is there
      : { path: INLINE, text: build.inline, from: null };
    return {
      spec: { ...build.spec, labels, dockerfile: dockerfile.path },
      context: await contextOf(place, dockerfile),
      // A Dockerfile that is read elsewhere becomes a part of what is sent.
      place: isInGroup(model, group, dockerfile.from ?? below) ? placeOf(model, group, below) : "workspace",
    };
  } catch (error) {
    if (error instanceof TreeRefusal) throw refuse(`in its context, ${error.message}`, error);
    throw error;
  }
}

export const placeOf = (model: Model, group: Group, path: string): HostPlace =>
  isInGroup(model, group, path) ? "own" : "workspace";

/** Returns the path of the Dockerfile in the context, and its text where it lies elsewhere in the workspace. */
async function dockerfileOf(path: string, context: string, place: ContextPlace) {
  const reader = new SafeReader(place.root, undefined, place.hidden, place.allowHardLinks);
  for (const one of [path, path.replace(/(^|\/)Dockerfile$/, "$1Containerfile")]) {
    const read = await reader.read(one);
    if (!("code" in read)) {
      const from = read.leadsTo ?? one;
      if (context === "") return { path: one, from };
      return one.startsWith(`${context}/`)
        ? { path: one.slice(context.length + 1), from }
        : { path: INLINE, text: read.text, from };
    }
    if (read.code !== "missing") throw new TreeRefusal(`"${one}" cannot be read: ${read.why}`);
  }
  throw new TreeRefusal(`"${path}" is gone`);
}

const full = ({ root }: Model, path: string): string =>
  path === "" ? root : `${root === "/" ? "" : root}/${path}`;

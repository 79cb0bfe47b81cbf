/** Paths of a workspace here and on an engine, as the setting `paths` of berth.yaml maps them. */

import type { HostFolder } from "../../core/runtime.ts";
import { withoutEnd } from "../../core/without_end.ts";
import type { Model } from "../artifact.ts";
import { isInside, pathBelow } from "../files/inside.ts";

/** A path of a label with the path settings applied. */
export function mapped(model: Model, path: string): string {
  for (const { from, to } of model.settings.paths) {
    const prefix = withoutEnd(from, "/");
    if (path === prefix) return to;
    if (path.startsWith(`${prefix}/`)) return withoutEnd(to, "/") + path.slice(prefix.length);
  }
  return path;
}

/** A path of this machine as the engine's, by the same settings: the longest folder decides. */
export function onEngine(model: Model, path: string): string {
  let found = { length: 0, path };
  for (const { from, to } of model.settings.paths) {
    const prefix = withoutEnd(to, "/");
    if (prefix.length < found.length || (path !== prefix && !path.startsWith(`${prefix}/`))) continue;
    found = { length: prefix.length, path: withoutEnd(from, "/") + path.slice(prefix.length) };
  }
  return found.path;
}

/** Returns the path that the engine is asked to mount: what lies in the workspace may have another path there. */
export const sentFor = (model: Model, path: string): string =>
  isInside(path, model.root) ? onEngine(model, path) : path;

/** Returns each path of this machine for which the engine's would be sent; the engine's own one if there is none. */
export function sentAs(model: Model, source: string): readonly string[] {
  const candidates = model.settings.paths.flatMap(({ from, to }) => {
    const below = pathBelow(withoutEnd(from, "/"), source);
    return below === null ? [] : [below === "" ? to : `${withoutEnd(to, "/")}/${below}`];
  });
  // Files choose the settings: a folder of the workspace itself stays one, whatever they say of its path.
  const here = [source, ...candidates].filter((path) =>
    isInside(path, model.root) && (path === source || sentFor(model, path) === source)
  );
  return here.length === 0 ? [source] : [...new Set(here)];
}

/** The workspace's folder, here and on the engine. */
export const rootOf = (model: Model): HostFolder => ({
  here: model.root,
  there: onEngine(model, model.root),
});

/** Collects the names of images, volumes, networks and containers that registered folders declare. */
import type { Group, Model } from "../../artifacts/artifact.ts";
import { textOf } from "../../artifacts/yaml/values.ts";
import type { DeclaredObjects } from "../../core/declared_objects.ts";
import { mountedImages } from "../fields/mount_sources.ts";
import { fullImage, imageNames } from "../fields/process.ts";

/** Names of one kind; after an unknown one any name may be among them. */
class Names {
  readonly #known = new Set<string>();
  #isWhole = true;

  add(name: string | null): void {
    if (name === null) this.#isWhole = false;
    else this.#known.add(name);
  }

  mayHave(name: string): boolean {
    return !this.#isWhole || this.#known.has(name);
  }
}

/**
 * Counts every project, also one of another Compose file beside the main one, and services of each profile: what is
 * written may be wanted again. `unread` is the number of folders without a model.
 */
export function declaredObjects(models: readonly Model[], unread: number): DeclaredObjects {
  const names = { image: new Names(), volume: new Names(), network: new Names(), container: new Names() };
  const all = Object.values(names);
  let unclear = unread + models.filter(({ complete }) => !complete).length;
  if (unclear > 0) all.forEach((one) => one.add(null));
  for (const model of models) {
    for (const { container } of model.units) if (container !== null) names.container.add(container);
    for (const group of model.groups) {
      const found = namesOf(model, group);
      if (group.incomplete) all.forEach((one) => one.add(null));
      for (const [kind, name] of found) names[kind].add(name);
      if (group.incomplete || found.some(([, name]) => name === null)) unclear++;
    }
  }
  return {
    image: (tags) => tags.some((name) => names.image.mayHave(fullImage(name))),
    volume: (name) => names.volume.mayHave(name),
    network: (name) => names.network.mayHave(name),
    container: (name) => names.container.mayHave(name),
    unclear,
  };
}

type Named = readonly [kind: "image" | "volume" | "network", name: string | null];

function namesOf(model: Model, group: Group): Named[] {
  const images = group.units.flatMap((unit): Named[] => {
    const { service } = unit;
    if (service === null) return [];
    const mounted = mountedImages(service).map(({ name }): Named => ["image", fullImage(name)]);
    if (service.imageAt !== null && textOf(service.imageAt) === null) return [["image", null], ...mounted];
    const own = imageNames({ model, group, unit, service }).map((name): Named => ["image", fullImage(name)]);
    return [...own, ...mounted];
  });
  const resources = group.resources.flatMap(({ kind, name }): Named[] =>
    kind === "volume" || kind === "network" ? [[kind, name]] : []
  );
  return [...images, ...resources];
}

/** What a plan was worked out from, as two digests: so that it can be refused when anything moved. */

import type { Group, Node } from "../../artifacts/artifact.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { fullImage } from "../fields/process.ts";
import type { Scene } from "./scene.ts";

/** The merged and interpolated files of the group, and the files that its units read. */
export function declaredDigest(group: Group): string {
  const read = group.units.flatMap((unit) =>
    unit.paths.map(({ kind, path, found, file }) => [unit.id, kind, path, found, file?.hash ?? null])
  );
  const value = group.value === null ? null : plain(group.value);
  return `sha256:${sha256(JSON.stringify([group.project, group.profiles, value, read]))}`;
}

function plain(node: Node): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plain);
  return [...node.entries].map(([key, { value }]) => [key, plain(value)]);
}

/** Which containers, networks, volumes and images were seen. Health and times are left out: they move by themselves. */
export function observedDigest({ backend, members, orphans, holdings, group }: Scene): string {
  const containers = [...[...members.values()].flat().map(({ container }) => container), ...orphans];
  const names = new Set(group.resources.map(({ name }) => name));
  const images = new Set(containers.map(({ image }) => fullImage(image)));
  for (const { service } of group.units) if (service?.image) images.add(fullImage(service.image));
  const here = <T extends { readonly backend: string }>(list: readonly T[]) =>
    list.filter((one) => one.backend === backend.name);
  const seen = {
    containers: containers.map(({ id, name, state, imageId, labels }) => [
      id,
      name,
      state === "running",
      imageId,
      Object.entries(labels).sort(),
    ]),
    networks: here(holdings.networks).filter(({ name }) => names.has(name)).map(({ name, id }) => [name, id]),
    volumes: here(holdings.volumes).filter(({ name }) => names.has(name)).map(({ name }) => name),
    images: here(holdings.images).filter(({ name }) => images.has(fullImage(name)))
      .map(({ name, id }) => [fullImage(name), id]),
  };
  const sorted = Object.values(seen).map((list) => list.map((one) => JSON.stringify(one)).sort());
  return `sha256:${sha256(JSON.stringify([backend.name, sorted]))}`;
}

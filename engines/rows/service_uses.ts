/** The objects of a node that a service's definition names, as the engine writes it. */
import type { ServiceUses } from "../../core/running_services.ts";
import { listOf, objectOf, textOf } from "../calls/wire.ts";

/** Returns no image and no volumes for a definition that is not there. */
export function serviceUses(spec: unknown): ServiceUses {
  const { Image, Mounts } = objectOf(objectOf(objectOf(spec).TaskTemplate).ContainerSpec);
  const volumes = listOf(Mounts).map(objectOf).filter(({ Type }) => Type === "volume");
  return { image: textOf(Image), volumes: volumes.map(({ Source }) => textOf(Source)) };
}

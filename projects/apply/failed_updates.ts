/** The images of an apply whose containers went back to the old ones. */
import type { HeldImage } from "../../core/held_objects.ts";
import { nameOf, readReference, textOfReference } from "../../core/image_reference.ts";
import type { Holdings } from "../../core/runtime.ts";
import type { Step } from "../plan/plan_shape.ts";
import type { StepProgress } from "./journal.ts";

/** An image that a unit did not run with, by its digest or as the files name it. */
export interface FailedDigest {
  /** The unit's id. */
  readonly unit: string;
  readonly digest: string;
}

type Progress = ReadonlyMap<number, Pick<StepProgress, "state">>;

/** Returns the images whose containers were made and did not start or stay healthy. */
export function failedUpdates(steps: readonly Step[], progress: Progress): FailedDigest[] {
  return [...failedPulls(steps, progress), ...failedNames(steps, progress)];
}

/** Tells a new image from a change of the file, to which a failure may be due. */
const isOfImage = (reason: Step["why"][number]): boolean =>
  reason.code === "newerImage" || (reason.code === "field" && reason.field === "image");

/** Returns the digests that an update pulled. */
function failedPulls(steps: readonly Step[], progress: Progress): FailedDigest[] {
  return steps.flatMap(({ n, digest }) => {
    if (digest === undefined || progress.get(n)?.state !== "done") return [];
    // A swap that is certain has no condition: another project pulled the image before.
    return steps.flatMap((
      { n: swap, kind, unit, after, why, ifChanged = why.every(isOfImage) ? after : [] },
    ) =>
      kind === "container.swap" && unit !== null && ifChanged.includes(n) &&
        progress.get(swap)?.state === "failed"
        ? [{ unit, digest }]
        : []
    );
  });
}

/** Returns the images that the files name in place of those that ran. */
function failedNames(steps: readonly Step[], progress: Progress): FailedDigest[] {
  return steps.flatMap(({ n, kind, unit, why }) => {
    if (kind !== "container.swap" || unit === null || progress.get(n)?.state !== "failed") return [];
    return why.flatMap((reason) => {
      const read = reason.code === "field" && reason.field === "image"
        ? readReference(reason.resolved ?? reason.declared)
        : null;
      return read === null ? [] : [{ unit, digest: textOfReference(read) }];
    });
  });
}

/** Returns the failures, those by name also by digest: the name may stand for another image later, or elsewhere. */
export function alsoByDigest<Failed extends FailedDigest>(
  failed: readonly Failed[],
  engine: string,
  named: Holdings["images"],
  images: readonly HeldImage[],
): Failed[] {
  return failed.flatMap((one) => {
    const ids = named.filter(({ name, backend }) => backend === engine && fullName(name) === one.digest)
      .map(({ id }) => id);
    const name = one.digest.slice(0, one.digest.lastIndexOf(":"));
    const digests = images.filter(({ id }) => ids.includes(id)).flatMap(({ digests }) => digests)
      .map(readReference)
      .flatMap((read) => read !== null && read.digest !== null && nameOf(read) === name ? [read.digest] : []);
    return [one, ...new Set(digests)].map((digest) =>
      typeof digest === "string" ? { ...one, digest } : digest
    );
  });
}

function fullName(name: string): string | null {
  const read = readReference(name);
  return read === null ? null : textOfReference(read);
}

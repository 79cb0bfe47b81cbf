/** Pulls an image and reports progress; succeeds only if the engine has the image afterwards. */
import { withoutEnd } from "../../../core/without_end.ts";
import * as z from "../../../core/schema.ts";
import { ServiceError } from "../../../core/error.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { Cutoff } from "../../../engines/calls/cutoff.ts";
import { clean, EngineAnswer, said, withoutOthers } from "../../../engines/calls/failure.ts";
import { TextLines } from "../../../engines/calls/text_lines.ts";
import { at, SlashedName } from "../../../engines/calls/path.ts";
import { numberOf, objectOf, parseJson, textOf, textOrNull, textsOf } from "../../../engines/calls/wire.ts";
import type { RegistryLogin } from "../../../core/engine_acts.ts";
import { registryAuth } from "../../../engines/calls/registry_auth.ts";
import { nameOf, type Reference, textOfReference, versionOf } from "../../../core/image_reference.ts";
import { CutShort } from "../../../core/cut_short.ts";
import { parseReference } from "./reference.ts";
import { imageIdOf } from "../../../engines/rows/container.ts";
import { engineError, type EngineErrorCode } from "../../../engines/calls/errors.ts";

export const PullProgress = z.object({
  layer: z.string().nullable().describe("The layer this is about"),
  status: z.string().describe("The progress in the engine's words"),
  current: z.int().nullable().describe("Bytes so far"),
  total: z.int().nullable().describe("Bytes in all"),
}).meta({ id: "PullProgress" });
export type PullProgress = z.infer<typeof PullProgress>;

export const PullResult = z.object({
  id: z.string().describe("The image's id"),
  reference: z.string().describe("In full: registry, repository, and tag or digest"),
  digest: z.string().nullable().describe("The digest that the registry has it under"),
  changed: z.boolean().describe("True if the name means another image than before"),
  backend: z.string().describe("The engine it is on, by name"),
}).meta({ id: "PullResult" });
export type PullResult = z.infer<typeof PullResult>;

/** A pull without any progress for this long has failed. */
const SILENCE_MS = 120_000;

interface Pull {
  readonly reference: Reference;
  readonly platform?: string | undefined;
  readonly credentials?: RegistryLogin | undefined;
  /** Aborting it ends the engine's pull as well. */
  readonly signal: AbortSignal;
  readonly progress: (frame: PullProgress) => void;
  readonly silenceMs?: number;
}

/**
 * Throws `image_not_found` if the registry has no such image, `pull_refused` if it wants other credentials, and
 * `pull_failed` for the rest, with the engine's own words in the message.
 */
export async function pull(engine: Engine, wanted: Pull): Promise<PullResult> {
  const before = await look(engine, wanted);
  const told = await follow(engine, wanted);
  const after = await look(engine, wanted);
  if (after === null) throw failed(wanted, "the engine does not have it, although it reported no error");
  return {
    id: after.id,
    reference: textOfReference(wanted.reference),
    digest: wanted.reference.digest ?? told ?? after.digest,
    changed: before?.id !== after.id,
    backend: engine.name,
  };
}

async function look(engine: Engine, { reference, signal }: Pull) {
  try {
    const answer = objectOf(
      await engine.get(at`/images/${new SlashedName(textOfReference(reference))}/json`, {
        doing: `inspect image "${textOfReference(reference)}"`,
        missing: "image_not_found",
        signal,
      }),
    );
    const digests = textsOf(answer.RepoDigests).filter((one) => isOf(one, reference));
    // Podman lists all digests under each name, so one of several cannot be chosen.
    const [digest = null] = digests.length === 1 ? digests.map((one) => one.slice(one.indexOf("@") + 1)) : [];
    return { id: imageIdOf(textOf(answer.Id)), digest };
  } catch (error) {
    if (error instanceof ServiceError && error.code === "image_not_found") return null;
    throw error;
  }
}

/** Returns true if `busybox@sha256:…`, as an engine shortens it, is of this name. */
function isOf(digested: string, reference: Reference): boolean {
  try {
    return nameOf(parseReference(digested)) === nameOf(reference);
  } catch {
    return false;
  }
}

/** Reads the engine's progress to a clean end. Returns the digest, if the engine named one. */
async function follow(engine: Engine, wanted: Pull): Promise<string | null> {
  const { reference, platform, credentials, progress, silenceMs = SILENCE_MS } = wanted;
  using ending = new Cutoff([wanted.signal]);
  ending.expire(silenceMs);
  let digest: string | null = null;
  const take = (line: string) => {
    const frame = objectOf(parseJson(line));
    const refused = textOf(objectOf(frame.errorDetail).message) || textOf(frame.error);
    if (refused !== "") throw failed(wanted, refused);
    const status = clean(textOf(frame.status)).slice(0, 200);
    if (status === "") return;
    digest = /^Digest: (sha256:[0-9a-f]{64})$/.exec(status)?.[1] ?? digest;
    progress(progressOf(frame, status, versionOf(reference)));
  };
  const subject = {
    doing: `pull "${textOfReference(reference)}"`,
    missing: "image_not_found",
  } as const;
  try {
    await using stream = await engine.stream("POST", at`/images/create`, {
      ...subject,
      query: { fromImage: nameOf(reference), tag: versionOf(reference), platform },
      headers: credentials === undefined
        ? {}
        : { "x-registry-auth": registryAuth(credentials, reference.registry) },
      firstByteMs: silenceMs,
      signal: ending.signal,
    });
    const lines = new TextLines();
    for await (const chunk of stream.body) {
      ending.expire(silenceMs);
      for (const line of lines.push(chunk)) take(line);
    }
    // An aborted stream looks like a complete one.
    if (ending.signal.aborted) throw ending.signal.reason;
    for (const line of lines.push(NEWLINE)) take(line); // the last line may be an error without a newline
    return digest;
  } catch (error) {
    if (ending.signal.aborted) throw ending.failure(engine.name, ending.signal.reason, subject);
    if (!(error instanceof ServiceError)) {
      throw failed(wanted, "the engine's answer was cut short", new CutShort(error));
    }
    if (error.cause instanceof EngineAnswer && error.cause.words !== "") {
      throw failed(wanted, error.cause.words, error);
    }
    throw error;
  }
}

const NEWLINE = new TextEncoder().encode("\n");

function progressOf(frame: Readonly<Record<string, unknown>>, status: string, tag: string): PullProgress {
  const detail = objectOf(frame.progressDetail);
  const id = clean(textOf(frame.id)).slice(0, 128);
  const total = numberOf(detail.total, -1);
  const current = numberOf(detail.current, -1);
  return {
    // Docker puts the tag there when a pull begins.
    layer: id === tag ? null : textOrNull(id),
    status,
    current: current < 0 ? null : Math.trunc(current),
    total: total < 0 ? null : Math.trunc(total),
  };
}

/** Registries refuse in words only, and each engine and registry has its own. */
function failed(wanted: Pull, words: string, cause?: unknown): ServiceError {
  const why = withoutEnd(said(words).replaceAll('"', "'"), ". ");
  const name = textOfReference(wanted.reference);
  return engineError(codeOf(why), `Cannot pull "${name}": ${why}`, {
    cause,
    discreet: `Cannot pull "${name}": ${withoutOthers(why, name)}`,
  });
}

function codeOf(words: string): EngineErrorCode {
  if (/unauthori[sz]ed|authentication required|access denied|no basic auth|denied:|forbidden/i.test(words)) {
    return "pull_refused";
  }
  if (/manifest unknown|name unknown|not found|no such image|no match for platform/i.test(words)) {
    return "image_not_found";
  }
  return "pull_failed";
}

/** Removes an image, a volume or a network, also where the engine's answer is lost on its way. */
import type { EngineCall } from "../../../engines/calls/call.ts";
import { isGone, sentOrShown } from "../../../engines/calls/lost_answer.ts";
import type { EnginePath } from "../../../engines/calls/path.ts";
import type { Link } from "../../../engines/links/link.ts";
import type { ListedKind } from "./cached_list.ts";

/** The milliseconds that an engine may take to begin its answer. */
const FIRST_BYTE_MS = 60_000;

interface Removal extends Pick<EngineCall, "doing" | "query"> {
  readonly path: EnginePath;
  /** The path that shows the object, where that is another one. */
  readonly shownAt?: EnginePath;
  readonly missing: NonNullable<EngineCall["missing"]>;
}

export async function removeObject(
  { engine, mirror }: Link,
  kind: ListedKind,
  removal: Removal,
): Promise<void> {
  const { path, shownAt = path, missing, ...call } = removal;
  const looking = { doing: call.doing, missing } as const;
  try {
    await sentOrShown<unknown>(
      () => engine.delete(path, { ...call, missing, firstByteMs: FIRST_BYTE_MS }),
      async () => await isGone(engine.get(shownAt, looking), missing) || null,
    );
  } finally {
    mirror[kind].touch();
  }
}

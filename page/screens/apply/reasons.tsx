/** The reasons of a step: differences beside the author's line, or the step that it follows from. */
import type { PlanReason } from "../../../client/berth/models.ts";
import { startOf } from "../../live/overview.ts";
import { StaleMount } from "../../parts/stale_mount.tsx";
import { Facing } from "../../parts/facing.tsx";
import { Place } from "../../parts/place.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.applies;

export function Reasons(
  { why, workspace, project, isPast = false }: {
    readonly why: readonly PlanReason[];
    readonly workspace: string;
    /** For callers who have the project alone in scope. */
    readonly project?: string;
    /** True after the step: the actual value is the one of before. */
    readonly isPast?: boolean;
  },
) {
  const placeOf = (at: Parameters<typeof startOf>[0]) => (
    <Place place={startOf(at)} workspace={workspace} {...(project !== undefined && { project })} />
  );
  return (
    <>
      {why.map((reason, index) =>
        reason.code === "field"
          ? (
            <Facing key={index} {...valuesOf(reason)} isPast={isPast}>
              {placeOf(reason.at)}
            </Facing>
          )
          : reason.code === "staleMount"
          ? (
            <StaleMount key={index} field={reason.field} mount={reason.mount}>
              {placeOf(reason.at)}
            </StaleMount>
          )
          : reason.code === "hook"
          ? (
            <p class="hint" key={index}>
              {TEXT.hook} {placeOf(reason.at)}
            </p>
          )
          : <p class="hint" key={index}>{textOf(reason)}</p>
      )}
    </>
  );
}

function valuesOf({ field, declared, resolved, from, seen }: Extract<PlanReason, { code: "field" }>) {
  return {
    field,
    declared,
    actual: seen,
    ...(resolved !== undefined && { resolved }),
    ...(from !== undefined && { from }),
  };
}

const textOf = (reason: Exclude<PlanReason, { code: "field" | "staleMount" | "hook" }>): string =>
  reason.code === "followsFrom" ? TEXT.follows(reason.step, reason.how) : TEXT.codes[reason.code];

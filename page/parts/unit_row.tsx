/** A unit in a list: its verdict, the reason, its differences, and the ways to its containers. */
import type { ComponentChildren } from "preact";
import type { SeenContainer, Unit } from "../live/overview.ts";
import { projectHref } from "../live/projects.ts";
import { may } from "../live/session.ts";
import { SIGN_OF } from "../verdict.ts";
import { words } from "../words/en_later.ts";
import { containerHref } from "./container_href.ts";
import { Facing } from "./facing.tsx";
import { Place } from "./place.tsx";
import { shown } from "./shown.ts";
import { Sign } from "./sign.tsx";

export function UnitRow(
  { unit, project, isOpen = false, children }: {
    readonly unit: Unit;
    /** The project's id. */
    readonly project: string;
    /** True if the author's lines are shown, too: the name then closes them. */
    readonly isOpen?: boolean;
    /** More about it, below its differences. */
    readonly children?: ComponentChildren;
  },
) {
  const container = unit.containers[0];
  const detail = detailOf(unit);
  const href = `${projectHref(project)}${isOpen ? "" : `?unit=${encodeURIComponent(unit.name)}`}`;
  const place = may("workspaces:read") ? { project } : {};
  return (
    <li class={`finding is-${unit.verdict} ${unit.differences.length > 0 ? "has-differences" : ""}`}>
      <div class="finding-head">
        <Sign verdict={unit.verdict} />
        <a class="finding-name" href={href}>{shown(serviceOf(unit.name))}</a>
        <span class="finding-word">{whyOf(unit)}</span>
        <span class="finding-end">
          {container !== undefined && <Ways container={container} />}
        </span>
      </div>
      <div class="finding-rest">
        {unit.differences.map((one) => (
          <Facing key={`${one.field} ${one.container}`} {...one}>
            <Place place={one.place} {...place} />
          </Facing>
        ))}
        {unit.differences.length === 0 && <Place place={unit.place} {...place} />}
        {detail !== "" && <span class="finding-detail">{shown(detail)}</span>}
        {unit.containers.map(({ id, healthOutput }) =>
          healthOutput && <span class="finding-detail" key={id}>{shown(healthOutput)}</span>
        )}
        {children}
      </div>
    </li>
  );
}

/** Returns the name of a unit within its project: `web` of `shop.web`. */
export const serviceOf = (name: string): string => name.slice(name.indexOf(".") + 1);

export function Ways({ container }: { readonly container: SeenContainer }) {
  const href = containerHref(container);
  const name = <span class="unseen">{shown(container.name)}</span>;
  return (
    <>
      <a href={href}>{words.overview.log}{name}</a>
      {container.state === "running" && may("containers:exec") && (
        <a href={`${href}?view=shell`}>{words.container.shell}{name}</a>
      )}
    </>
  );
}

/** More than the verdict, where more is known. */
function whyOf({ verdict, containers, desired }: Unit): string {
  if (verdict !== "broken") return words.verdict(verdict);
  const bad = brokenOf(containers);
  if (bad === undefined) {
    return words.unit.degraded(containers.filter(({ state }) => state === "running").length, desired);
  }
  return bad.condition === "failed" ? words.unit.exited(bad.exitCode) : words.unit[bad.condition];
}

/** Returns why a unit is not known or was rolled back, or what the engine says of a broken one: its end, and why. */
function detailOf({ verdict, containers, notCompared, service }: Unit): string {
  const { at, reason } = service?.rolledBack ?? {};
  if (reason !== undefined) return words.unit.rolledBack(at ? words.time(Date.parse(at)) : null, reason);
  if (verdict === "unknown") return notCompared ?? "";
  const bad = verdict === "broken" ? brokenOf(containers) : undefined;
  if (bad === undefined) return "";
  return words.unit.ended(bad.condition === "failed" ? null : bad.exitCode, bad.restartCount, bad.reason);
}

type Broken = SeenContainer & { readonly condition: "restarting" | "unhealthy" | "dead" | "failed" };

function brokenOf(containers: readonly SeenContainer[]): Broken | undefined {
  return containers.find((one): one is Broken => SIGN_OF[one.condition] === "broken");
}

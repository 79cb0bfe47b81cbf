/** The subject of an incident, by the name that people know it by, and its way. */
import type { Incident } from "../../../client/berth/incidents.ts";
import { projectHref } from "../../live/projects.ts";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import type { Verdict } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.incidents;

export function nameOf({ subject, unit, engine, workspace, container }: Incident): string {
  switch (subject) {
    case "unit":
      return (unit ?? "").replace(/^unit:/, "");
    case "container":
      return TEXT.containerOf(container ?? "", engine ?? "");
    case "engine":
      return TEXT.engineOf(engine ?? "");
    case "workspace":
      return TEXT.folderOf(workspace ?? "");
    default:
      return words.name;
  }
}

/** Returns the id of the project; null for another subject. */
export const projectOf = ({ group, workspace }: Incident): string | null =>
  group === null || workspace === null ? null : `${group}@${workspace}`;

/** Returns a text that is the same for incidents of one subject. */
export const subjectOf = ({ subject, workspace, unit, engine, container }: Incident): string =>
  JSON.stringify([subject, workspace, unit, subject === "unit" ? null : engine, container]);

const SIGNS: Readonly<Record<Incident["kind"], Verdict>> = {
  broken: "broken",
  differs: "differs",
  notStarted: "notStarted",
  stopped: "stopped",
  engine: "unknown",
  workspace: "unknown",
  berth: "unknown",
};

/** Returns true where nothing could be recorded. */
export const isGap = ({ cause }: Pick<Incident, "cause">): boolean => cause.kind === "unrecorded";

export const isFirstWatch = ({ cause }: Pick<Incident, "cause">): boolean => cause.kind === "firstWatch";

export const signOf = ({ kind, cause }: Pick<Incident, "kind" | "cause">): Verdict =>
  isFirstWatch({ cause }) ? "completed" : SIGNS[kind];

export const State = ({ of }: { readonly of: Pick<Incident, "kind" | "cause"> }) => (
  <Mark verdict={signOf(of)}>{isGap(of) ? TEXT.unrecorded : TEXT.kinds[of.kind]}</Mark>
);

export function ProjectLink({ of }: { readonly of: Incident }) {
  const project = projectOf(of);
  return project === null ? null : <a class="button" href={projectHref(project)}>{shown(TEXT.project)}</a>;
}

/** The verdicts of containers, as far as they are not their own conditions: from the rows of projects. */
import { computed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Container } from "../../client/berth/containers.ts";
import type { Verdict } from "../verdict.ts";
import { type ProjectList, type Row, useProjects } from "./projects.ts";

/** True for what a container's own state does not say. */
export const isCompared = (verdict: Verdict): boolean => verdict === "differs" || verdict === "undeclared";

/** A container as lists and its own screen have it. */
type Marked = Pick<Container, "name" | "backend" | "compose" | "workspace">;

/** Returns what says how a container stands to its files; null where nothing but its condition is known. */
export function useMarks(): (container: Marked) => Verdict | null {
  const read = useProjects();
  const marks = useMemo(() => computed(() => marksOf(read.value.value)), [read]);
  return marks.value;
}

function marksOf(list: ProjectList | undefined): (container: Marked) => Verdict | null {
  // Without any declaration, nothing is marked as undeclared.
  const declared = list?.items.filter(({ workspace }) => workspace !== null) ?? [];
  if (list === undefined || declared.length === 0) return () => null;
  const rows = new Map<string, Row>(declared.map((row) => [row.id, row]));
  const loose = new Set(
    list.loose.flatMap(({ engine, containers, ignored }) =>
      [...containers, ...ignored].map((name) => `${engine} ${name}`)
    ),
  );
  return ({ name, backend, compose, workspace }) => {
    if (compose === null) {
      if (loose.has(`${backend} ${name}`)) return "undeclared";
      return declared.find((row) => row.engines.includes(backend) && Object.hasOwn(row.marks, name))
        ?.marks[name] ?? null;
    }
    if (workspace === null || workspace.unit === null) return "undeclared";
    const group = workspace.unit.replace(/^unit:/, "").slice(0, -(compose.service.length + 1));
    const marks = rows.get(`${group}@${workspace.id}`)?.marks ?? {};
    return Object.hasOwn(marks, compose.service) ? marks[compose.service]! : null; // it is there
  };
}

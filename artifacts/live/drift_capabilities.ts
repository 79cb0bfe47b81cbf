/** Compares declared capabilities with those of a container, however the engine writes them. */

import type { InspectedContainer } from "../../core/runtime.ts";
import type { Node, Unit } from "../artifact.ts";
import { textOf, valueAt } from "../yaml/values.ts";
import type { Note } from "./engine_view.ts";

/** The default capabilities that all engines agree on. */
const GIVEN = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE"]
  .concat(["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"]);

export function driftInCapabilities(unit: Unit, container: InspectedContainer, note: Note): void {
  const add = declaredIn(unit, "cap_add");
  const drop = declaredIn(unit, "cap_drop");
  const added = plain(container.capAdd);
  const dropped = plain(container.capDrop);
  // Podman writes "drop ALL" as a drop of what is given, without what is added again.
  const isWrittenOut = drop?.includes("ALL") === true && dropped.length > 0 && !dropped.includes("ALL");
  const kept = isWrittenOut ? GIVEN.filter((name) => !dropped.includes(name)) : [];
  compare("capAdd", add, plain([...added, ...kept]), note, valueAt(unit.value, "cap_add"));
  // A whole set cannot be compared by name.
  if (!isWrittenOut) compare("capDrop", drop, dropped, note, valueAt(unit.value, "cap_drop"));
}

function compare(
  field: string,
  declared: string[] | null,
  running: string[],
  note: Note,
  from: Node | null,
): void {
  if (declared === null || declared.join() === running.join()) return;
  if (declared.includes("ALL") && running.length > 0) return;
  note(field, declared.join(", "), running.join(", ") || "(none)", from);
}

/** Null where nothing is declared, or not all of it is known. */
function declaredIn(unit: Unit, key: string): string[] | null {
  const node = valueAt(unit.value, key);
  if (node?.kind !== "list") return null;
  const names = node.items.map(textOf);
  return names.includes(null) ? null : plain(names as string[]); // none is null
}

const plain = (names: readonly string[]): string[] =>
  [...new Set(names.map((name) => name.toUpperCase().replace(/^CAP_/, "")))].sort();

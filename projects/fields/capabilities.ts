/** Capabilities, however the engine writes them. */

import type { InspectedContainer } from "../../core/runtime.ts";
import { type Declared, nodeAt, type Row, single, textsAt, UNKNOWN } from "./field.ts";

/** The default capabilities that all engines agree on. */
const GIVEN = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE"]
  .concat(["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"]);

/** A row of capabilities. The declared ones are compared by their plain names. */
const capabilities = (
  key: "capAdd" | "capDrop",
  compose: "cap_add" | "cap_drop",
  /** As Podman tells them; null for a whole set. */
  written: (container: InspectedContainer, of: Declared) => readonly string[] | null,
): Row =>
  single<readonly string[]>({
    key,
    covers: [compose],
    declared: (of) => {
      const found = textsAt(compose)(of);
      return found === null || found === UNKNOWN
        ? found
        : { ...found, value: plainCapabilities(found.value) };
    },
    seen: (container, { kind }, of) =>
      kind === "podman" ? written(container, of) ?? ["ALL"] : plainCapabilities(container[key]),
    otherwise: () => [],
    same: (declared, running, container, { kind }) =>
      declared.join() === running.join() || (declared.includes("ALL") && running.includes("ALL")) ||
      (kind === "podman" && declared.includes("ALL") && running.length > 0) ||
      (kind === "podman" && running.includes("ALL") && container.privileged),
    show: (names) => names.join(", ") || "(none)",
    ask: (asked, value) => asked[key] = value.map((name) => name === "ALL" ? name : `CAP_${name}`),
  });

/** Podman writes "drop ALL" as a drop of what is given, without what is added again. */
function isWrittenOut({ capDrop }: InspectedContainer, of: Declared): boolean {
  const dropped = plainCapabilities(capDrop);
  return dropped.length > 0 && !dropped.includes("ALL") && dropsAll(of);
}

function dropsAll(of: Declared): boolean {
  const drop = nodeAt(of, "cap_drop") === null ? null : textsAt("cap_drop")(of);
  return drop !== null && drop !== UNKNOWN && plainCapabilities(drop.value).includes("ALL");
}

export const capabilityRows: readonly Row[] = [
  capabilities("capAdd", "cap_add", (container, of) => {
    const dropped = plainCapabilities(container.capDrop);
    const kept = isWrittenOut(container, of) ? GIVEN.filter((name) => !dropped.includes(name)) : [];
    return plainCapabilities([...container.capAdd, ...kept]);
  }),
  // A whole set cannot be compared by name.
  capabilities(
    "capDrop",
    "cap_drop",
    (container, of) => isWrittenOut(container, of) ? null : plainCapabilities(container.capDrop),
  ),
];

export const plainCapabilities = (names: readonly string[]): string[] =>
  [...new Set(names.map((name) => name.toUpperCase().replace(/^CAP_/, "")))].sort();

/** Rules about what a unit can reach on its host, and credentials in plain text. */

import { withoutEnd } from "../../core/without_end.ts";
import type { Place, Unit } from "../artifact.ts";
import { entryOf, shownOf, textOf, truthOf, valueAt, writtenOr } from "../yaml/values.ts";
import type { Say } from "./say.ts";

const NAMESPACES = ["network_mode", "pid", "ipc", "uts", "userns_mode", "cgroup"] as const;

const SENSITIVE = new Set([
  "/",
  "/boot",
  "/dev",
  "/etc",
  "/etc/shadow",
  "/etc/ssh",
  "/home",
  "/lib",
  "/proc",
  "/root",
  "/root/.ssh",
  "/run",
  "/sys",
  "/usr",
  "/var",
  "/var/lib",
  "/var/lib/docker",
  "/var/lib/containers",
  "/var/run",
]);

/** Prefixes that only real credentials have, and key material. Nothing is guessed from the name of a variable. */
const CREDENTIAL =
  /^(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,}|glpat-[\w-]{20,}|xox[abprs]-[\w-]{10,}|sk_live_\w{20,}|sk-[A-Za-z0-9_-]{32,}|AIza[\w-]{35}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+)$|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;

/** Checks the security of one unit. */
export function checkSecurity(unit: Unit, say: Say): void {
  const { service, value, id: subject } = unit;
  if (service === null || value.kind !== "mapping") return;
  const privileged = entryOf(value, "privileged");
  if (privileged !== null && truthOf(privileged.value) === true) {
    say("sec/privileged", privileged.value, `"${unit.label}" runs privileged, with full access to the host`, {
      subject,
    });
  }
  for (const key of NAMESPACES) {
    const node = valueAt(value, key);
    if (textOf(node) !== "host") continue;
    say(
      "sec/host-namespace",
      node,
      `"${unit.label}" shares the host's ${key.replace(/_mode$/, "")} namespace`,
      {
        subject,
      },
    );
  }
  for (const mount of service.mounts) {
    if (mount.type !== "bind" || mount.source === null || mount.unknown) continue;
    checkSource(unit, mount.source, mount.shown.source ?? mount.source, mount.sourceAt, say);
  }
  for (const { at: place, key, value: text } of environmentOf(unit)) {
    if (!CREDENTIAL.test(text)) continue;
    say("sec/inline-secret", place, `"${key}" looks like it holds a credential`, { subject });
  }
}

function checkSource(unit: Unit, source: string, shown: string, place: Place, say: Say): void {
  const path = source.length > 1 ? withoutEnd(source, "/") : source;
  if (/(^|\/)(docker|podman|containerd|crio)\.sock$/.test(path)) {
    say(
      "sec/docker-socket",
      place,
      `"${unit.label}" mounts "${shown}", which gives full control of the engine`,
      {
        subject: unit.id,
      },
    );
  } else if (SENSITIVE.has(path)) {
    say("sec/sensitive-host-path", place, `"${unit.label}" mounts the sensitive host path "${shown}"`, {
      subject: unit.id,
    });
  }
}

/** The values of `environment` as the author wrote them, in either form. */
function* environmentOf(unit: Unit): Iterable<{ at: Place; key: string; value: string }> {
  const environment = valueAt(unit.value, "environment");
  if (environment?.kind === "mapping") {
    for (const [key, { key: name, value }] of environment.entries) {
      const text = value.kind === "scalar" && typeof value.value === "string" ? shownOf(value) : null;
      if (text !== null) yield { at: value, key: writtenOr(name, key), value: text };
    }
  } else if (environment?.kind === "list") {
    for (const item of environment.items) {
      const text = shownOf(item);
      const cut = text === null ? -1 : text.indexOf("=");
      if (cut > 0) yield { at: item, key: text!.slice(0, cut), value: text!.slice(cut + 1) };
    }
  }
}

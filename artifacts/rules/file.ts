/** Rules about files and folders that artifacts name: whether they are there, and what they are. */

import type { Group, PathUse, Unit } from "../artifact.ts";
import type { Say } from "./say.ts";

/** The paths that one group and its units name. */
export function checkPaths(group: Group, say: Say): void {
  const seen = new Set<PathUse>();
  for (const use of group.paths) check(group, null, use);
  for (const unit of group.units) for (const use of unit.paths) check(group, unit, use);

  function check(group: Group, unit: Unit | null, use: PathUse) {
    if (seen.has(use)) return;
    seen.add(use);
    const owner = unit ?? group.units.find((other) => other.id === use.unit) ?? null;
    checkPath(owner?.id ?? group.id, owner, use, say);
  }
}

function checkPath(subject: string, unit: Unit | null, use: PathUse, say: Say): void {
  if (use.kind === "bind") return checkBind(subject, unit, use, say);
  const missing = use.found === "missing";
  const notFile = missing || use.found === "folder";
  const why = missing
    ? "does not exist"
    : `is a ${use.found}, not a ${use.kind === "build_context" ? "folder" : "file"}`;
  const withImage = unit?.service?.image !== null && unit?.service?.image !== undefined;
  const softer = withImage ? { severity: "warning" as const } : {};
  const message = `"${use.written}" ${why}`;
  switch (use.kind) {
    case "env_file":
      if (!notFile || !use.required) return;
      return say("file/env-file-missing", use.at, message, {
        subject,
        ...(use.example && { severity: "warning" as const }),
      });
    case "label_file":
      return notFile ? say("file/label-file-missing", use.at, message, { subject }) : undefined;
    case "secret":
      return missing ? say("file/secret-missing", use.at, message, { subject }) : undefined;
    case "config":
      return missing ? say("file/config-missing", use.at, message, { subject }) : undefined;
    case "build_context":
      if (!missing && use.found !== "file") return;
      return say("file/build-context-missing", use.at, message, { subject, ...softer });
    case "dockerfile":
      return notFile ? say("file/dockerfile-missing", use.at, message, { subject, ...softer }) : undefined;
  }
}

function checkBind(subject: string, unit: Unit | null, use: PathUse, say: Say): void {
  const mount = unit?.service?.mounts.find((mount) =>
    mount.sourceAt.start === use.at.start && mount.sourceAt.file === use.at.file
  );
  const target = mount?.target ?? null;
  const { written } = use;
  if (/^(\/|[A-Za-z]:[\\/])/.test(written)) {
    say("file/absolute-path", use.at, `"${written}" is an absolute path, so it is not portable`, { subject });
  }
  if (use.found === "missing") {
    if (looksLikeFile(written) && (target === null || looksLikeFile(target))) {
      say(
        "file/bind-file-missing",
        use.at,
        `"${written}" does not exist: the engine will create a folder there, owned by root`,
        { subject },
      );
    } else {
      say(
        "file/bind-dir-missing",
        use.at,
        `"${written}" does not exist yet: Compose creates the folder, owned by root`,
        {
          subject,
        },
      );
    }
  }
  if (target === null) return;
  if (use.found === "folder" && looksLikeFile(written) && extension(written) === extension(target)) {
    say("file/type-mismatch", use.at, `"${written}" is a folder but is mounted as a file`, { subject });
  }
}

const extension = (path: string): string | null =>
  /[^/]\.([a-z][a-z0-9]{0,9})$/i.exec(path)?.[1]?.toLowerCase() ?? null;

/** Folders may have dots (`conf.d`, `v1.2`, `.data`), so only an extension of letters counts, and not `.d`. */
function looksLikeFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (["Dockerfile", "Caddyfile", "Makefile", "Corefile"].includes(name)) return true;
  const end = extension(path);
  return end !== null && end !== "d" && end !== "git";
}

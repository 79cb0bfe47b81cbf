/** Rules about a Compose project as a whole: its files, its name, its resources. */

import type { ArtifactFile, Finding, Group, Place, Resource } from "../artifact.ts";
import { projectName } from "../compose/names.ts";
import { entriesOf, entryOf, truthOf, valueAt } from "../yaml/values.ts";
import type { Say } from "./say.ts";

const PROJECT_NAME = /^[a-z0-9][a-z0-9_-]*$/;

/** Checks the files of one group. */
export function checkComposeFile(group: Group, say: Say): void {
  for (const file of group.files) {
    for (const document of file.documents) {
      const version = entryOf(document, "version");
      if (version === null || version.key.file !== file) continue;
      say("compose/version-obsolete", version.key, "`version` is obsolete and ignored; remove it");
    }
  }
  const first = group.files[0];
  if (first === undefined) return;
  for (const resource of group.resources) checkResource(resource, say);
  if (group.standing !== "main") return;
  checkName(group, say);
  // A file that cannot be parsed has its own finding.
  const isBroken = group.incomplete || group.files.some((file) => file.stale || file.findings.some(isSyntax));
  if (group.units.length > 0 || isBroken) return;
  const bare = group.value === null || group.value.entries.size === 0;
  say(
    "compose/no-services",
    startOf(first),
    bare ? "The file is empty" : "The file defines no services",
    { severity: bare ? "error" : "info", subject: group.id },
  );
}

const isSyntax = ({ code }: Finding): boolean => code.startsWith("yaml/") && code !== "yaml/style";

function checkName(group: Group, say: Say): void {
  const { written, by, at: place } = group.projectFrom;
  const subject = group.id;
  const isEmpty = projectName(written) === "";
  if (by === "env" ? !PROJECT_NAME.test(written) : by !== "native" && isEmpty) {
    const what = by === "folder"
      ? `Folder "${written}" gives no project name`
      : by === "env"
      ? "Invalid project name in `COMPOSE_PROJECT_NAME`"
      : `Invalid project name "${written}"`;
    say(
      "compose/name-invalid",
      by === "folder" ? startOf(place.file) : place,
      `${what}: use lower-case letters, digits, "-" and "_", with a letter or digit first`,
      { subject },
    );
  } else if (by !== "env" && by !== "native" && written !== group.project) {
    say(
      "compose/name-normalized",
      by === "folder" ? startOf(place.file) : place,
      `${by === "folder" ? "Folder " : ""}"${written}" gives the project name "${group.project}"`,
      { subject },
    );
  }
  if (by !== "name") {
    say(
      "compose/name-missing",
      startOf(place.file),
      "No `name` is set, so the project is named after its folder",
      {
        subject,
      },
    );
  }
}

function checkResource(resource: Resource, say: Say): void {
  const { kind, key, value, id: subject } = resource;
  const external = entryOf(value, "external");
  const isExternal = external !== null &&
    (external.value.kind === "mapping" || truthOf(external.value) === true);
  if (isExternal && kind !== "model") {
    for (const [name, entry] of entriesOf(value)) {
      if (name === "external" || name === "name" || name.startsWith("x-")) continue;
      say(
        "compose/external-conflict",
        entry.key,
        `"${name}" cannot be set on the external ${kind} "${key}", which is created elsewhere`,
        {
          subject,
          related: [{ message: "Set as external here", at: external.key }],
          // Compose refuses it for volumes only, and ignores it elsewhere.
          ...(kind !== "volume" && { severity: "warning" as const }),
        },
      );
    }
  }
  if ((kind !== "secret" && kind !== "config") || value.kind !== "mapping") return;
  const sources = ["file", "environment", "content"].flatMap((name) => {
    const entry = entryOf(value, name);
    return entry === null ? [] : [{ name, entry }];
  });
  if (sources.length > 1) {
    const [first, second] = sources;
    say(
      "compose/file-object-exclusive",
      second!.entry.key,
      `"${first!.name}" and "${second!.name}" cannot both be set: a ${kind} has one source`,
      { subject, related: [{ message: `"${first!.name}" is here`, at: first!.entry.key }] },
    );
  }
  if (sources.length === 0 && !isExternal && valueAt(value, "driver") === null) {
    say(
      "compose/secret-without-source",
      resource.at,
      `The ${kind} "${key}" has no source: set "file", "environment"${
        kind === "config" ? ', "content"' : ""
      } or "external"`,
      { subject },
    );
  }
}

/** The start of a file, for what concerns it as a whole. */
const startOf = (file: ArtifactFile): Place => ({ file, start: 0, end: 0 });

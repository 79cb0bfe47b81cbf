/** Rules about a Compose project as a whole: its files, its name, its resources. */

import type { ArtifactFile, Finding, Group, Model, Place, Resource } from "../artifact.ts";
import type { Say } from "./say.ts";
import { entriesOf, entryOf, truthOf, valueAt } from "../yaml/values.ts";

const DEFAULT_NAMES = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];
const PROJECT_NAME = /^[a-z0-9][a-z0-9_-]*$/;

/** What can be said of one group. */
export function checkComposeFile(group: Group, say: Say): void {
  for (const file of group.files) {
    for (const document of file.documents) {
      const version = entryOf(document, "version");
      if (version === null || version.key.file !== file) continue;
      say("compose/version-obsolete", version.key, "`version` is ignored and can go");
    }
  }
  const first = group.files[0];
  if (first === undefined) return;
  for (const resource of group.resources) checkResource(resource, say);
  if (group.standing !== "main") return;
  checkName(group, say);
  // A file that is no YAML has said so itself.
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
  if ((by === "name" || by === "env") && !PROJECT_NAME.test(written)) {
    say(
      "compose/name-invalid",
      place,
      `"${written}" is no project name: it takes lower-case letters, digits, "-" and "_", and begins with a letter or digit`,
      { subject },
    );
  }
  if (by === "folder" && written !== group.project) {
    say(
      "compose/name-normalized",
      startOf(place.file),
      `The folder "${written}" becomes the project "${group.project}"`,
      {
        subject,
      },
    );
  }
  if (by !== "name") {
    say(
      "compose/name-missing",
      startOf(place.file),
      "The file sets no `name`; the project is called after its folder",
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
        `"${name}" contradicts \`external\`: ${kind} "${key}" is made elsewhere`,
        {
          subject,
          related: [{ message: "External here", at: external.key }],
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
      `"${second!.name}" contradicts "${first!.name}": a ${kind} has one source`,
      { subject, related: [{ message: `"${first!.name}" is here`, at: first!.entry.key }] },
    );
  }
  if (sources.length === 0 && !isExternal && valueAt(value, "driver") === null) {
    say(
      "compose/secret-without-source",
      resource.at,
      `The ${kind} "${key}" needs one of "file", "environment"${
        kind === "config" ? ', "content"' : ""
      } or \`external\``,
      { subject },
    );
  }
}

/** Folders with more than one default file. */
export function checkDefaults(model: Model, say: Say): void {
  const byFolder = new Map<string, string[]>();
  for (const { path } of model.files) {
    const cut = path.lastIndexOf("/") + 1;
    if (!DEFAULT_NAMES.includes(path.slice(cut))) continue;
    const folder = path.slice(0, cut);
    const names = byFolder.get(folder);
    if (names) names.push(path);
    else byFolder.set(folder, [path]);
  }
  for (const group of model.groups) {
    const used = group.files[0];
    if (used === undefined || group.standing === "variant" || group.standing === "fragment") continue;
    const cut = used.path.lastIndexOf("/") + 1;
    if (!DEFAULT_NAMES.includes(used.path.slice(cut))) continue;
    const own = new Set(group.files.map((file) => file.path));
    const others = (byFolder.get(used.path.slice(0, cut)) ?? []).filter((path) => !own.has(path));
    if (others.length === 0) continue;
    const names = [used.path, ...others].map((path) => `"${path.slice(cut)}"`);
    say(
      "compose/multiple-defaults",
      startOf(used),
      `Found ${names.join(", ")}; Compose uses ${names[0]}`,
      { subject: group.id },
    );
  }
}

/** The start of a file, for what concerns it as a whole. */
const startOf = (file: ArtifactFile): Place => ({ file, start: 0, end: 0 });

/** Every rule berth knows, in one table: what reports, SARIF, settings and the documentation are made from. */

import type { Severity } from "../kinds.ts";

/** The severities, worst first. */
export const SEVERITIES: readonly Severity[] = ["error", "warning", "info", "hint"];

/** One row of the table. */
interface Rule {
  /** The severity, unless a setting or the finding itself gives another. */
  readonly severity: Severity;
  /** When it is found: while files are read, when the model is checked, or by comparing with an engine. */
  readonly stage: "read" | "check" | "live";
  /** Off until `berth.yaml` gives it a severity. */
  readonly off?: true;
  /** A hint for editors about the range. */
  readonly tag?: "unnecessary" | "deprecated";
  /** One sentence about what it finds. */
  readonly summary: string;
}

const read = (severity: Severity, summary: string, more: Partial<Rule> = {}): Rule => ({
  severity,
  stage: "read",
  summary,
  ...more,
});
const check = (severity: Severity, summary: string, more: Partial<Rule> = {}): Rule => ({
  severity,
  stage: "check",
  summary,
  ...more,
});
const live = (severity: Severity, summary: string): Rule => ({ severity, stage: "live", summary });
const off = { off: true } as const;

/** The table. A code is declared here and nowhere else. */
export const RULES = {
  "workspace/empty": read("info", "The folder has no artifacts."),
  "workspace/nested": check("info", "The folder is inside another registered workspace."),

  "fs/unreadable": read("error", "A file cannot be read."),
  "fs/not-utf8": read("error", "A file is not UTF-8 text."),
  "fs/too-large": read("warning", "A file exceeds the size limit and was not read."),
  "fs/limit-reached": read("warning", "Reading stopped at a limit; the rest was not read."),
  "fs/symlink-escape": read("warning", "A symbolic link leads out of the workspace and was not followed."),
  "fs/path-escape": read("warning", "A named path is outside the workspace and was not read."),

  "yaml/syntax": read("error", "The text is not YAML."),
  "yaml/style": read("info", "The text can be parsed, but the parser warns about it."),
  "yaml/duplicate-key": read("error", "A mapping defines the same key twice."),
  "yaml/undefined-alias": read("error", "An alias has no anchor before it."),
  "yaml/alias-cycle": read("error", "An anchor contains an alias to itself."),
  "yaml/alias-bomb": read(
    "error",
    "The text, or its aliases once expanded, holds more values than the limit.",
  ),
  "yaml/too-deep": read("error", "The nesting is deeper than the limit."),
  "yaml/bad-merge": read("error", "A merge key (`<<`) has a value that is not a mapping."),
  "yaml/non-string-key": read("error", "A key is not a string."),
  "yaml/unknown-tag": read("warning", "A tag is neither standard nor `!reset` or `!override`."),
  "yaml/boolean-word": read("warning", "A word such as `yes` is a string in YAML 1.2, not a boolean."),
  "yaml/multi-document": read("info", "A Compose file has several documents, which merge in order."),
  "yaml/unused-anchor": read("hint", "An anchor is never used.", { off: true, tag: "unnecessary" }),
  "yaml/duplicate-anchor": read("hint", "An anchor is defined again.", off),

  "schema/invalid": read("error", "A value has a shape that Compose refuses."),
  "schema/unknown-property": read("error", "A property is not known at this place."),
  "schema/missing-name": read("error", "A native document has no `metadata.name`."),
  "schema/invalid-name": read("error", "A name has characters that are not allowed."),
  "schema/unknown-kind": read("warning", "A native document is of an unknown kind."),

  "compose/service-null": check("error", "A service has an empty definition."),
  "compose/no-image-or-build": check("error", "A service has no image, build or provider."),
  "compose/no-services": check("error", "A Compose file defines nothing to run."),
  "compose/multiple-defaults": read("warning", "A folder has several default Compose files; one is used."),
  "compose/version-obsolete": check("warning", "The top-level `version` is ignored.", { tag: "deprecated" }),
  "compose/name-invalid": check("error", "A project name has characters that Compose refuses."),
  "compose/name-normalized": check("hint", "The project name is not quite what was written.", off),
  "compose/name-missing": check("hint", "The file does not set a project `name`.", off),
  "compose/image-and-build": check("hint", "A service has an image and a build.", off),
  "compose/links-legacy": check("hint", "`links` are a legacy feature.", { off: true, tag: "deprecated" }),
  "compose/network-mode-and-networks": check("error", "`network_mode` and `networks` cannot both be set."),
  "compose/dockerfile-and-inline": check("error", "`dockerfile` and `dockerfile_inline` cannot both be set."),
  "compose/external-conflict": check(
    "error",
    "An external resource is configured as if it were created here.",
  ),
  "compose/file-object-exclusive": check("error", "A secret or config has more than one source."),
  "compose/device-count-and-ids": check("error", "A device reservation sets both `count` and `device_ids`."),
  "compose/scale-vs-replicas": check("error", "`scale` and `deploy.replicas` differ."),
  "compose/negative-scale": check("error", "A service has a negative number of containers."),
  "compose/container-name-with-scale": check("error", "Several containers cannot share `container_name`."),
  "compose/duplicate-mount-target": check(
    "warning",
    "Two mounts of a service share a target: Compose keeps the last, or refuses both.",
  ),
  "compose/duplicate-port": check("warning", "A service publishes a port twice; Compose takes it once."),
  "compose/limits-mismatch": check("error", "A limit is set twice, with different values."),
  "compose/port-range-mismatch": check("error", "A published port range does not fit its target range."),
  "compose/platform-not-built": check("error", "`platform` is not among `build.platforms`."),
  "compose/secret-without-source": check("error", "A secret or config has no source."),
  "compose/watch-target-missing": check("error", "A `develop.watch` action that copies needs a target."),
  "compose/healthcheck-test": check(
    "error",
    "A healthcheck test does not begin with NONE, CMD or CMD-SHELL.",
  ),
  "compose/start-interval-without-period": check("error", "`start_interval` needs a `start_period`."),
  "compose/bad-port": check("error", "A value is not a valid port mapping."),
  "compose/bad-host-ip": check("error", "A value is not an IP address."),
  "compose/bad-extra-host": check("error", "An entry of `extra_hosts` has no name or no address."),
  "compose/bad-mount": check("error", "A value is not a valid mount."),
  "compose/bad-command": check("error", "A command has a quote or bracket that is never closed."),
  "compose/command-cut": check("warning", "Compose reads a command only up to a shell operator."),
  "compose/bad-duration": check("error", "A value is not a duration."),
  "compose/bad-image-ref": check("error", "A value is not a valid image name."),
  "compose/bad-bytes": check("error", "A value is not a size in bytes."),
  "compose/host-network-with-ports": check("warning", "Ports are ignored on the host network."),
  "compose/include-conflict": read(
    "info",
    "An included file defines the same name; the two are merged, and the including file wins.",
  ),

  "env/required-variable-missing": read("error", "A variable marked as required is not set."),
  "env/invalid-template": read("error", "A `${}` expression is malformed."),
  "env/unset-variable": read(
    "warning",
    "A variable is not set, so the value is unknown; the finding says where Compose refuses the empty text.",
  ),
  "env/dotenv-syntax": read("error", "A line of an environment file is malformed."),
  "env/compose-variable": check(
    "info",
    "A variable of the environment file changes how Compose itself works.",
  ),
  "env/unused": check("hint", "A variable of the environment file is never used.", off),

  "ref/unknown-service": check("error", "A dependency names a service that is not defined."),
  "ref/unknown-link": check("error", "A link names a service that is not defined."),
  "ref/unknown-namespace": check("error", "A shared namespace names a service that is not defined."),
  "ref/unknown-volumes-from": check("error", "`volumes_from` names a service that is not defined."),
  "ref/unknown-build-context": check("error", "A build context names a service that is not defined."),
  "ref/unknown-network": check("error", "A service joins a network that is not defined."),
  "ref/unknown-volume": check("error", "A service mounts a volume that is not defined."),
  "ref/unknown-secret": check("error", "A service uses a secret that is not defined."),
  "ref/unknown-config": check("error", "A service uses a config that is not defined."),
  "ref/unknown-model": check("error", "A service uses a model that is not defined."),
  "ref/build-context-not-buildable": check("error", "A build context names a service that is not built."),
  "ref/extends-missing": read("error", "A service extends a service or file that does not exist."),
  "ref/include-missing": read("error", "An included file does not exist."),
  "ref/disabled-by-profile": check("error", "A required dependency runs only with a profile."),
  "ref/remote-not-loaded": read("info", "A remote file is not read."),
  "ref/external-missing": live("warning", "An external resource does not exist on the engine."),
  "ref/unknown-group": check("error", "A document names a group that does not exist."),
  "ref/unknown-unit": check("error", "A document names a unit that does not exist."),
  "ref/ambiguous": check("error", "A name could mean several artifacts."),

  "graph/cycle": check("error", "Units depend on each other in a cycle."),
  "graph/self-dependency": check("error", "A unit depends on itself."),
  "graph/extends-cycle": read("error", "Services extend each other in a cycle."),
  "graph/include-cycle": read("error", "Files include each other in a cycle."),
  "graph/healthy-without-healthcheck": check(
    "warning",
    "A unit waits for another to be healthy that has no healthcheck.",
  ),
  "graph/healthcheck-disabled": check(
    "error",
    "A unit waits for another to be healthy whose healthcheck is disabled.",
  ),
  "graph/completed-but-restarts": check(
    "warning",
    "A unit waits for another to complete that always restarts.",
  ),
  "graph/group-cycle": check("warning", "Groups depend on each other in a cycle."),
  "graph/redundant-edge": check("hint", "Another dependency already implies this one.", {
    off: true,
    tag: "unnecessary",
  }),
  "graph/isolated": check("hint", "A unit is connected to nothing.", off),

  "name/duplicate-unit": check("error", "Two documents define the same unit."),
  "name/duplicate-card": check("error", "Two cards have the same name."),
  "name/duplicate-native": check("error", "Two native groups have the same name."),
  "name/duplicate-group": check("warning", "Two groups of the workspace have the same name."),
  "name/project-collision": check("warning", "Two groups become the same Docker project."),
  "name/case-collision": check("warning", "Two names differ only in case."),
  "name/duplicate-container-name": check("error", "Two units have the same container name."),
  "name/container-name-invalid": check("error", "A container name has characters that engines refuse."),
  "name/shared-volume": check("info", "Units of several groups share a volume."),

  "file/env-file-missing": check("error", "An environment file does not exist."),
  "file/label-file-missing": check("error", "A label file does not exist."),
  "file/secret-missing": check("error", "The file of a secret does not exist."),
  "file/config-missing": check("error", "The file of a config does not exist."),
  "file/build-context-missing": check("error", "A build context is not a folder."),
  "file/dockerfile-missing": check("error", "A Dockerfile does not exist."),
  "file/bind-file-missing": check("warning", "A mounted file does not exist; engines create a folder."),
  "file/bind-dir-missing": check("info", "A mounted folder does not exist yet; Compose creates it."),
  "file/type-mismatch": check("warning", "A folder is mounted as a file."),
  "file/absolute-path": check("hint", "An absolute path is not portable.", off),

  "port/conflict": check("error", "Two units of a group publish the same port."),
  "port/conflict-across-groups": check(
    "info",
    "Groups publish the same port, so they cannot run together. `port/in-use` warns where one of them does run.",
  ),
  "port/in-use": live("warning", "A port of a unit is in use by another container."),
  "port/in-use-host": live("info", "A port of a unit is in use by a process on the host."),

  "image/no-tag": check("warning", "An image has neither a tag nor a digest."),
  "image/latest": check("info", "An image uses the tag `latest`."),
  "sec/docker-socket": check("info", "A unit can control the engine through its socket."),
  "sec/privileged": check("info", "A unit runs privileged."),
  "sec/host-namespace": check("info", "A unit shares a namespace with the host."),
  "sec/sensitive-host-path": check("info", "A unit mounts a sensitive path of the host."),
  "sec/inline-secret": check("info", "A value looks like a credential in plain text."),
  "sec/port-on-all-interfaces": check("hint", "A port is published on all interfaces.", off),
  "ops/no-healthcheck": check("hint", "A unit has no healthcheck.", off),
  "ops/no-restart": check("hint", "A unit has no restart policy.", off),
  "ops/no-limits": check("hint", "A unit has no memory limit.", off),

  "swarm/host-ip-ignored": check(
    "error",
    "A port has an address, which a swarm drops: it is open on every node.",
  ),
  "swarm/build-without-image": check("error", "A service of a swarm has a build and no image to pull."),
  "swarm/max-replicas": live("error", "A swarm has too few nodes for `max_replicas_per_node`."),
  "swarm/reservation-over-limit": check("error", "A service reserves more than its limit allows."),
  "swarm/restart-no": check("warning", '`docker stack deploy` drops `restart: "no"`, and restarts for ever.'),
  "swarm/container-name": check("warning", "A swarm ignores `container_name`."),
  "swarm/field-ignored": check("warning", "A swarm has nothing for a field: tasks run without it."),
  "swarm/local-volume-many-nodes": check(
    "warning",
    "A volume is another one on each node that a task may be on.",
  ),
  "swarm/bind-needs-node": check("warning", "A mounted path must be on each node that a task may be on."),
  "swarm/start-first-host-port": check("warning", "A new task waits for a port that the old one holds."),
  "swarm/rollback-without-monitor": check(
    "warning",
    "A failed update is not noticed: no health check, or it is watched for less than the `start_period`.",
  ),
  "swarm/depends-on-ignored": check("info", "`docker stack deploy` starts all services at once."),
  "swarm/cli-refuses": check("info", "`docker stack deploy` refuses something that berth reads."),

  "unused/network": check("warning", "A network is never used.", { tag: "unnecessary" }),
  "unused/volume": check("warning", "A volume is never used.", { tag: "unnecessary" }),
  "unused/secret": check("warning", "A secret is never used.", { tag: "unnecessary" }),
  "unused/config": check("warning", "A config is never used.", { tag: "unnecessary" }),

  "card/no-subject": check("error", "A card has no subject."),
  "card/bad-link": check("error", "A link is neither http, https or mailto nor a path in the workspace."),
  "card/unknown-subject": check("warning", "A card describes something that does not exist."),
  "card/duplicate-subject": check("warning", "Two cards describe the same artifact."),
  "card/runbook-missing": check("warning", "The runbook of a card does not exist."),
  "card/unknown-lifecycle": check("info", "The lifecycle of a card is not one of the known words."),
  "card/missing-owner": check("hint", "A card has no owner.", off),

  "live/orphan-container": live("warning", "A container belongs to a service that is not in the files."),
  "live/config-file-gone": live("warning", "A project was started from a file that no longer exists."),
  "live/renamed": live("warning", "A project runs under another name than its files give it."),
  "map/ambiguous": live("warning", "A running project could belong to several groups."),
  "live/not-running": live("info", "A unit should be running but is not."),
  "live/drift": live("info", "A running container differs from its declaration."),
  "compose/field-not-supported": live(
    "info",
    "A field is not compared with what runs, and no plan can apply it.",
  ),
  "map/by-name-only": live("info", "A running project matches a group only by name."),
} as const satisfies Record<string, Rule>;

/** A code of the table. */
export type RuleCode = keyof typeof RULES;

/** The row of a code. */
export const ruleOf = (code: RuleCode): Rule => RULES[code];

/** Returns true if a text is a code of the table. */
export const isRuleCode = (text: string): text is RuleCode => Object.hasOwn(RULES, text);

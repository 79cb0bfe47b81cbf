/** The types of a workspace: what reading makes, with the position of every value. */

import type { Remedy } from "../core/remedy.ts";
import type { MergeTag, PathKind, PlainKind, ReferenceKind, ResourceKind, Severity } from "./kinds.ts";

/** A half-open stretch of one file, in UTF-16 units from 0. Every `Node` is one, so a node can be pointed at. */
export interface Place {
  readonly file: ArtifactFile;
  readonly start: number;
  readonly end: number;
}

/** A problem as reading and the rules find it; the report makes a diagnostic of it. */
export interface Finding {
  readonly code: string;
  /** Absent: the severity of the rule table. Settings may change either. */
  readonly severity?: Severity;
  readonly message: string;
  /** Null: about the workspace as a whole. */
  readonly at: Place | null;
  /** The path below the root, where there is no text to point into (a file that was not read). */
  readonly path?: string;
  /** The node it is about, such as `unit:shop.web`. */
  readonly subject?: string;
  readonly related?: readonly { readonly message: string; readonly at: Place }[];
  readonly data?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly ("unnecessary" | "deprecated")[];
  readonly remedies?: readonly Remedy[];
}

/** One text that was read. It stays the same object while its content does, so it can be the key of a cache. */
export interface ArtifactFile {
  /** Below the workspace root, with `/`. */
  readonly path: string;
  /** The path below the root that links led to when it was read; absent where there were none. */
  readonly leadsTo?: string;
  readonly kind: "compose" | "native" | "backstage" | "env" | "settings" | "readme" | PlainKind;
  readonly text: string;
  /** Hex SHA-256 of the bytes. */
  readonly hash: string;
  /** The documents as parsed and not interpolated; empty while the text cannot be parsed. */
  readonly documents: readonly Node[];
  /** Its aliases; empty while the text cannot be parsed. */
  readonly aliases: readonly Alias[];
  /** Laid over the workspace by a caller, and not what is saved there. */
  readonly unsaved?: true;
  /** False where errors leave the values in doubt: what refers to them may well be right. */
  readonly sound: boolean;
  /** Findings from parsing this text. */
  readonly findings: readonly Finding[];
  /** True while the documents are of an earlier text, because this one cannot be parsed. */
  readonly stale: boolean;
}

/** An alias as `*pw`, with the stretch of the file that it repeats. */
export interface Alias {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A value with its place. After merging, a tree may span several files. */
export type Node = Scalar | List | Mapping;

export interface Scalar extends Place {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  /** Holds a variable that is not set: no rule may judge it. */
  readonly unknown?: true;
  /** Written without quotes. */
  readonly plain?: true;
  /** A variable was put in: a number or boolean may stand here as a string. */
  readonly interpolated?: true;
  /** Shown in place of `value`: the author's text of a variable or an alias, or a mask in a text with errors. */
  readonly written?: string;
  readonly tag?: MergeTag;
}

export interface List extends Place {
  readonly kind: "list";
  readonly items: readonly Node[];
  /** Merged from several files, and doubles are gone. */
  readonly merged?: true;
  readonly tag?: MergeTag;
}

export interface Mapping extends Place {
  readonly kind: "mapping";
  readonly entries: ReadonlyMap<string, Entry>;
  readonly tag?: MergeTag;
}

export interface Entry {
  /** A name that came from a list (`- NAME=value`) may hold the value of a variable, as `Scalar` does. */
  readonly key: Place & { readonly written?: string };
  readonly value: Node;
}

/** A name in one artifact that means another. */
export interface Reference {
  readonly kind: ReferenceKind;
  /** The id of the artifact that holds it. */
  readonly from: string;
  /** The id it means, whether or not there is such a node; null where `written` must still be looked up. */
  readonly target: string | null;
  /** As written: `db`, `unit:platform.postgres`. */
  readonly written: string;
  /** The value (or, where the name is a key, the key) that names it. */
  readonly at: Place;
  /** Not written as a dependency, but follows from what is written (links, namespaces, ...). */
  readonly implicit: boolean;
  /** `service_started`, `service_healthy`, `service_completed_successfully`, or whatever was written. */
  readonly condition?: string;
  readonly required?: boolean;
  readonly restart?: boolean;
  readonly access?: "ro" | "rw";
  /** Its key: `depends_on`, `links`, `network_mode`, `networks`, `build.secrets`, `spec.dependsOn`, ... */
  readonly under: string;
  /** The network is joined because nothing else was said, or the volume has no name: never reported. */
  readonly byDefault?: boolean;
}

/** A path that an artifact names, and what lies there: looked up while reading, so that rules need no disk. */
export interface PathUse {
  readonly kind: PathKind;
  /** As written. */
  readonly written: string;
  /** Below the root with `/` ("" is the root), null when it lies outside, is absolute elsewhere or not local. */
  readonly path: string | null;
  /** The folder, below the root, that a relative path starts in. */
  readonly folder: string;
  /** `outside` also stands for what may not be looked at; `unknown`: an unset variable is in it; `remote`: a URL. */
  readonly found: "file" | "folder" | "other" | "missing" | "outside" | "unknown" | "remote";
  /** Beside a missing file there is one of the same name with `.example`, `.sample`, `.dist` or `.template`. */
  readonly example: boolean;
  /** An `env_file` or `label_file` as read. */
  readonly file?: ArtifactFile;
  /** Says why such a file that is there was not read. */
  readonly refused?: string;
  /** False where the document says that the file may be absent. */
  readonly required: boolean;
  /** The unit that names it, or null for a secret or config of the group. */
  readonly unit: string | null;
  readonly at: Place;
}

/** A network, volume, secret, config or model of a group. */
export interface Resource {
  readonly kind: ResourceKind;
  /** `network:shop.front`; external ones have an empty group, `network:.proxy`. */
  readonly id: string;
  /** The key it has in the file. */
  readonly key: string;
  /** The engine's name: `shop_front`, or what `name:` says; null while a variable in it is not set. */
  readonly name: string | null;
  /** The name as the author wrote it, which is shown. */
  readonly written: string | null;
  readonly external: boolean;
  /** The content of a secret or config that is no file; null for all others, and while a variable in it is not set. */
  readonly content: string | null;
  /** Nobody wrote it: the default network. */
  readonly implicit: boolean;
  readonly at: Place;
  readonly value: Node;
}

export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

export interface Port {
  /** As written, and for long syntax as it would be written short. */
  readonly written: string;
  readonly hostIp: string | null;
  /** Null: the engine picks one. */
  readonly published: NumberRange | null;
  readonly target: NumberRange;
  readonly protocol: string;
  /** The reason that it is not a valid port (`compose/bad-port`); the numbers mean nothing then. */
  readonly invalid: string | null;
  readonly unknown: boolean;
  /** The value of a variable is in it: only `written` may be shown. */
  readonly filled: boolean;
  readonly at: Place;
}

export interface Mount {
  /** `bind`, `volume`, `tmpfs`, `image`, `npipe`, `cluster`, or whatever was written. */
  readonly type: string;
  /** A folder (as written), a volume's key, or null for an anonymous one. */
  readonly source: string | null;
  readonly target: string | null;
  /** Source and target as the author wrote them, which are shown. */
  readonly shown: { readonly source: string | null; readonly target: string | null };
  readonly readOnly: boolean;
  /** Only false where long syntax says `create_host_path: false`. */
  readonly createHostPath: boolean;
  readonly invalid: string | null;
  readonly unknown: boolean;
  readonly at: Node;
  readonly sourceAt: Place;
}

/** One variable or label; null: named without a value, and no variable of the project has that name. */
export interface KeyValue {
  /** The name as the author wrote it. */
  readonly name: string;
  readonly value: string | null;
  readonly unknown: boolean;
  /** In the Compose file, or in the `env_file` or `label_file` that sets it. */
  readonly at: Place & { readonly written?: string };
  /** Named without a value: it has that of the project's variable. */
  readonly fromVariables?: true;
}

/** A secret or config as a unit takes it. */
export interface Grant {
  readonly kind: "secret" | "config";
  readonly source: string;
  readonly target: string | null;
  readonly at: Place;
}

/** One runnable thing. Compose services carry `service`, native units do not. */
export interface Unit {
  readonly kind: "unit";
  /** `unit:shop.web` */
  readonly id: string;
  /** `shop.web`, or just its name for a native unit without a group. */
  readonly name: string;
  /** `web` */
  readonly label: string;
  /** The id of its group. */
  readonly group: string | null;
  /** The key (or `metadata.name`) that makes it. */
  readonly source: Place;
  /** The whole text that makes it, for "its YAML": key and value, or a document. */
  readonly extent: Place;
  /** `service`, or what `spec.type` says: `cron`, `process`, ... */
  readonly type: string;
  readonly title: string | null;
  readonly description: string | null;
  /** The merged and interpolated service (or the native document). Not a mapping where the author wrote none. */
  readonly value: Node;
  readonly service: Service | null;
  /** A native `Unit` that annotates this service. */
  readonly annotation: Place | null;
  /** `spec.runtime.container` of a native unit. */
  readonly container: string | null;
  readonly references: readonly Reference[];
  readonly paths: readonly PathUse[];
}

/** A service as Compose defines it, in long form. */
export interface Service {
  readonly image: string | null;
  readonly imageAt: Scalar | null;
  /** The image as it is shown. */
  readonly writtenImage: string | null;
  readonly build: { readonly args: ReadonlyMap<string, KeyValue> } | null;
  readonly provider: boolean;
  readonly containerName: string | null;
  readonly containerNameAt: Scalar | null;
  /** Profiles it is listed under; empty: always enabled. */
  readonly profiles: readonly string[];
  /** The profiles as they are shown. */
  readonly writtenProfiles: readonly string[];
  /** Enabled with the group's active profiles. */
  readonly active: boolean;
  /** `scale`, else `deploy.replicas`, else 1; null while unknown. */
  readonly replicas: number | null;
  readonly restart: string | null;
  readonly ports: readonly Port[];
  readonly mounts: readonly Mount[];
  readonly networkMode: string | null;
  readonly environment: ReadonlyMap<string, KeyValue>;
  readonly labels: ReadonlyMap<string, KeyValue>;
  readonly grants: readonly Grant[];
  readonly healthcheck: { readonly disabled: boolean; readonly at: Place } | null;
}

/**
 * One Compose project, or a native group without files. It stays the same object while nothing it is made of changes.
 */
export interface Group {
  readonly kind: "group";
  /** `group:shop` */
  readonly id: string;
  /** The second of one name is `<name>~<hex of its path>`; written names never have a `~`. */
  readonly name: string;
  /** Docker's name of the project; two groups may share it. */
  readonly project: string;
  /** The name before it was brought into Docker's form, and where it came from. */
  readonly projectFrom: {
    readonly written: string;
    readonly by: "folder" | "name" | "env" | "native";
    readonly at: Place;
  };
  readonly title: string | null;
  readonly description: string | null;
  /** Below the root; "" is the root. Relative paths in its files start here. */
  readonly folder: string;
  /**
   * `main`: drawn. `included`: listed, but its services are the units of `includedBy`.
   * `variant`: another Compose file beside a canonical one, checked alone. `fragment`: only a base for `extends`.
   */
  readonly standing: "main" | "included" | "variant" | "fragment";
  readonly includedBy: readonly string[];
  /** Its own files in merge order; what they include is in `sources`. */
  readonly files: readonly ArtifactFile[];
  /** Every file that had a part in it. */
  readonly sources: readonly ArtifactFile[];
  readonly envFiles: readonly ArtifactFile[];
  /** Files with the variables of what is included. */
  readonly includedEnvFiles: readonly ArtifactFile[];
  /** Members of `sources` that only lend single services to `extends`. */
  readonly bases: readonly ArtifactFile[];
  readonly profiles: readonly string[];
  readonly source: Place;
  readonly extent: Place;
  /** Its merged top level; null for a native group without Compose files. */
  readonly value: Mapping | null;
  /** Units in file order. The units of all `main` groups are the model's. */
  readonly units: readonly Unit[];
  readonly resources: readonly Resource[];
  /** `include` and `spec.dependsOn`. */
  readonly references: readonly Reference[];
  readonly paths: readonly PathUse[];
  /** A part of it could not be read: what it names may well exist. */
  readonly incomplete: boolean;
  /** Findings from joining its files (variables, include, extends, merge). */
  readonly findings: readonly Finding[];
}

export interface Link {
  readonly url: string;
  readonly title: string | null;
  readonly at: Place;
}

/** Describes one group or unit, runs nothing. */
export interface Card {
  readonly kind: "card";
  /** `card:shop-card`; a synthesised one is `card:group:shop`. */
  readonly id: string;
  readonly name: string;
  readonly origin: "native" | "backstage" | "x-card" | "readme";
  readonly title: string | null;
  readonly description: string | null;
  readonly owner: string | null;
  readonly lifecycle: string | null;
  readonly lifecycleAt: Place | null;
  readonly tags: readonly string[];
  readonly links: readonly Link[];
  /** A path below the root, a URL, or as written where it is neither; `found` is null for a URL. */
  readonly runbook: {
    readonly written: string;
    readonly path: string | null;
    readonly found: boolean | null;
    readonly at: Place;
  } | null;
  /** The artifact that it describes; null where nothing was named and nothing fits. */
  readonly subject: Reference | null;
  readonly folder: string;
  readonly source: Place;
  readonly extent: Place;
  readonly value: Mapping | null;
}

/** `berth.yaml` at the root. */
export interface Settings {
  readonly rules: ReadonlyMap<string, Severity | "off">;
  readonly ignore: readonly string[];
  readonly paths: readonly { readonly from: string; readonly to: string }[];
  /** Docker's project name to the name of a group, and a stack's name to one or its folder: the strongest joins. */
  readonly projects: ReadonlyMap<string, string>;
  readonly stacks: ReadonlyMap<string, string>;
}

/** A workspace as read: the last snapshot, or one with unsaved files laid over it. */
export interface Model {
  /** The real path of the folder. Never part of an answer other than the workspace's own path. */
  readonly root: string;
  /** `sha256:<hex>` over everything that was read: same input, same revision. */
  readonly revision: string;
  /** In path order. */
  readonly files: readonly ArtifactFile[];
  readonly groups: readonly Group[];
  /** Units of `main` groups, then native ones without a group. */
  readonly units: readonly Unit[];
  readonly cards: readonly Card[];
  readonly settings: Settings;
  /** Findings of discovery and of the workspace as a whole; those of files and groups are theirs. */
  readonly findings: readonly Finding[];
  /** False once a limit was reached. */
  readonly complete: boolean;
  readonly durationMs: number;
}

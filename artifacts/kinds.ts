/** The kinds of what a workspace holds. */

/** The weight of a finding. */
export type Severity = "error" | "warning" | "info" | "hint";

/** Tells Compose how to merge a value; removed by merging. */
export type MergeTag = "!reset" | "!override";

/** The key by which one artifact names another. */
export type ReferenceKind =
  | "depends_on"
  | "link"
  | "namespace"
  | "volumes_from"
  | "build_context"
  | "extends"
  | "include"
  | "requires"
  | "uses"
  | "describes";

/** The use that an artifact makes of a path. */
export type PathKind =
  | "env_file"
  | "label_file"
  | "secret"
  | "config"
  | "build_context"
  | "dockerfile"
  | "bind"
  | "develop"
  | "seccomp";

export type ResourceKind = "network" | "volume" | "secret" | "config" | "model";

/** A file that is text alone: of a secret, of a config, mounted by itself, or of nothing that berth knows. */
export type PlainKind = "secret" | "config" | "mounted" | "other";

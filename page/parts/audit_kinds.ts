/** The acts of the audit log by what they are about, for the filter of its screen. */
import { words } from "../words/en_later.ts";

export const KINDS = [
  "projects",
  "files",
  "containers",
  "resources",
  "access",
  "signIns",
  "notices",
] as const;
export type AuditKind = (typeof KINDS)[number];

/** By the part of the route behind `/api/`, or the first word of what berth does by itself. */
const OF: Readonly<Record<string, AuditKind>> = {
  projects: "projects",
  plans: "projects",
  applies: "projects",
  apply: "projects",
  updates: "projects",
  ignored: "projects",
  workspaces: "files",
  artifacts: "files",
  adoptions: "files",
  hooks: "files",
  source: "files",
  containers: "containers",
  services: "containers",
  nodes: "resources",
  images: "resources",
  networks: "resources",
  volumes: "resources",
  registries: "resources",
  system: "resources",
  settings: "access",
  keys: "access",
  signing_keys: "access",
  auth: "signIns",
  session: "signIns",
  notices: "notices",
  mutes: "notices",
};

/** Returns null for an act that this page does not know. */
export function kindOf(action: string): AuditKind | null {
  const about = /^[A-Z]+ \/api\/(\w+)/.exec(action)?.[1] ?? /^\w+/.exec(action)?.[0] ?? "";
  return Object.hasOwn(OF, about) ? OF[about]! : null; // it has one
}

/** Every act that this page has a sentence for. */
export const actions = (): readonly string[] => [
  ...Object.keys(words.audited),
  ...Object.keys(words.applies.kinds).map((step) => `apply ${step}`),
];

export const actionsOf = (kind: string): readonly string[] =>
  actions().filter((action) => kindOf(action) === kind);

/** The plugin's own error codes and permissions. */
import type { PermissionRule } from "../../core/access.ts";
import {
  type DeclaredCodes,
  type ErrorCode,
  type ErrorOptions,
  failure,
  ServiceError,
} from "../../core/error.ts";
import { problemsOf } from "../../http/declare/answer.ts";
import { CODES as ENGINE_CODES } from "../../engines/calls/errors.ts";

export const CODES = {
  stack_not_found: 404,
  node_not_found: 404,
  cluster_without_quorum: 503,
  cluster_away: 503,
  changed_meanwhile: 409,
  nothing_to_roll_back: 409,
  previous_secret_gone: 409,
} as const satisfies DeclaredCodes;

const ALL = { ...ENGINE_CODES, ...CODES };

export const swarmError = (code: ErrorCode | keyof typeof ALL, message: string, options?: ErrorOptions) =>
  failure(ALL, code, message, options);

/** The failures that a route of the plugin may answer with; spread into `answers`. */
export const problems = problemsOf(ALL);

/** Plans and applies read a swarm: the error says nothing of either. */
export const cannotReach = (
  message = "Cannot reach the swarm: no engine of berth's is in it any more",
  cause?: Error,
): ServiceError =>
  new ServiceError("engine_unavailable", message, {
    discreet: "Cannot read the swarm: none of its managers answers",
    ...(cause !== undefined && { cause }),
  });

/** The schema in which acts came. */
const ACTS = { sqlite: 24, postgres: 16 };

export const PERMISSIONS = [
  { name: "services:control", roles: ["operator", "admin"], since: ACTS },
  { name: "services:remove", roles: ["admin"], since: ACTS },
  { name: "nodes:manage", roles: ["admin"], since: ACTS },
] as const satisfies readonly PermissionRule[];
export type ServicePermission = (typeof PERMISSIONS)[number]["name"];

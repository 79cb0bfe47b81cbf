/** The plugin's own error codes and permissions. */
import type { PermissionRule } from "../../core/access.ts";
import { type DeclaredCodes, type ErrorCode, type ErrorOptions, failure } from "../../core/error.ts";
import { problemsOf } from "../../http/declare/answer.ts";
import { CODES as ENGINE_CODES } from "../../engines/calls/errors.ts";

export const CODES = {
  service_not_found: 404,
  stack_not_found: 404,
  node_not_found: 404,
  cluster_without_quorum: 503,
  cluster_away: 503,
} as const satisfies DeclaredCodes;

const ALL = { ...ENGINE_CODES, ...CODES };

export const swarmError = (code: ErrorCode | keyof typeof ALL, message: string, options?: ErrorOptions) =>
  failure(ALL, code, message, options);

/** The failures that a route of the plugin may answer with; spread into `answers`. */
export const problems = problemsOf(ALL);

export const PERMISSIONS = [
  { name: "services:read", roles: ["viewer", "operator", "admin"] },
] as const satisfies readonly PermissionRule[];
export type ServicePermission = (typeof PERMISSIONS)[number]["name"];

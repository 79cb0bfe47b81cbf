/** The API's group `plans`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Apply, Plan, RegistryCredentials } from "./models.ts";

/** GET: A plan that was made in the last 15 minutes. */
export const PLAN: Endpoint<"/api/plans/{id}", {
  get: { response: Plan; query: Record<string, never> };
}> = new Endpoint("/api/plans/{id}");

/** POST: Check whether a plan still holds: neither files nor engine have changed. */
export const PLAN_CHECK: Endpoint<"/api/plans/{id}/check", {
  post: { query: Record<string, never> };
}> = new Endpoint("/api/plans/{id}/check", { post: [204] });

/** POST: Carry a plan out, exactly as it was shown. */
export const PLAN_APPLY: Endpoint<"/api/plans/{id}/apply", {
  post: { response: Apply; payload: ApplyRequest | undefined; query: Record<string, never> };
}> = new Endpoint("/api/plans/{id}/apply", { post: [202] });

/** The payload of `POST /api/plans/{id}/apply`. */
export type ApplyRequest = {
  /** The digests of the plan that was read: another plan under this id is refused. */
  readonly basis?: {
    /** As the plan says it. */
    readonly declared: string;
    /** As the plan says it. */
    readonly observed: string;
  };
  /** Only these steps; none may be left out that another one comes after. */
  readonly steps?: readonly (number)[];
  /** The names of the volumes whose data may be lost. */
  readonly confirm?: readonly (string)[];
  /** Instead of berth's own. */
  readonly timeouts?: {
    /** Seconds until a container must be healthy. */
    readonly healthy?: number;
    /** Seconds until a one-shot container must have ended. */
    readonly completed?: number;
    /** Seconds until a hook must have ended. */
    readonly hook?: number;
  };
  /** Of a stack: what becomes of the steps that are done when one fails. They stay, or `rollback` posts the definitions of before in reverse and removes what was made. */
  readonly onFailure?: "stop" | "rollback";
  /** Credentials by the registry's host; kept in memory until the end, and nowhere else. */
  readonly registries?: { readonly [key: string]: RegistryCredentials };
};

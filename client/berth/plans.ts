/** The API's group `plans`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Plan } from "./models.ts";

/** GET: A plan that was made in the last 15 minutes. */
export const PLAN: Endpoint<"/api/plans/{id}", {
  get: { response: Plan; query: Record<string, never> };
}> = new Endpoint("/api/plans/{id}");

/** POST: Whether a plan is still true: neither files nor engine moved. */
export const PLAN_CHECK: Endpoint<"/api/plans/{id}/check", {
  post: { query: Record<string, never> };
}> = new Endpoint("/api/plans/{id}/check");

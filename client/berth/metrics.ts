/** The API's group `metrics`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";

/** GET: The counters and measurements of the service, in the text format of Prometheus. */
export const METRICS: Endpoint<"/api/metrics", {
  get: { query: Record<string, never> };
}> = new Endpoint("/api/metrics");

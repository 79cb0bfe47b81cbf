/** The one error answer (RFC 9457). */
import * as z from "../../core/schema.ts";
import { ServiceError } from "../../core/error.ts";
import { Remedy } from "../../core/remedy.ts";
import { statusOf } from "./status.ts";

export { statusOf };

export const Problem = z.object({
  code: z.string().describe("Code for programs"),
  title: z.string().describe("Message for people"),
  status: z.int().describe("The status of the answer"),
  requestId: z.string().describe("Finds the request in the log"),
  errors: z.array(
    z.object({
      path: z.string().describe("The place of the error, as body.name or query.limit"),
      message: z.string().describe("The error at that place"),
    }),
  ).optional().describe("All errors in the input"),
  remedies: z.array(Remedy).optional().describe("Remedies, where berth knows any"),
}).meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

/** The last item of a stream that fails after its answer began. */
export const StreamFailure = z.object({
  code: z.string().describe("Code for programs"),
  title: z.string().describe("Message for people"),
}).meta({ id: "StreamFailure", description: "The reason that the stream ends early" });

/** Anything thrown that is not a `ServiceError` is a bug: its own words stay in the log. */
export function asServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  return new ServiceError("internal", "berth failed to answer; its log says why, under this request id", {
    cause: thrown,
  });
}

/** `seesAll`: whether it may name anything that runs. */
export function problemResponse(error: ServiceError, requestId: string, seesAll = false): Response {
  const status = statusOf(error);
  const problem: Problem = {
    code: error.code,
    title: seesAll ? error.message : error.discreet,
    status,
    requestId,
  };
  if (error.errors !== undefined) problem.errors = [...error.errors];
  if (error.remedies.length > 0) problem.remedies = [...error.remedies];
  const response = new Response(JSON.stringify(problem), { status });
  response.headers.set("content-type", "application/problem+json");
  response.headers.set("cache-control", "no-store");
  if (status === 401) response.headers.set("www-authenticate", "Bearer");
  for (const [name, value] of Object.entries(error.headers ?? {})) response.headers.set(name, value);
  return response;
}

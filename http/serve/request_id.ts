/** The name of one request, in its answer, in the log and in the audit log. */

const OWN_ID = /^[\w.-]{8,64}$/;
const prefix = crypto.randomUUID().slice(0, 8);
let count = 0;

/** The caller's own, if it is a valid one; else one that is unique within and between runs, and cheap: no secret. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  if (given !== null && OWN_ID.test(given)) return given;
  return `${prefix}-${(++count).toString(36).padStart(5, "0")}`;
}

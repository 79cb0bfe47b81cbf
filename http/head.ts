/** The answer to HEAD: the headers of GET without its body, and without leaving the body's source running. */

/** A finished text (`isWhole`) is measured, since GET would say its length; a stream is cancelled unread. */
export async function headOf(response: Response, isWhole: boolean): Promise<Response> {
  if (response.body === null) return response;
  const head = new Response(null, response);
  if (isWhole) head.headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  else await response.body.cancel();
  return head;
}

/**
 * Hono takes the body off every answer to HEAD, and the runtime says of an answer without one that its length is 0,
 * which GET would deny. An empty stream is sent without a length.
 */
export function withHonestLength(head: Response): Response {
  const isBodiless = head.status === 204 || head.status === 304;
  if (isBodiless || head.body !== null || head.headers.has("content-length")) return head;
  return new Response(new ReadableStream({ start: (controller) => controller.close() }), head);
}

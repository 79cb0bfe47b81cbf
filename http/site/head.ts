/** The answer to HEAD: the headers of GET without its body, and without leaving the body's source running. */

/**
 * A finished text (`isWhole`) is measured, since GET would say its length. A stream is cancelled unread, and an empty one
 * takes its place: of an answer without a body the runtime says that its length is 0, which GET would deny.
 */
export async function headOf(response: Response, isWhole: boolean): Promise<Response> {
  if (response.body === null) return response;
  if (isWhole) {
    const head = new Response(null, response);
    head.headers.set("content-length", String((await response.arrayBuffer()).byteLength));
    return head;
  }
  await response.body.cancel();
  return new Response(new ReadableStream({ start: (controller) => controller.close() }), response);
}

/** The answer to HEAD: the headers of GET without its body, and without leaving the body's source running. */

/** A finished text (`isWhole`) is measured, since GET would say its length; a stream is cancelled unread. */
export async function headOf(response: Response, isWhole: boolean): Promise<Response> {
  if (response.body === null) return response;
  const head = new Response(null, response);
  if (isWhole) head.headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  else await response.body.cancel();
  return head;
}

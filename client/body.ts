/** Reads a body as text without letting it grow beyond its bound, however it is encoded. */

/** The text of the body; calls `over` and stops when it decodes to more than `max` bytes. */
export async function readText(response: Response, max: number, over: () => void): Promise<string> {
  const { headers, type } = response;
  const length = headers.get("content-length");
  // The declared length is the decoded one unless encoded; across origins a browser hides that header.
  if (length && +length <= max && type !== "cors" && !headers.get("content-encoding")) return response.text();
  // Only looked at here: making a stream of it costs more than reading it.
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; reader;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > max) {
      over();
      await reader.cancel();
      return "";
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

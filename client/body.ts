/** Reads a body as text without letting it grow beyond its bound, however it is encoded. */

/** The text of the body; calls `over` and stops when it decodes to more than `max` bytes. */
export async function readText(response: Response, max: number, over: () => void): Promise<string> {
  const { body, headers, type } = response;
  const length = headers.get("content-length");
  // The declared length is the decoded one unless encoded; across origins a browser hides that header.
  if (!body || length && +length <= max && type !== "cors" && !headers.get("content-encoding")) {
    return response.text();
  }
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > max) {
      over();
      await reader.cancel();
      return "";
    }
    text += decoder.decode(value, { stream: true });
  }
}

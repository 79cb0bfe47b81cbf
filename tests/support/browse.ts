/** Sockets of a berth as its page opens them. */

/** The credential is an offered subprotocol. */
export function browse(url: string, path: string, credential: string) {
  const wire = new WebSocket(`${url.replace("http", "ws")}/api${path}`, {
    protocols: ["berth.v1", `berth.bearer.${credential}`],
    headers: { origin: url },
  });
  wire.binaryType = "arraybuffer";
  const heard = { texts: [] as string[], output: "" };
  wire.onmessage = ({ data }) => {
    if (typeof data === "string") heard.texts.push(data);
    else heard.output += new TextDecoder().decode(data);
  };
  const closed = new Promise<number>((resolve) => wire.onclose = ({ code }) => resolve(code));
  return { wire, heard, closed };
}

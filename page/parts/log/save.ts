/** Saves the lines on the screen as a file on the reader's machine. */
import { isoOf, type LogFeed } from "../../live/log_feed.ts";

/** Each line with its time, and whose it is where there are several. */
export function textOf(feed: LogFeed): Blob {
  const parts: string[] = [];
  for (const { time, source, text } of feed.lines.texts()) {
    const name = feed.sources[source]?.name;
    parts.push(`${isoOf(time)} ${name === undefined ? "" : `${name} | `}${text}\n`);
  }
  return new Blob(parts, { type: "text/plain" });
}

export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^\w.-]+/g, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser reads it after the click
}

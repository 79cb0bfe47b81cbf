/** Finds log lines that tell of an error, by the level that they name. */

/** A level stands at the beginning of what a program writes. */
const BEGINNING = 240;
const LEVEL =
  /(?:^|[^a-z])(?:(error|err|fatal|panic|critical|crit|alert|emerg|severe|exception|traceback)|warn|warning|info|notice|debug|trace)(?![a-z])/i;
/** As pino and bunyan write it. */
const NUMBER = /"level":\s?(\d\d)\b/;
/** As klog does: `E1122 12:00:00.000000 …`. */
const KLOG = /^([ef]|[iw])\d{4} \d\d:/i;

export function isError(text: string, kind: string): boolean {
  const beginning = text.slice(0, BEGINNING);
  const number = NUMBER.exec(beginning);
  if (number !== null) return Number(number[1]) >= 50;
  const klog = KLOG.exec(beginning);
  if (klog !== null) return "ef".includes(klog[1]!.toLowerCase());
  const named = LEVEL.exec(beginning);
  // A line that names no level is judged by its stream.
  return named === null ? kind === "stderr" : named[1] !== undefined;
}

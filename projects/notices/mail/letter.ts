/** A message as a mail: one part of plain text. */
import type { Message } from "../message.ts";
import type { MailTarget } from "./mail_address.ts";

/** Bytes of one encoded word of a header, and characters of one line of the body. */
const WORD_BYTES = 36;
const LINE = 76;
const PLAIN = /^[\x20-\x7e]{0,70}$/;

/** Returns the whole text, each line with its end. Control characters are no part of a message. */
export function letterOf(
  { id, title, lines, link }: Message,
  { from, to }: Pick<MailTarget, "from" | "to">,
  now: number,
): string {
  const text = [...lines, ...link === null ? [] : ["", link]].join("\r\n") + "\r\n";
  const body = new TextEncoder().encode(text).toBase64();
  const [, domain] = from.split("@");
  const headers = [
    `From: berth <${from}>`,
    `To: ${to.join(", ")}`,
    `Subject: ${subjectOf(title)}`,
    `Date: ${new Date(now).toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${id}@${domain}>`,
    "Auto-Submitted: auto-generated",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: base64",
  ];
  const folded = body.match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
  return [...headers, "", ...folded, ""].join("\r\n");
}

/** Encoded words, if it is not plain: each of whole characters, and none longer than a line may be. */
function subjectOf(title: string): string {
  const clean = title.replaceAll(/\p{Cc}+/gu, " ");
  if (PLAIN.test(clean) && !clean.includes("=?")) return clean;
  const words: string[] = [];
  let word = "";
  for (const letter of clean) {
    if (new TextEncoder().encode(word + letter).length > WORD_BYTES) {
      words.push(word);
      word = "";
    }
    word += letter;
  }
  return [...words, word].map((one) => `=?UTF-8?B?${new TextEncoder().encode(one).toBase64()}?=`).join(
    "\r\n ",
  );
}

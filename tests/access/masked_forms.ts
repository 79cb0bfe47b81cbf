/** Forms of one Compose file that people and editors leave behind: other lines, signs, documents, and parts of it. */

/** Cuts of the whole file; each is read as a file of its own. */
const CUTS = 24;

const bytes = (text: string) => new TextEncoder().encode(text);

function utf16(text: string): Uint8Array<ArrayBuffer> {
  const units = Uint16Array.from(`\ufeff${text}`, (sign) => sign.charCodeAt(0));
  return new Uint8Array(units.buffer);
}

const changed: Readonly<Record<string, (text: string) => string>> = {
  "lines that end as on Windows": (text) => text.replaceAll("\n", "\r\n"),
  "lines that end as on old Macs": (text) => text.replaceAll("\n", "\r"),
  "every second line ends as on Windows": (text) => text.replace(/\n([^\n]*)\n/g, "\r\n$1\n"),
  "a byte order mark": (text) => `\ufeff${text}`,
  "a byte order mark within": (text) => text.replace("services:", "\ufeffservices:"),
  "separators of lines that YAML does not know": (text) =>
    text.replaceAll("environment:", "\u2028environment:"),
  "the next line sign": (text) => text.replaceAll("labels:", "\u0085labels:"),
  "tabs between keys and values": (text) => text.replaceAll(": ", ":\t"),
  "tabs as indentation": (text) => text.replaceAll("    ", "\t"),
  "no space after colons": (text) => text.replaceAll(": ", ":"),
  "quotes made typographic": (text) => text.replaceAll('"', "\u201d"),
  "apostrophes in place of quotes": (text) => text.replaceAll('"', "'"),
  "two documents": (text) => `${text}---\n${text}`,
  "two documents with an end": (text) => `${text}...\n---\n${text}`,
  "a first document that is empty": (text) => `---\n---\n${text}`,
  "a directive": (text) => `%YAML 1.1\n---\n${text}`,
  "a directive of tags": (text) => `%TAG ! tag:x,2000:\n---\n${text}`,
  "a tag at the top": (text) => `!!map\n${text}`,
  "everything twice": (text) => text + text,
  "keys in quotes": (text) => text.replace(/^( *)([\w-]+):/gm, '$1"$2":'),
  "explicit keys": (text) => text.replace(/^( +)(environment|labels|command): (.*)$/gm, "$1? $2\n$1: $3"),
  "services as a text": (text) => text.replace("services:\n", "services: |\n"),
  "services as a folded text": (text) => text.replace("services:\n", "services: >-\n"),
  "services as a list": (text) => text.replace(/^ {2}(s\d+):$/gm, "  - $1:"),
  "services by another name": (text) => text.replace("services:\n", "servcies:\n"),
  "services below an extension": (text) => text.replace("services:\n", "x-old:\n"),
  "merged by a key": (text) => text.replace("services:\n", "x-a: &a\n  <<: *a\nservices:\n  <<: *a\n"),
  "all in a comment": (text) => text.replace(/^/gm, "# "),
  "one comment within": (text) => text.replace(/^ {4}(environment|command|labels)/gm, "    # $1"),
  "signs of a merge conflict": (text) => `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> other\n`,
  "a template of another program": (text) => text.replace("services:\n", "services:\n{{ range .x }}\n"),
  "a zero byte": (text) => text.replace("services:", "services\0:"),
  "a control sign": (text) => text.replaceAll("command:", "command\u0007:"),
  "a colour": (text) => text.replaceAll("command: ", "command: \u001b[31m"),
  "spaces that do not break": (text) => text.replaceAll("    image", "\u00a0\u00a0\u00a0\u00a0image"),
  "no line end at the end": (text) => text.trimEnd(),
};

/** Returns the forms of a file as bytes, each with its name. */
export function formsOf(text: string): readonly (readonly [name: string, bytes: Uint8Array<ArrayBuffer>])[] {
  const whole = bytes(text);
  return [
    ...Object.entries(changed).map(([name, change]) => [name, bytes(change(text))] as const),
    ["two bytes for each sign", utf16(text)],
    ["a byte that is no UTF-8", Uint8Array.from([...whole, 0xff, 0x0a])],
    ["a first byte that is no UTF-8", Uint8Array.from([0x80, ...whole])],
    ["more than a megabyte", bytes(`${text}# ${"x".repeat(1024 * 1024)}\n`)],
    ...Array.from({ length: CUTS }, (_, at) => {
      const length = Math.floor((whole.length * (at + 1)) / (CUTS + 1));
      return [`cut off after ${length} bytes`, whole.slice(0, length)] as const;
    }),
  ];
}

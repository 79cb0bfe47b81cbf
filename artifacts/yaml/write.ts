/** Makes the text of a YAML document out of plain values, for files that berth writes itself. */

import { Document, isPair, isScalar, Scalar, visit } from "yaml";

/** Texts that every version of YAML takes for text when they have no quotes. */
const PLAIN = /^(?:[A-Za-z_][\w./@-]*|\/[\w./@-]+|\.\/[\w./@-]+)$/;
/** Words that some version takes for something else, whatever their case. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

/** Line ends of YAML 1.1 and signs that no editor shows: they only stand in texts with quotes. */
// deno-lint-ignore no-control-regex -- these are the ones to find
const UNSEEN = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A text that stands for a variable of the project's `.env`. */
export class Variable {
  constructor(readonly name: string) {}
}

/** A value of a document. Its texts are plain, and mean what they say whatever `$` is in them. */
export type Yaml = string | number | boolean | null | Variable | readonly Yaml[] | {
  readonly [key: string]: Yaml;
};

/** Each line of a text in quotes is one line of the file, and no variable is put into it. */
export function yamlText(value: Yaml): string {
  const document = new Document(value, (_key, one) => one instanceof Variable ? new Scalar(one) : one, {
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Pair: (_key, { key }) => {
      if (isScalar(key)) quote(key);
    },
    Scalar: (_key, node, path) => {
      if (isPair(path.at(-1)) && _key === "key") return;
      if (node.value instanceof Variable) node.value = `\${${node.value.name}}`;
      // Names are never interpolated, and every `$` of a value would be.
      else if (typeof node.value === "string") node.value = node.value.replaceAll("$", "$$$$");
      quote(node);
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedAsJSON: true });
  return text.replace(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function quote(node: Scalar): void {
  const { value } = node;
  if (typeof value !== "string") return;
  node.type = PLAIN.test(value) && !WORDS.test(value) ? Scalar.PLAIN : Scalar.QUOTE_DOUBLE;
}

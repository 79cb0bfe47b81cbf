/** Exports that no other file imports: names that look as if others depended on them. */
import { withoutComments } from "./imports.ts";

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm;
const NAMED = /\b(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*["']([^"']+)["']/g;
/** `import * as x`, `export * from`, `import("…")` and workers: any of its exports may be used. */
const WHOLE = /(?:\*\s*(?:as\s+\w+\s*)?from\s*|\bimport\(\s*|new URL\(\s*)["']([^"']+\.tsx?)["']/g;

/** Returns `file: name` for each export of the files that none of the others uses. */
export function unusedExports(texts: ReadonlyMap<string, string>): string[] {
  const used = new Set<string>();
  const whole = new Set<string>();
  for (const [file, text] of texts) {
    const pathOf = (specifier: string) => new URL(specifier, `file:///${file}`).pathname.slice(1);
    const source = withoutComments(text);
    for (const [, names = "", from = ""] of source.matchAll(NAMED)) {
      for (const one of names.split(",")) {
        const name = one.trim().replace(/^type\s+/, "").split(/\s+as\s+/)[0];
        used.add(`${pathOf(from)}: ${name}`);
      }
    }
    for (const [, from = ""] of source.matchAll(WHOLE)) whole.add(pathOf(from));
  }
  return [...texts].flatMap(([file, text]) => {
    if (whole.has(file)) return [];
    const exported = [...withoutComments(text).matchAll(EXPORT)].map(([, name]) => `${file}: ${name}`);
    return exported.filter((one) => !used.has(one));
  });
}

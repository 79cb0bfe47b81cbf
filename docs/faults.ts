/** Writes `docs/faults.md` out of the tables of faults and of security rules, and of the tests that prove them. */
import { FAULTS, type Proof } from "../tests/proof/faults.ts";
import { SECURITY_RULES } from "../tests/proof/security_rules.ts";

const FILE = new URL("faults.md", import.meta.url);

export function faultsPage(): string {
  const faults = FAULTS.flatMap((part) => part.faults);
  const whole = faults.filter(({ proofs, open }) => proofs.length > 0 && open === undefined).length;
  const empty = faults.filter(({ proofs }) => proofs.length === 0).length;
  const parts = FAULTS.map(({ about, faults }) =>
    `## ${about}

| | what is broken | what holds | by | not proven yet |
|---|---|---|---|---|
${
      faults.map(({ id, broken, holds, proofs, open = "" }) =>
        row([`<a id="${id.toLowerCase()}"></a>${id}`, broken, holds, placesOf(proofs), open])
      ).join("\n")
    }
`
  );
  const rules = SECURITY_RULES.map(({ id, rule, proofs, open = "" }) =>
    row([id, rule, placesOf(proofs), open])
  );
  return `# What berth survives, and where that is proven

<!-- Written by \`deno task docs\` from tests/proof/faults.ts and tests/proof/security_rules.ts; a test holds it to that. -->

A promise counts when a test breaks the thing that it is about. Of ${faults.length} faults ${whole} are proven, ${empty} are
not, and of the others the last column says what is missing. \`deno task proof\` runs the long ones,
\`deno task mutations\` puts faults into berth's own code and shows which test notices each, \`deno task chaos\` checks
what callers are answered while everything around them is killed and cut, and \`deno task soak\` watches memory for hours.

Not tried is the loss of power with writes that reach the disk in another order: it takes a kernel with the device mapper
and \`dm-log-writes\`, which the machines of these tests do not have. In its stead, every acknowledged write is seen to
have been synced (F8), and every single write and sync of the store fails once (F62).

${parts.join("\n")}
## Rules of security

| | rule | by | not proven yet |
|---|---|---|---|
${rules.join("\n")}
`;
}

function placesOf(proofs: readonly Proof[]): string {
  const files = [...new Set(proofs.map(([file]) => file))];
  return files.map((file) => {
    const names = proofs.flatMap(([of, name]) => of === file && name !== undefined ? [name] : []);
    return `[${file.replace(/^.*\//, "")}](../${file})${
      names.length === 0 ? "" : `: ${names.map(quoted).join("; ")}`
    }`;
  }).join("<br>");
}

function quoted(name: string): string {
  return `“${name.replace(/^[:, ]+/, "")}”`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

if (import.meta.main) await Deno.writeTextFile(FILE, faultsPage());

/** Signatures of commits: where signers are listed, only what one of their SSH keys has signed is taken. */
import type { SourceSigner } from "../core/source.ts";
import { fingerprintOf } from "./deploy_key.ts";
import { SourceFailure } from "./failure.ts";
import { type Objects, short } from "./objects.ts";
import { refusedSource } from "./own_folder.ts";

/** Returns keys as they are kept: each once, with its fingerprint. Throws `source_refused` for what is no public key. */
export async function checkedSigners(written: readonly string[]): Promise<SourceSigner[]> {
  const found = new Map<string, SourceSigner>();
  for (const text of written) {
    const [kind = "", blob = "", ...comment] = text.trim().split(/\s+/);
    const fingerprint = await fingerprintOf(`${kind} ${blob}`);
    // A certificate names no key, and its authority may sign others.
    if (fingerprint === null || kind.includes("-cert-")) {
      throw refusedSource(`"${text.slice(0, 60)}" is no public key of a signer, as ssh-ed25519 AAAA…`);
    }
    found.set(fingerprint, { key: `${kind} ${blob}`, name: comment.join(" "), fingerprint });
  }
  return [...found.values()];
}

/** Resolves if one of the signers has signed the commit, or if none are listed. Throws `SourceFailure` otherwise. */
export async function mustBeSigned(
  objects: Objects,
  commit: string,
  signers: readonly SourceSigner[],
): Promise<void> {
  if (signers.length === 0) return;
  const own = await Deno.makeTempDir({ dir: objects.folder, prefix: "signers-" });
  try {
    const lines = signers.map(({ key }) => `signer namespaces="git" ${key}\n`);
    await Deno.writeTextFile(`${own}/allowed`, lines.join(""), { mode: 0o600, createNew: true });
    const { code, said, ended } = await objects.read({
      args: ["verify-commit", commit],
      config: [
        ["gpg.ssh.allowedSignersFile", `${own}/allowed`],
        ["gpg.ssh.revocationFile", ""],
        ["gpg.minTrustLevel", "fully"],
        // Signatures of other kinds are none of theirs.
        ["gpg.program", "/nonexistent"],
        ["gpg.x509.program", "/nonexistent"],
      ],
      env: { TMPDIR: own },
      most: 10_000,
    });
    if (code !== 0 || ended !== "itself") throw new SourceFailure(reasonFor(commit, said));
  } finally {
    await Deno.remove(own, { recursive: true }).catch(() => {});
  }
}

function reasonFor(commit: string, said: string): string {
  if (/cannot run ssh-keygen|failed to run.*ssh-keygen/i.test(said)) {
    return 'signatures cannot be looked at: there is no program "ssh-keygen" in PATH';
  }
  const foreign = /with \S+ key (SHA256:[A-Za-z0-9+/]+)/.exec(said)?.[1];
  if (foreign !== undefined) {
    return `commit ${short(commit)} is signed with ${foreign}, which is no key of its signers`;
  }
  return said.trim() === ""
    ? `commit ${short(commit)} is not signed, and its signers are listed`
    : `the signature of commit ${short(commit)} is none that ssh-keygen takes`;
}

/** Which fresh proof is wanted now; apart from how it is got, which few ever need. */
import { signal } from "@preact/signals";

export type ProofWanted =
  & { readonly giveUp: () => void }
  & (
    | { readonly by: "password" | "key"; readonly prove: (secret: string) => Promise<void> }
    /** At the identity provider; null where it does not send people back to this page. */
    | { readonly by: "provider"; readonly name: string; readonly prove: (() => Promise<void>) | null }
  );

/** What is asked of whoever is there, while it is. */
export const proofWanted = signal<ProofWanted | null>(null);

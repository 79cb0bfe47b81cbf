/** Which fresh proof is wanted now; apart from how it is got, which few ever need. */
import { signal } from "@preact/signals";

export type ProofWanted =
  & { readonly giveUp: () => void }
  & (
    | { readonly by: "password" | "key"; readonly prove: (secret: string) => Promise<void> }
    | {
      readonly by: "provider";
      readonly name: string;
      /** In a window of its own, until the signal; whether the provider let them in. Null where it does not send people back here. */
      readonly prove: ((ending: AbortSignal) => Promise<boolean>) | null;
    }
  );

/** The question to the user, while it is open. */
export const proofWanted = signal<ProofWanted | null>(null);

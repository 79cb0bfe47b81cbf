/** Some acts want a fresh proof of who one is: it is asked for, and then the act is done again. */
import { signal } from "@preact/signals";
import { AUTH_PROOF } from "../../client/berth/auth.ts";
import { problemOf } from "./problem.ts";
import { client } from "./session.ts";

export interface ProofWanted {
  readonly by: "password" | "key" | "provider";
  readonly prove: (secret: string) => Promise<void>;
  readonly giveUp: () => void;
}

/** What is asked of whoever is there, while it is. */
export const proofWanted = signal<ProofWanted | null>(null);

/** Does the act; where it wants a proof, once more after that. Who gives up has cancelled the act. */
export async function proved<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const problem = problemOf(error);
    if (problem?.code !== "sign_in_again") throw error;
    await ask(WAYS[problem.errors[0]?.path ?? ""] ?? "provider");
    return await act();
  }
}

const WAYS: Readonly<Record<string, ProofWanted["by"]>> = { "body.password": "password", "body.key": "key" };

async function ask(by: ProofWanted["by"]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  proofWanted.value = {
    by,
    prove: async (secret) => {
      const payload = by === "key" ? { key: secret } : { password: secret };
      await client.post(AUTH_PROOF, { payload, expectedStatus: 204 });
      resolve();
    },
    giveUp: () => reject(new DOMException("It was given up", "AbortError")),
  };
  try {
    await promise;
  } finally {
    proofWanted.value = null;
  }
}

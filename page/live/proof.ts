/** Some acts need a recent sign-in: the page asks for it and then repeats the act. */
import { AUTH_PROOF, AUTH_STATUS, type Proof, type Provider } from "../../client/berth/auth.ts";
import { problemOf } from "./problem.ts";
import { proofWanted } from "./proof_wanted.ts";
import { askAgainAt, returnAddress } from "./provider.ts";
import { client } from "./session.ts";

/** Does the act; where it wants a proof, once more after that. Who gives up has cancelled the act. */
export async function proved<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const problem = problemOf(error);
    if (problem?.code !== "sign_in_again") throw error;
    await (asking ??= ask(problem.errors[0]?.path).finally(() => asking = null));
    return await act();
  }
}

/** The question that is open: acts that want a proof meanwhile wait for the same answer. */
let asking: Promise<void> | null = null;

async function ask(path: string | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const ending = new AbortController();
  const giveUp = () => {
    ending.abort();
    reject(new DOMException("It was given up", "AbortError"));
  };
  const send = async (payload: Proof) => {
    await client.post(AUTH_PROOF, { payload, expectedStatus: 204 });
    resolve();
  };
  if (path === "body.password") {
    proofWanted.value = { by: "password", giveUp, prove: (password) => send({ password }) };
  } else if (path === "body.key") {
    proofWanted.value = { by: "key", giveUp, prove: (key) => send({ key }) };
  } else {
    const { provider } = (await client.get(AUTH_STATUS)).json();
    const back = provider === null ? null : returnAddress(provider);
    const prove = async (there: Provider, back: string, turn: AbortSignal) => {
      const answer = await askAgainAt(there, back, AbortSignal.any([ending.signal, turn]));
      if (answer !== null) await send(answer);
      return answer !== null;
    };
    proofWanted.value = {
      by: "provider",
      name: provider?.name ?? "",
      giveUp,
      prove: provider === null || back === null ? null : (turn) => prove(provider, back, turn),
    };
  }
  try {
    await promise;
  } finally {
    proofWanted.value = null;
  }
}

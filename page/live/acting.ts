/** Acts behind a button: one at a time, and what went wrong with the last one is kept to be shown. */
import { type Signal, signal } from "@preact/signals";
import { type Problem, problemOf } from "./problem.ts";
import { proved } from "./proof.ts";

export class Acting {
  readonly problem: Signal<Problem | null> = signal(null);
  readonly isBusy: Signal<boolean> = signal(false);

  /** Does nothing while another act is under way. `gone` where a 404 says that what is to end has ended. */
  async act(work: () => Promise<unknown>, { gone = false }: { readonly gone?: boolean } = {}): Promise<void> {
    if (this.isBusy.value) return;
    this.isBusy.value = true;
    this.problem.value = null;
    try {
      await proved(work);
    } catch (error) {
      const problem = problemOf(error);
      if (!gone || problem?.status !== 404) this.problem.value = problem;
    } finally {
      this.isBusy.value = false;
    }
  }
}

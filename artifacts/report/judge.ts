/** Counts the findings of a workspace; the rules are loaded with the first one that is read. */
import type { Model } from "../artifact.ts";

export async function judge(model: Model): Promise<{ readonly errors: number; readonly warnings: number }> {
  return (await import("./report.ts")).problemsOf(model);
}

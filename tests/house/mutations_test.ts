/** The faults of `deno task mutations` can still be put in: a line that moved takes its fault out of the count. */
import { mustApply, MUTATIONS } from "../proof/mutations.ts";

Deno.test("each fault that is put into berth's own code still finds its lines and its tests", async () => {
  await mustApply(new URL("../../", import.meta.url).pathname, MUTATIONS);
});

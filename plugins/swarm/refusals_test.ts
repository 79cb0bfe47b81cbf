/** Words of managers that refuse a change, where no real one can be made to say it at will. */
import assert from "node:assert/strict";
import { failureOf } from "../../engines/calls/failure.ts";
import { refusalOf } from "./refusals.ts";

Deno.test("A change that lost its quorum on the way is no refusal", () => {
  for (
    const words of [
      "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
      "rpc error: code = Unknown desc = raft: raft message dropped: lost leadership",
    ]
  ) {
    const answer = failureOf("one", 500, JSON.stringify({ message: words }), { doing: "do it" });
    const error = refusalOf(answer, "do it") as { readonly code: string };
    assert.equal(error.code, "cluster_without_quorum", words);
  }
});

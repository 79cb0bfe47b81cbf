/** Another user who signs in over a session that has ended. */
import assert from "node:assert/strict";
import { answerWith, place } from "../../tests/page/fake_berth.ts";
import { type OpenFile, setDraft } from "./files.ts";
import { signIn, who } from "./session.ts";

Deno.test("a document that another user signs in to is left, with no question about the texts of the first one", async () => {
  const names = ["ada", "ben"];
  answerWith((path) => {
    const name = path === "/api/auth/password" ? names.shift() : undefined;
    if (name === undefined) return null;
    return {
      accessToken: name,
      expiresIn: 900,
      principal: { kind: "user", id: name, name, grants: [], permissions: [] },
    };
  });
  const isAsked = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));

  await signIn("ada", "password");
  setDraft("w\ncompose.yaml", { base: { text: "a" } as OpenFile, text: "b" });
  assert.equal(isAsked(), true, "ada's text is not lost by accident");
  await signIn("ben", "password");

  assert.deepEqual([place.reloads, isAsked(), who.value?.name], [1, false, "ada"]);
});

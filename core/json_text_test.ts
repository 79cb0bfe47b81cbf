import assert from "node:assert/strict";
import {
  jsonArray,
  jsonMap,
  jsonMembers,
  jsonObject,
  type JsonText,
  jsonText,
  membersOf,
  NO_MEMBERS,
} from "./json_text.ts";

const AWKWARD = 'a "b"\n\u2028\ud800 ,}]';

Deno.test("JSON that is put together reads as the values that it was made of", () => {
  const row: JsonText = jsonObject(
    jsonMembers({ name: jsonText(AWKWARD), gone: undefined, list: jsonArray([jsonText(1), jsonText(null)]) }),
    NO_MEMBERS,
    membersOf(jsonText({ last: true })),
  );
  assert.deepEqual(JSON.parse(row), { name: AWKWARD, list: [1, null], last: true });
  assert.deepEqual(JSON.parse(jsonMap([[AWKWARD, row], ["b", jsonText([])]])), {
    [AWKWARD]: JSON.parse(row),
    b: [],
  });
});

Deno.test("An object, an array and members of nothing are empty", () => {
  assert.deepEqual([jsonObject(), jsonObject(NO_MEMBERS), jsonArray([]), jsonMap([])], [
    "{}",
    "{}",
    "[]",
    "{}",
  ]);
  assert.equal(jsonMembers({ gone: undefined }), "");
  assert.equal(membersOf(jsonText({})), NO_MEMBERS);
});

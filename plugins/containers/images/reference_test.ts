/** Image references: which texts are one, and how they are read. */
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { ServiceError } from "../../../core/error.ts";
import { nameOf, textOfReference, versionOf } from "../../../core/image_reference.ts";
import { parseReference } from "./reference.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

Deno.test("parseReference fills in what people leave out", () => {
  const full = (text: string) => textOfReference(parseReference(text));
  assert.equal(full("busybox"), "docker.io/library/busybox:latest");
  assert.equal(full("docker.io/busybox"), "docker.io/library/busybox:latest");
  assert.equal(full("index.docker.io/busybox"), "docker.io/library/busybox:latest");
  assert.equal(full("team/app:1.2"), "docker.io/team/app:1.2");
  assert.equal(full("ghcr.io/team/app"), "ghcr.io/team/app:latest");
  assert.equal(full("localhost/app"), "localhost/app:latest");
  assert.equal(full("127.0.0.1:5000/a/b:1"), "127.0.0.1:5000/a/b:1");
});

Deno.test("parseReference lets a digest decide over a tag", () => {
  const reference = parseReference(`ghcr.io/team/app:1@${DIGEST}`);
  assert.deepEqual(reference, { registry: "ghcr.io", repository: "team/app", tag: "1", digest: DIGEST });
  assert.equal(nameOf(reference), "ghcr.io/team/app");
  assert.equal(versionOf(reference), DIGEST);
});

Deno.test("parseReference refuses what is no reference", () => {
  const refused = [
    ..."|..|.|/|a/|/a|a//b|UPPER|a:|a:b:c|a b|a\nb|a@sha256:short|a@b@c|../../x|a/../b|http://x/y".split("|"),
    "%2e%2e/x",
    "x?tag=1",
    "x#y",
    `a:${"t".repeat(129)}`,
    "a/".repeat(300) + "b",
    "user:pw@host/x",
    "-a",
    "a..b",
  ];
  for (const text of refused) {
    assert.throws(
      () => parseReference(text),
      (thrown) => thrown instanceof ServiceError && thrown.code === "invalid_request",
      JSON.stringify(text),
    );
  }
});

Deno.test("parseReference answers or refuses whatever it is given, and what it answers it reads the same again (R53)", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-zA-Z0-9./:@_-]{0,60}$/)), (text) => {
    let reference;
    try {
      reference = parseReference(text);
    } catch (thrown) {
      assert(thrown instanceof ServiceError);
      return;
    }
    const whole = textOfReference(reference);
    assert(!whole.split("/").some((part) => part === "." || part === ".." || part === ""));
    assert.equal(textOfReference(parseReference(whole)), whole);
  }));
});

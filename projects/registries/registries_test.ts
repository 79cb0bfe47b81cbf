import assert from "node:assert/strict";
import { readReference } from "../../core/image_reference.ts";
import type { RegistryRecord } from "../../core/registries.ts";
import { Registries } from "./registries.ts";

/** As Docker Hub is stored, whichever of its names was typed. */
const HUB: RegistryRecord = {
  id: "hub",
  host: "docker.io",
  path: "",
  login: "password",
  username: "ada",
  sealed: new TextEncoder().encode(JSON.stringify({ username: "ada", password: "x" })),
  tokenService: "auth.docker.io",
  plainHttp: false,
  ca: null,
  by: { kind: "user", id: "ada", name: "Ada" },
  at: 0,
};

Deno.test("the credentials of Docker Hub are found under each of its names, and under no other host", async () => {
  await using registries = new Registries({
    store: {
      list: () => Promise.resolve([HUB]),
      put: () => Promise.resolve(),
      remove: () => Promise.resolve(true),
    },
    seal: {
      seal: (text) => Promise.resolve(new TextEncoder().encode(text)),
      open: (sealed) => Promise.resolve(new TextDecoder().decode(sealed)),
    },
    now: () => 0,
  });
  for (const host of ["", "docker.io/", "index.docker.io/", "registry-1.docker.io/"]) {
    const { registry, repository } = readReference(`${host}ada/app:1`)!;
    assert.deepEqual([registry, repository], ["docker.io", "ada/app"]);
    assert.deepEqual((await registries.rulesFor(registry, repository)).login, {
      username: "ada",
      password: "x",
    });
    if (host !== "") {
      assert.equal(readReference(`${host}nginx`)!.repository, "library/nginx");
    }
  }
  for (const host of ["docker.io.example.com", "example.com", "auth.docker.io"]) {
    assert.equal((await registries.rulesFor(host, "ada/app")).login, null);
    assert.equal(readReference(`${host}/ada/app:1`)!.registry, host);
  }
});

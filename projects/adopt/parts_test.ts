/** Containers are sorted into projects by what joins them, and by no name that is a mode. */
import assert from "node:assert/strict";
import { type Blank, blankContainer } from "./blank.ts";
import { partsOf } from "./parts.ts";

const idOf = (n: number) => n.toString(16).padStart(12, "0").repeat(6).slice(0, 64);

function container(n: number, over: Partial<Blank> = {}): Blank {
  return { ...blankContainer("app"), id: idOf(n), name: `c${n}`, ...over };
}

const network = (name: string) => ({
  ...{ name, aliases: [], ipv4Address: null, ipv6Address: null, linkLocalAddresses: [], macAddress: null },
  ...{ links: [], driverOptions: {}, gatewayPriority: 0 },
});

const compose = (project: string) => ({ project, service: "web", workingDir: "/lost", configFiles: [] });

const namesOf = (containers: readonly Blank[]) =>
  partsOf(containers).map((part) => part.containers.map(({ name }) => name));

Deno.test("containers are together by a project, a network, a namespace, a link or volumes, also over others", () => {
  assert.deepEqual(
    namesOf([
      container(0, { compose: compose("shop"), networks: [network("shared")] }),
      container(1),
      container(2, { compose: compose("shop") }),
      container(3, { networkMode: `container:${idOf(1)}` }),
      container(4, { links: ["c3:store"] }),
      container(5, { volumesFrom: [`${idOf(4).slice(0, 12)}:ro`] }),
      container(6, { compose: compose("blog"), networks: [network("shared")] }),
      container(7, { backend: "other", links: ["c1:x"] }),
    ]),
    [["c0", "c2"], ["c1", "c3", "c4", "c5"], ["c6"], ["c7"]],
  );
  // One without a project joins two that share its network.
  assert.deepEqual(
    namesOf([
      container(0, { compose: compose("shop"), networks: [network("shared")] }),
      container(1, { compose: compose("blog"), networks: [network("shared")] }),
      container(2, { networks: [network("shared")] }),
    ]),
    [["c0", "c1", "c2"]],
  );
});

Deno.test("a container that is called as a network mode is joins none of those in that mode", () => {
  const others = [container(1, { networkMode: "bridge" }), container(2, { networkMode: "host" })];
  assert.deepEqual(
    namesOf([container(3, { name: "bridge" }), container(4, { name: "host" }), ...others]),
    [["bridge"], ["host"], ["c1"], ["c2"]],
  );
});

Deno.test("a name that is too long for a project is shortened, and two of them stay different", () => {
  const long = "x".repeat(100);
  const parts = partsOf([
    container(0, { compose: compose(`${long}a`) }),
    container(1, { compose: compose(`${long}b`) }),
  ]);
  assert.deepEqual(parts.map(({ name }) => name), ["x".repeat(63), `${"x".repeat(61)}-2`]);
});

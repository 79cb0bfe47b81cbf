/** An update with nobody present brings newer images, and nothing else that its files say. */
import assert from "node:assert/strict";
import { besidesImages } from "./image_steps.ts";
import type { Reason, Step } from "./plan_shape.ts";

const step = (
  n: number,
  kind: Step["kind"],
  why: Reason["code"] | Reason,
  more: Partial<Step> = {},
): Step => ({
  n,
  kind,
  target: `web-${n}`,
  unit: "web",
  why: [typeof why === "string" ? { code: why } as Reason : why],
  after: [],
  needs: [],
  risk: "none",
  ...more,
});
const at = { file: "compose.yaml", range: {} } as Extract<Reason, { code: "field" }>["at"];
const field = (name: string): Reason => ({ code: "field", field: name, declared: "b", seen: "a", at });
const all = () => true;
const pull = step(1, "image.pull", "newerImage", { digest: `sha256:${"a".repeat(64)}` });

Deno.test("A plan of newer images and of what follows from them does nothing else", () => {
  const swap = step(2, "container.swap", "newerImage", { after: [1], ifChanged: [1] });
  const follows: Reason = { code: "followsFrom", step: 2, how: "restart" };
  const rest = [step(3, "container.restart", follows), step(4, "hook.run", "hook")];

  assert.equal(besidesImages([pull, swap, ...rest], all), null);
  const pulled = step(2, "container.swap", field("image"), { after: [1] });
  assert.equal(besidesImages([pull, pulled], all), null, "another project pulled it before");
});

Deno.test("A plan that does anything else besides newer images is told by its first such step", () => {
  const others = [
    step(2, "container.swap", field("environment.A"), { after: [1] }),
    step(2, "container.swap", field("image")),
    step(2, "container.create", "absent", { after: [1] }),
    step(2, "container.start", "stopped"),
    step(2, "container.remove", "scaleDown"),
    step(2, "image.pull", "policy"),
  ];
  for (const other of others) assert.equal(besidesImages([pull, other], all), other);
  const both = step(2, "container.swap", "newerImage", { after: [1] });
  const mixed = { ...both, why: [...both.why, field("ports")] };
  assert.equal(besidesImages([pull, mixed], all), mixed);
  assert.equal(besidesImages([pull, mixed], ({ n }) => n !== 2), null, "it is not to be done");
});

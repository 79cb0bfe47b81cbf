/** Looks for a secret in all that shows something of a workspace to callers who may not reveal it. */
import assert from "node:assert/strict";
import type { TestCaller } from "../support/service.ts";
import { CANARY } from "./masked_shapes.ts";

/** Callers who may not reveal secrets; a plan takes more than a viewer may. */
export interface Callers {
  readonly viewer: TestCaller;
  readonly operator: TestCaller;
}

/** Asks everything that shows something of a workspace, and returns how many answers were searched. */
export async function search({ viewer, operator }: Callers, id: string, what: string): Promise<number> {
  const base = `/api/workspaces/${id}`;
  const list = await viewer.call(`GET ${base}/artifacts`);
  const { body: { files } } = await viewer.call(`GET ${base}`);
  const items: readonly { kind: string; name: string }[] = list.body.items;
  const routes = [
    `GET ${base}`,
    ...files.map(({ path }: { path: string }) => `GET ${base}/files/${path}`),
    `GET ${base}/artifacts/dag`,
    `GET ${base}/artifacts/dag?format=mermaid`,
    `GET ${base}/artifacts/dag?format=dot`,
    `POST ${base}/artifacts/validate`,
    `POST ${base}/artifacts/validate?format=sarif`,
    "GET /api/overview",
    ...items.map(({ kind, name }) => `GET ${base}/artifacts/${kind}s/${name}`),
    ...items.filter(({ kind }) => kind === "group").map(({ name }) =>
      `POST ${base}/artifacts/groups/${name}/plan`
    ),
  ];
  for (const route of routes) {
    const isPlan = route.endsWith("/plan");
    const answer = await (isPlan ? operator : viewer).call(route, isPlan ? {} : undefined);
    assert.ok(answer.status < 300, `${what}: ${route}: ${answer.text}`);
    assert.ok(!answer.text.includes(CANARY), `${what}: ${route}: ${around(answer.text)}`);
  }
  assert.ok(!list.text.includes(CANARY), `${what}: the list: ${around(list.text)}`);
  return routes.length + 1;
}

export const around = (text: string): string => {
  const at = text.indexOf(CANARY);
  return text.slice(Math.max(0, at - 300), at + 100);
};

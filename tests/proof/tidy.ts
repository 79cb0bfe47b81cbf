/** An engine as it was started: so that one test's leavings never make the next one fail. */
import type { TestEngine } from "../support/engine.ts";

interface Listed {
  readonly Id: string;
  readonly Name: string;
}

const OWN = new Set(["bridge", "host", "none", "podman"]);

/** Removes every container, volume and network that a test made. Leaves an engine alone that is not the test's own. */
export async function tidy(engine: TestEngine): Promise<void> {
  if (engine.sandbox === null) return;
  const containers: Listed[] = (await engine.ask("GET /containers/json?all=1")).json;
  for (const { Id } of containers) await engine.ask(`DELETE /containers/${Id}?force=1&v=1`);
  const volumes: Listed[] = (await engine.ask("GET /volumes")).json.Volumes ?? [];
  for (const { Name } of volumes) await engine.ask(`DELETE /volumes/${Name}?force=1`);
  const networks: Listed[] = (await engine.ask("GET /networks")).json;
  for (const { Id, Name } of networks) if (!OWN.has(Name)) await engine.ask(`DELETE /networks/${Id}`);
}

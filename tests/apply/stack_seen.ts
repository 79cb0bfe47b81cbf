/** Stacks for tests of applies, and what the engine itself shows of them. */
import type { TestEngine } from "../support/engine.ts";
import { SWARM_IMAGE } from "../support/swarm.ts";

/** Judged sooner than after the swarm's own five seconds, and late enough for a busy machine. */
const SOON =
  "deploy: { update_config: { monitor: 3s, failure_action: pause }, restart_policy: { delay: 100ms } }";

/** A file for a swarm, whose services have these lines beside an image that does nothing. */
export function stackOf(services: Readonly<Record<string, string>>): string {
  const all = Object.entries(services).map(([name, lines]) =>
    `  ${name}:\n    image: ${SWARM_IMAGE}\n    command: [idle]\n    stop_grace_period: 1s\n    ${SOON}\n` +
    lines.split("\n").filter((line) => line !== "").map((line) => `    ${line}\n`).join("")
  );
  return `version: "3.13"\nx-berth: { target: swarm }\nservices:\n${all.join("")}` +
    "secrets:\n  key: { file: ./key.txt }\nconfigs:\n  site: { file: ./site.conf }\n";
}

/** A service as a manager has it. */
export async function definition(
  engine: TestEngine,
  name: string,
  // deno-lint-ignore no-explicit-any -- a test reads what it expects
): Promise<any> {
  return (await engine.ask(`GET /services/${name}`)).json;
}

/** The ids of the tasks that are to run, by the names of their services. */
export async function tasksOf(engine: TestEngine, stack: string): Promise<Record<string, string[]>> {
  const { json: services } = await engine.ask("GET /services");
  const { json: tasks } = await engine.ask("GET /tasks");
  const found: Record<string, string[]> = {};
  for (const { ID, Spec } of services) {
    if (Spec.Labels["com.docker.stack.namespace"] !== stack) continue;
    found[Spec.Name] = tasks
      .filter(({ ServiceID, DesiredState }: Record<string, string>) =>
        ServiceID === ID && DesiredState === "running"
      )
      .map(({ ID }: { ID: string }) => ID).sort();
  }
  return found;
}

/** Returns the output of a command inside the running container of a service on this node. */
export async function insideOf(engine: TestEngine, service: string, ...command: string[]): Promise<string> {
  const filter = `label=com.docker.swarm.service.name=${service}`;
  const [id] = (await engine.cli("ps", "-q", "--filter", filter)).trim().split("\n");
  return await engine.cli("exec", id!, ...command);
}

/** `berth apply`: a plan is shown, asked about, carried out and followed to its end. */
import type { ApplyEvent } from "../client/berth/applies.ts";
import type { Apply, Plan, PlanRequest } from "../client/berth/models.ts";
import { PLAN_APPLY } from "../client/berth/plans.ts";
import { type Client, isClientError } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import { ApplyFollower } from "./apply_events.ts";
import { ApplyLines, ApplyPicture, doneBut } from "./apply_text.ts";
import type { Line } from "./command.ts";
import { isMeant } from "./confirmed.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { writeError, writeOut } from "./output.ts";
import { planOf } from "./plan.ts";
import { planRequestOf, remediesText } from "./plan_options.ts";
import { textOf } from "./plan_text.ts";
import { type Target, targetsAt } from "./target.ts";

export async function run(line: Line): Promise<number> {
  let left: string[] = [];
  let code: number = EXIT.FINE;
  try {
    using client = await openClient();
    const targets = await targetsAt(client, line.args[0]!, line.option("--group"));
    left = targets.map(({ id }) => id);
    for (const target of targets) {
      left.shift();
      code = await applyTo(client, target, line);
      if (code !== EXIT.FINE) break;
    }
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return EXIT.NO; // the reader closed the pipe; the apply goes on
    code = failCall(error);
  }
  tellLeft(left);
  return code;
}

/** Names the projects that have not had their turn, since one before them did not end well. */
export function tellLeft(ids: readonly string[]): void {
  if (ids.length > 0) writeError(`berth: Not applied: ${ids.map(visible).join(", ")}\n`);
}

/** Plans, asks and applies. Returns the exit code. */
export async function applyTo(
  client: Client,
  target: Target,
  line: Line,
  asked = planRequestOf(line),
): Promise<number> {
  const plan = await agreedPlan(client, target, line, asked);
  return typeof plan === "number" ? plan : await carryOut(client, plan, line);
}

/** Plans and asks. Returns the plan that is meant, or the exit code where there is nothing to carry out. */
export async function agreedPlan(
  client: Client,
  target: Target,
  line: Line,
  asked: PlanRequest,
): Promise<Plan | number> {
  const isAgreed = line.option("--yes") !== undefined;
  const plan = await planOf(client, target, asked);
  if (isAgreed && target.isShort) {
    throw new UsageFailure(
      `"${target.id}" may mean another project tomorrow: with "--yes", say "${wholeOf(plan, target)}"`,
    );
  }
  const isJson = line.option("--json") !== undefined;
  if (!isJson) writeOut(textOf([plan]));
  if (plan.blocked.length > 0) {
    // The output is for the events of an apply: there is none.
    if (isJson) writeError(blockedText(plan));
    return EXIT.NO;
  }
  if (plan.steps.length === 0) return EXIT.FINE;
  return isMeant(questionOf(plan), line, lostBy(plan.steps)) ? plan : EXIT.NO;
}

const blockedText = ({ group, blocked }: Plan): string =>
  blocked.map(({ message, remedies }) =>
    `berth: Cannot apply ${visible(group)}: ${visible(`${message}${remediesText(remedies)}`)}\n`
  ).join("");

const wholeOf = ({ group, workspace }: Plan, { service }: Target): string =>
  `${group}@${workspace}${service === undefined ? "" : `/${service}`}`;

const questionOf = ({ group, steps }: Plan): string =>
  `Apply ${steps.length} step${steps.length === 1 ? "" : "s"} to ${visible(group)}?`;

/** Naming a volume agrees to the loss of its data. */
const lostBy = (steps: Plan["steps"]): string[] =>
  steps.filter(({ risk }) => risk === "dataLoss").map(({ target }) => target);

/** Applies exactly this plan, and follows it to its end. Returns the exit code. */
export async function carryOut(client: Client, plan: Plan, line: Line): Promise<number> {
  const isJson = line.option("--json") !== undefined;
  const { declared, observed } = plan.basis;
  const onFailure = line.option("--on-failure") === "rollback" ? { onFailure: "rollback" as const } : {};
  const payload = { basis: { declared, observed }, confirm: lostBy(plan.steps), ...onFailure };
  const params = { id: plan.id };
  const answer = await client.post(PLAN_APPLY, { params, payload, expectedStatus: 202 });
  const begun = answer.json();
  const show = isJson ? asJson : Deno.stdout.isTerminal() ? asPicture(begun) : asLines(begun);
  const over = await followed(client, begun, show);
  if (typeof over === "number" || over.state === "running") {
    const { origin } = new URL(answer.url);
    writeError(
      `berth: The apply goes on without this command: ${origin}/applies/${begun.id} shows how it ends\n`,
    );
    return typeof over === "number" ? over : EXIT.INCOMPLETE;
  }
  const { state, reason, unstable } = over;
  if (!isJson && reason !== null) {
    writeError(`berth: ${visible(state === "done" ? doneBut(reason) : reason)}\n`);
    for (const { container } of unstable) writeError(`  berth logs ${visible(container)}\n`);
  }
  if (state === "paused") return EXIT.WAITS;
  return state === "done" && reason === null ? EXIT.FINE : EXIT.NO;
}

/** Shows each event. Returns the apply at its end, or the exit code where it cannot be followed any more. */
async function followed(
  client: Client,
  { id }: Apply,
  show: (event: ApplyEvent) => void,
): Promise<Apply | number> {
  const events = new ApplyFollower(client, id).events();
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done) return value;
      show(value);
    }
  } catch (error) {
    if (!isClientError(error)) throw error;
    return failCall(error);
  } finally {
    await events.return(undefined as never); // ends its connection where showing failed
  }
}

const asJson = (event: ApplyEvent): void => writeOut(`${JSON.stringify(event)}\n`);

function asLines({ steps }: Apply): (event: ApplyEvent) => void {
  const lines = new ApplyLines(steps);
  return (event) => {
    const text = lines.after(event);
    if (text !== null) writeOut(`${text}\n`);
  };
}

function asPicture({ steps }: Apply): (event: ApplyEvent) => void {
  const picture = new ApplyPicture(steps, Deno.consoleSize());
  writeOut(picture.first());
  return (event) => writeOut(picture.after(event));
}

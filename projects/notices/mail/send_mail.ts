/** Sends a message as a mail. */
import { OutboundFailure } from "../../../core/outbound.ts";
import type { Message, Target } from "../message.ts";
import { letterOf } from "./letter.ts";
import { mailTargetIn } from "./mail_address.ts";
import { MailFailure } from "./mail_failure.ts";
import { submit, type Submitted } from "./smtp.ts";

interface Sending {
  readonly now: number;
  readonly totalMs: number;
  /** True to send nothing yet where a recipient is refused for now. */
  readonly isPatient: boolean;
  readonly stopping?: AbortSignal | undefined;
}

/** Throws `MailFailure` and `OutboundFailure`. */
export async function sendMail(
  { address, secret, ca }: Omit<Target, "kind">,
  message: Message,
  { now, totalMs, isPatient, stopping }: Sending,
): Promise<Submitted> {
  const target = mailTargetIn(address, secret !== null);
  if (typeof target === "string") throw new MailFailure(target);
  const late = AbortSignal.timeout(totalMs);
  const signal = AbortSignal.any([late, ...stopping === undefined ? [] : [stopping]]);
  try {
    const text = letterOf(message, target, now);
    return await submit({ ...target, password: secret, ca, text, isPatient, signal });
  } catch (error) {
    if (late.aborted) throw new OutboundFailure("late", `no answer within ${totalMs / 1000} s`, error);
    if (error instanceof MailFailure || error instanceof OutboundFailure) throw error;
    throw new OutboundFailure("unreachable", "it cannot be reached", error);
  }
}

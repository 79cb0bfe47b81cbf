/** Sends a message as a mail. */
import { OutboundFailure } from "../../../core/outbound.ts";
import type { Message, Target } from "../message.ts";
import { letterOf } from "./letter.ts";
import { mailTargetIn } from "./mail_address.ts";
import { MailFailure } from "./mail_failure.ts";
import { submit, type Submitted } from "./smtp.ts";

/** Throws `MailFailure` and `OutboundFailure`. */
export async function sendMail(
  { address, secret, ca }: Omit<Target, "kind">,
  message: Message,
  now: number,
  totalMs: number,
  stopping?: AbortSignal,
): Promise<Submitted> {
  const target = mailTargetIn(address, secret !== null);
  if (typeof target === "string") throw new MailFailure(target);
  const late = AbortSignal.timeout(totalMs);
  const signal = AbortSignal.any([late, ...stopping === undefined ? [] : [stopping]]);
  try {
    return await submit({ ...target, password: secret, ca, text: letterOf(message, target, now), signal });
  } catch (error) {
    if (late.aborted) throw new OutboundFailure("late", `no answer within ${totalMs / 1000} s`, error);
    if (error instanceof MailFailure || error instanceof OutboundFailure) throw error;
    throw new OutboundFailure("unreachable", "it cannot be reached", error);
  }
}

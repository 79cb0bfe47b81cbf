/** A notice as it is asked for, and what no schema can say about it. */
import * as z from "../core/schema.ts";
import { KeyName, Scope } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { INCIDENT_KINDS } from "../core/incidents.ts";
import { NOTICE_KINDS } from "../core/notices.ts";
import { mailTargetIn } from "../projects/notices/mail/mail_address.ts";
import { isTimeZone } from "../projects/updates/window.ts";
import { IncidentKind } from "./incident_rows.ts";

const TIME = z.string().regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, 'Expected a time of the day, as "22:00"');

export const Quiet = z.strictObject({
  from: TIME.describe("When they begin, as `22:00`"),
  to: TIME.describe("When they end"),
  zone: z.string().min(1).max(64).describe("The time zone of both, as `Europe/Berlin`"),
}).meta({ id: "QuietHours", examples: [{ from: "22:00", to: "07:00", zone: "Europe/Berlin" }] });

const NoticeKind = z.enum(NOTICE_KINDS).meta({ id: "NoticeKind" });

export const Told = {
  name: KeyName.describe("Its name"),
  kind: NoticeKind.describe(
    "`slack` is also for Discord (with `/slack` behind its address) and Mattermost",
  ),
};

const isAddress = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.username === "" &&
    url.password === "";
};

export const NewNotice = z.strictObject({
  ...Told,
  address: z.string().max(2_000).describe(
    "The address that messages are sent to: sealed, and never shown. Of mail: " +
      "`smtp://mail.example.org:587?from=berth@example.org&to=ada@example.org&user=berth`, or `smtps://`",
  ),
  secret: z.string().min(1).max(500).regex(/^[\x20-\x7e]+$/, "Expected text without control characters")
    .optional()
    .describe(
      "Of a webhook: signs its messages (`whsec_…`); of ntfy and Apprise: the token; of mail: the password of the " +
        "login; sealed, and never shown",
    ),
  ca: z.string().min(1).max(65_536).regex(/^-----BEGIN CERTIFICATE-----/, "Expected certificates in PEM")
    .optional().describe(
      "Certificates that are trusted beside the system's, for a target with a private authority",
    ),
  tells: z.array(IncidentKind).min(1).max(INCIDENT_KINDS.length)
    .default(["broken", "differs", "notStarted", "engine", "berth"]).describe(
      "The kinds of incidents to tell",
    ),
  on: z.array(Scope).max(64).default([]).describe("Only incidents in these scopes; a label is none of them"),
  afterS: z.int().min(0).max(86_400).default(60).describe(
    "Seconds for which an incident is open before it is told",
  ),
  quiet: Quiet.optional().describe("Hours in which nothing is sent; what healed meanwhile is never told"),
}).meta({
  id: "NewNotice",
  examples: [{ name: "phone", kind: "ntfy", address: "https://ntfy.sh/a-topic-that-nobody-guesses" }],
});

/** Throws `notice_refused` for what no schema can say. */
export function assertUsable({ kind, address, secret, on, quiet }: z.infer<typeof NewNotice>): void {
  const mail = kind === "mail" ? mailTargetIn(address, secret !== undefined) : null;
  const why = typeof mail === "string"
    ? mail
    : mail === null && !isAddress(address)
    ? "its address must begin with https:// or http:// and hold no user or password"
    : quiet !== undefined && !isTimeZone(quiet.zone)
    ? `"${quiet.zone}" is no time zone: use a name as Europe/Berlin`
    : on.some((scope) => scope.startsWith("label:"))
    ? "incidents have no labels: use a workspace or a project as scope"
    : kind === "webhook" && secret !== undefined && !isSecret(secret)
    ? "the secret of a webhook must be a key in base64 behind whsec_"
    : null;
  if (why !== null) throw new ServiceError("notice_refused", `Cannot use the notice: ${why}`);
}

function isSecret(secret: string): boolean {
  if (!secret.startsWith("whsec_")) return true;
  try {
    return atob(secret.slice("whsec_".length)) !== "";
  } catch {
    return false;
  }
}

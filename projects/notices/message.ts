/** A message about incidents, and the request that each kind of target takes. No secret of a container can be in one. */
import type { Cause, Incident } from "../../core/incidents.ts";
import type { NoticeKind } from "../../core/notices.ts";
import { causeText, endText, stateText, subjectText } from "../watch/incident_text.ts";

/** Incidents that a message names; the rest is a number. */
const MOST_NAMED = 10;
const MOST_CHARACTERS = 100;

export interface Message {
  /** The same for every attempt: receivers can drop doubles by it. */
  readonly id: string;
  readonly title: string;
  readonly lines: readonly string[];
  readonly incidents: readonly Incident[];
  /** `watching` is the first one that a target gets, `unrecorded` one from memory while the store is away. */
  readonly type: "incidents" | "watching" | "unrecorded" | "test";
  readonly isOver: boolean;
  /** The page with all of them. */
  readonly link: string | null;
}

export interface Target {
  readonly kind: NoticeKind;
  readonly address: string;
  readonly secret: string | null;
  /** A PEM text of further certificates that are trusted. */
  readonly ca: string | null;
}

/** The kinds that take one request. */
export type HttpKind = Exclude<NoticeKind, "mail">;

interface Sending {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns a name without control characters and markup, cut. */
export function plain(text: string): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").replaceAll(/[<>&`*_~|[\]@]/g, "·");
  return clean.length > MOST_CHARACTERS ? `${clean.slice(0, MOST_CHARACTERS)}…` : clean;
}

const clock = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace("T", " ");

/** Says the cause without who acted, which is told to holders of `audit:read` alone. */
const becauseOf = ({ by: _, ...cause }: Cause): string => plain(causeText(cause));

/** Returns what is said of one incident as it is now. */
function lineOf(incident: Incident): string {
  const { kind, subject, since, atLatest, closedAt, fields, cause, endings } = incident;
  const time = closedAt === null
    ? `since ${atLatest ? "at the latest " : ""}${clock(since)} UTC`
    : `${clock(since)} to ${clock(closedAt)} UTC`;
  const times = endings > 1 ? `, ${endings} endings` : "";
  const state = closedAt === null
    ? stateText(kind, fields)
    : `${endText(incident)}, was ${stateText(kind, [])}`;
  return `${plain(subjectText(subject))}: ${plain(state)} ${time}, ${becauseOf(cause)}${times}`;
}

export function messageOf(id: string, incidents: readonly Incident[], base: string | null): Message {
  const open = incidents.filter(({ closedAt }) => closedAt === null);
  const ordered = [...open, ...incidents.filter(({ closedAt }) => closedAt !== null)];
  const lines = ordered.slice(0, MOST_NAMED).map(lineOf);
  const more = ordered.length - lines.length;
  const [only] = ordered;
  return {
    id,
    title: ordered.length === 1 && only !== undefined
      ? `berth: ${plain(subjectText(only.subject))} ${
        only.closedAt === null ? plain(stateText(only.kind, [])) : `is ${endText(only)}`
      }`
      : `berth: ${open.length} open, ${ordered.length - open.length} ${
        incidents.some(({ end }) => end === "undeclared") ? "over" : "well again"
      }`,
    lines: more > 0 ? [...lines, `and ${more} more`] : lines,
    incidents: ordered,
    type: "incidents",
    isOver: open.length === 0,
    link: base === null ? null : `${base.replace(/\/$/, "")}/incidents`,
  };
}

/** Returns the first message of a target: what berth watches, and what is wrong now. */
export function firstMessage(
  id: string,
  units: number,
  open: readonly Incident[],
  base: string | null,
): Message {
  const watched = `berth watches ${units} ${units === 1 ? "unit" : "units"}`;
  const wrong = open.length === 0
    ? "all is well"
    : `${open.length} not as ${open.length === 1 ? "it" : "they"} should be`;
  return { ...messageOf(id, open, base), title: `${watched}: ${wrong}`, type: "watching" };
}

/** Returns a message from memory: the store takes nothing. */
export function unrecordedMessage(
  id: string,
  gap: Incident,
  incidents: readonly Incident[],
  base: string | null,
): Message {
  const { title, lines, ...message } = messageOf(id, incidents, base);
  return {
    ...message,
    title: incidents.length === 0 ? "berth: nothing can be recorded" : `${title}, not recorded`,
    lines: [`since ${clock(gap.since)} UTC ${becauseOf(gap.cause)}`, ...lines],
    type: "unrecorded",
    isOver: false,
  };
}

export function testMessage(id: string, name: string, base: string | null): Message {
  return {
    ...messageOf(id, [], base),
    title: "berth: this is a test",
    lines: [`The notice "${plain(name)}" reaches you.`],
    type: "test",
  };
}

/** Returns the request for a target. `now` is in milliseconds. */
export async function sendingOf(
  { kind, address, secret }: Pick<Target, "address" | "secret"> & { readonly kind: HttpKind },
  message: Message,
  now: number,
): Promise<Sending> {
  const url = new URL(address);
  const json = { "content-type": "application/json", "user-agent": "berth" };
  const { title, lines, link } = message;
  const text = [...lines, ...(link === null ? [] : [link])].join("\n");
  const bearer: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` };
  switch (kind) {
    case "webhook":
      return await webhook(url, secret, message, now);
    case "ntfy": {
      const parts = url.pathname.split("/").filter((part) => part !== "");
      const topic = decodeURIComponent(parts.pop() ?? "");
      const base = new URL(`/${parts.join("/")}`, url);
      const priority = message.isOver || message.type === "test" ? 3 : 4;
      const body = { topic, title, message: text, priority, ...(link !== null && { click: link }) };
      return { url: base, headers: { ...json, ...bearer }, body: JSON.stringify(body) };
    }
    case "slack":
      return { url, headers: json, body: JSON.stringify({ text: `${title}\n${text}` }) };
    case "apprise": {
      const type = message.type === "test" ? "info" : message.isOver ? "success" : "failure";
      return {
        url,
        headers: { ...json, ...bearer },
        body: JSON.stringify({ title, body: text, type, format: "text" }),
      };
    }
  }
}

/** Standard Webhooks: the receiver verifies id, time and body with the secret. */
async function webhook(url: URL, secret: string | null, message: Message, now: number): Promise<Sending> {
  const { id, type, incidents, title, lines, link } = message;
  const body = JSON.stringify({
    type,
    timestamp: new Date(now).toISOString(),
    data: {
      title,
      lines,
      link,
      incidents: incidents.slice(0, MOST_NAMED).map(factsOf),
      total: incidents.length,
    },
  });
  const headers = { "content-type": "application/json", "user-agent": "berth", "webhook-id": id };
  const at = String(Math.floor(now / 1_000));
  const signed = secret === null
    ? {}
    : { "webhook-signature": `v1,${await signature(secret, `${id}.${at}.${body}`)}` };
  return { url, headers: { ...headers, "webhook-timestamp": at, ...signed }, body };
}

function factsOf({ id, kind, subject, since, atLatest, closedAt, end, cause, endings, fields }: Incident) {
  return {
    id,
    subject: plain(subjectText(subject)),
    kind,
    state: closedAt === null ? "open" : "closed",
    since: new Date(since).toISOString(),
    atLatest,
    closedAt: closedAt === null ? null : new Date(closedAt).toISOString(),
    end,
    cause: cause.kind,
    because: becauseOf(cause),
    fields: fields.map(({ field }) => plain(field)),
    endings,
  };
}

/** `whsec_` and base64, as the standard has it; any other text is taken as it is. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith("whsec_")) return new TextEncoder().encode(secret);
  return Uint8Array.from(atob(secret.slice("whsec_".length)), (letter) => letter.charCodeAt(0));
}

async function signature(secret: string, text: string): Promise<string> {
  const key = await crypto.subtle.importKey("raw", keyOf(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))).toBase64();
}

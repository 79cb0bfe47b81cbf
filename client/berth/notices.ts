/** The API's group `notices`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { IncidentKind, Scope } from "./models.ts";

/** GET: Messages that a target has not taken yet. */
export const NOTICES_MESSAGES: Endpoint<"/api/notices/messages", {
  get: { response: StuckNotices; query: Record<string, never> };
}> = new Endpoint("/api/notices/messages");

/** POST: Send a message again from the beginning. */
export const NOTICES_MESSAGE_RETRY: Endpoint<"/api/notices/messages/{id}/retry", {
  post: { query: Record<string, never> };
}> = new Endpoint("/api/notices/messages/{id}/retry", { post: [204] });

/** DELETE: Give a message up. */
export const NOTICES_MESSAGE: Endpoint<"/api/notices/messages/{id}", {
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/notices/messages/{id}", { delete: [204] });

/**
 * GET: The targets that are told of incidents.
 *
 * POST: Have a target told of incidents from now on.
 */
export const NOTICES: Endpoint<"/api/notices", {
  get: { response: Notices; query: Record<string, never> };
  post: { response: Notice; payload: NewNotice; query: Record<string, never> };
}> = new Endpoint("/api/notices", { post: [201] });

/** DELETE: Remove a notice, and all that waits for it. */
export const NOTICE: Endpoint<"/api/notices/{id}", {
  delete: { query: Record<string, never> };
}> = new Endpoint("/api/notices/{id}", { delete: [204] });

/** POST: Send a marked message to a target at once. */
export const NOTICE_TEST: Endpoint<"/api/notices/{id}/test", {
  post: { response: NoticeTest; query: Record<string, never> };
}> = new Endpoint("/api/notices/{id}/test");

/** The payload of `POST /api/notices`. */
export type NewNotice = {
  /** Its name. */
  readonly name: string;
  /** `slack` is also for Discord (with `/slack` behind its address) and Mattermost. */
  readonly kind: NoticeKind;
  /** The address that messages are sent to: sealed, and never shown. Of mail: `smtp://mail.example.org:587?from=berth@example.org&to=ada@example.org&user=berth`, or `smtps://`. */
  readonly address: string;
  /** Of a webhook: signs its messages (`whsec_…`); of ntfy and Apprise: the token; of mail: the password of the login; sealed, and never shown. */
  readonly secret?: string;
  /** Certificates that are trusted beside the system's, for a target with a private authority. */
  readonly ca?: string;
  /** The kinds of incidents to tell. */
  readonly tells?: readonly (IncidentKind)[];
  /** Only incidents in these scopes; a label is none of them. */
  readonly on?: readonly (Scope)[];
  /** Seconds for which an incident is open before it is told. */
  readonly afterS?: number;
  /** Hours in which nothing is sent; what healed meanwhile is never told. */
  readonly quiet?: QuietHours;
};

/** A part of `Notices`. */
export type Notice = {
  /** The id to remove it by. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** `slack` is also for Discord (with `/slack` behind its address) and Mattermost. */
  readonly kind: NoticeKind;
  /** The host of its address, which is all that is shown of it. */
  readonly host: string;
  /** The kinds of incidents that it is told of. */
  readonly tells: readonly (IncidentKind)[];
  /** The scopes that it is told of; empty for everything. */
  readonly on: readonly (string)[];
  /** Seconds for which an incident is open before it is told. */
  readonly afterS: number;
  /** Hours in which nothing is sent. */
  readonly quiet: QuietHours | null;
  /** The user or key that added it. */
  readonly createdBy: string;
  /** When it was added. */
  readonly createdAt: string;
};

/** A part of `Notice`. */
export type NoticeKind = "webhook" | "ntfy" | "mail" | "slack" | "apprise";

/** The answer of `POST /api/notices/{id}/test`. */
export type NoticeTest = {
  /** True if the target has taken it. */
  readonly taken: boolean;
  /** The status that it answered, of HTTP or SMTP; null without an answer. */
  readonly status: number | null;
  /** The reason that it was not taken, or the recipients of a mail that were refused while others were not. */
  readonly problem: string | null;
  /** Milliseconds that it took. */
  readonly ms: number;
};

/** The answer of `GET /api/notices`. */
export type Notices = {
  /** The notices. */
  readonly items: readonly (Notice)[];
};

/** A part of `Notice`. */
export type QuietHours = {
  /** When they begin, as `22:00`. */
  readonly from: string;
  /** When they end. */
  readonly to: string;
  /** The time zone of both, as `Europe/Berlin`. */
  readonly zone: string;
};

/** A part of `StuckNotices`. */
export type StuckNotice = {
  /** The message's id, as the target would get it. */
  readonly id: string;
  /** The notice's id. */
  readonly notice: string;
  /** `waiting` is tried again; `dead` is not. */
  readonly state: "waiting" | "told" | "dead";
  /** The ids of its incidents. */
  readonly incidents: readonly (string)[];
  /** Number of attempts. */
  readonly attempts: number;
  /** The reason that the last attempt failed. */
  readonly problem: string | null;
  /** When it was first tried. */
  readonly firstAt: string;
  /** When it is tried again. */
  readonly nextAt: string;
};

/** The answer of `GET /api/notices/messages`. */
export type StuckNotices = {
  /** The messages, 500 incidents at most. */
  readonly items: readonly (StuckNotice)[];
};

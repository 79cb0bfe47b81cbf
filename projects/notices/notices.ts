/** Notices that admins have set: sealed, listed without their addresses, and tried. */
import type { NewAuditEntry } from "../../core/audit_entry.ts";
import type { Incident } from "../../core/incidents.ts";
import type { Outbound } from "../../core/outbound.ts";
import type { NoticeRecord, NoticeStore } from "../../core/notices.ts";
import type { TextSeal } from "../../core/text_seal.ts";
import { MailFailure } from "./mail/mail_failure.ts";
import type { Submitted } from "./mail/smtp.ts";
import type { HttpKind, Message, Target } from "./message.ts";

const MOST_NOTICES = 50;
const TOTAL_MS = 10_000;
/** A receiver's answer is not shown, and read no further. */
const MOST_BYTES = 256 * 1024;

interface NoticesOptions {
  readonly store: NoticeStore;
  readonly seal: TextSeal;
  readonly now: () => number;
  /** The address at which people reach berth, for links. */
  readonly base: string | null;
}

/** The end of an attempt. `refused`: the target will never take it. */
export interface Attempt {
  readonly result: "taken" | "refused" | "failed";
  /** The status that it answered; null where it gave none. */
  readonly status: number | null;
  /** The reason that it was not taken, or not by all recipients of a mail, in words. */
  readonly problem: string | null;
  readonly ms: number;
}

type NewNotice = Omit<NoticeRecord, "id" | "host" | "sealed" | "at"> & Omit<Target, "kind">;

/** A berth without notices loads nothing that sends one. */
export class Notices implements Disposable {
  #outbound: Outbound | null = null;

  constructor(private readonly options: NoticesOptions) {}

  [Symbol.dispose](): void {
    this.#outbound?.[Symbol.dispose]();
  }

  list(): Promise<NoticeRecord[]> {
    return this.options.store.list();
  }

  /** Throws `too_many_notices`. */
  async add(
    { address, secret, ca, ...asked }: NewNotice,
    entryOf: (record: NoticeRecord) => NewAuditEntry,
  ): Promise<NoticeRecord> {
    const { store, seal, now } = this.options;
    const id = crypto.randomUUID();
    const sealed = await seal.seal(JSON.stringify({ address, secret, ca }), placeOf(id));
    const record = { ...asked, id, host: new URL(address).host, at: now(), sealed };
    await store.add(record, MOST_NOTICES, entryOf(record));
    return record;
  }

  /** Sends a marked message at once. */
  async test(record: NoticeRecord): Promise<Attempt> {
    const { testMessage } = await import("./message.ts");
    return await this.send(record, testMessage(crypto.randomUUID(), record.name, this.options.base));
  }

  /** Sends what cannot be recorded. Returns true if the target took it. */
  async tellUnrecorded(
    record: NoticeRecord,
    gap: Incident,
    incidents: readonly Incident[],
  ): Promise<boolean> {
    const { unrecordedMessage } = await import("./message.ts");
    const message = unrecordedMessage(crypto.randomUUID(), gap, incidents, this.options.base);
    return (await this.send(record, message)).result === "taken";
  }

  /** `isPatient`: a mail waits for recipients that its server refuses for now. */
  async send(
    record: NoticeRecord,
    message: Message,
    signal?: AbortSignal,
    isPatient = false,
  ): Promise<Attempt> {
    const began = performance.now();
    const end = (result: Attempt["result"], status: number | null, problem: string | null): Attempt => ({
      result,
      status,
      problem,
      ms: Math.round(performance.now() - began),
    });
    const target = await this.#targetOf(record);
    if (target === null) {
      return end("refused", null, "its address was sealed with a key that is gone: add the notice again");
    }
    const { OutboundFailure } = await import("../../core/outbound.ts");
    try {
      if (target.kind === "mail") {
        const { status, refused } = await this.#mail(target, message, isPatient, signal);
        return end("taken", status, refused);
      }
      const status = await this.#call({ ...target, kind: target.kind }, message, signal);
      if (status >= 200 && status < 300) return end("taken", status, null);
      const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;
      return end(isRefusal ? "refused" : "failed", status, `it answered ${status}`);
    } catch (error) {
      if (error instanceof MailFailure) {
        // 5yz is for ever in SMTP, and 4yz for now.
        const isRefusal = error.status === null || error.status >= 500;
        return end(isRefusal ? "refused" : "failed", error.status, error.message);
      }
      if (!(error instanceof OutboundFailure)) {
        // It counts as an attempt: one that ends otherwise would be tried every few seconds for ever.
        return end(
          "failed",
          null,
          `berth cannot make the message (${error instanceof Error ? error.name : "error"})`,
        );
      }
      return end(error.kind === "address" ? "refused" : "failed", null, error.message);
    }
  }

  async #call(
    { ca, ...target }: Target & { readonly kind: HttpKind },
    message: Message,
    signal?: AbortSignal,
  ): Promise<number> {
    const [{ sendingOf }, { Outbound }] = await Promise.all([
      import("./message.ts"),
      import("../../core/outbound.ts"),
    ]);
    const { url, headers, body } = await sendingOf(target, message, this.options.now());
    const { status } = await (this.#outbound ??= new Outbound()).call(url, {
      method: "POST",
      headers: { ...headers, "content-length": String(new TextEncoder().encode(body).length) },
      body,
      ca,
      allowsPrivate: true,
      maxBytes: MOST_BYTES,
      totalMs: TOTAL_MS,
      ...(signal !== undefined && { signal }),
    });
    return status;
  }

  async #mail(
    { address, secret, ca }: Target,
    message: Message,
    isPatient: boolean,
    stopping?: AbortSignal,
  ): Promise<Submitted> {
    const { sendMail } = await import("./mail/send_mail.ts");
    const sending = { now: this.options.now(), totalMs: TOTAL_MS, isPatient, stopping };
    return await sendMail({ address, secret, ca }, message, sending);
  }

  async #targetOf({ id, kind, sealed }: NoticeRecord): Promise<Target | null> {
    const text = await this.options.seal.open(sealed, placeOf(id));
    if (text === null) return null;
    const { ca = null, ...rest } = JSON.parse(text) as Omit<Target, "kind" | "ca"> & Partial<Target>;
    return { ...rest, ca, kind };
  }
}

/** A sealed address that was moved to another notice does not open. */
const placeOf = (id: string): string => JSON.stringify(["notices", id]);

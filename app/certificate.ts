/** The certificate of berth's own ports: read at the start, and again when it was renewed. */
import type { Config } from "../config/config.ts";
import type { Log } from "../core/log.ts";
import type { Listener } from "../http/serve/listener.ts";
import { reasonOf, StartFailure } from "./start_failure.ts";

/** PEM texts. */
export interface TlsTexts {
  readonly cert: string;
  readonly key: string;
}

/** Null without settings for it. Throws `StartFailure`. */
export async function readTls({ tls }: Pick<Config, "tls">): Promise<TlsTexts | null> {
  if (tls === null) return null;
  const [cert, key] = await Promise.all([tls.cert, tls.key].map(async (path) => {
    try {
      return await Deno.readTextFile(path);
    } catch (cause) {
      throw new StartFailure(`Cannot read the TLS file "${path}": ${reasonOf(cause)}`, { cause });
    }
  }));
  return { cert: cert ?? "", key: key ?? "" };
}

/** Reads the certificate again for every listener; one that cannot be used changes nothing. */
export async function renewTls(
  config: Pick<Config, "tls">,
  listeners: readonly Pick<Listener, "port" | "renew">[],
  log: Log,
): Promise<void> {
  const failed = "Cannot renew the certificate; the current one stays in use";
  try {
    const tls = await readTls(config);
    if (tls === null) return;
    const renewals = await Promise.allSettled(listeners.map((listener) => listener.renew(tls)));
    let isNew = false;
    for (const [n, renewal] of renewals.entries()) {
      if (renewal.status === "fulfilled") isNew ||= renewal.value;
      else log.error(failed, { port: listeners[n]!.port, error: renewal.reason });
    }
    if (renewals.some(({ status }) => status === "rejected")) return;
    const { X509Certificate } = await import("node:crypto"); // a start does not wait for it
    const ends = new Date(new X509Certificate(tls.cert).validTo).toISOString();
    log.info(isNew ? "The certificate was read again" : "The certificate's files hold the one in use", {
      ends,
    });
  } catch (error) {
    log.error(failed, { error });
  }
}

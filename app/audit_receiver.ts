/** The receiver of the audit log that the settings name, with the certificate of its authority. */
import type { AccessOptions } from "../auth/access.ts";
import type { Config } from "../config/config.ts";
import { StartFailure } from "./start_failure.ts";

/** Throws StartFailure where the certificate cannot be read. */
export async function auditReceiver(
  syslog: Config["auditSyslog"],
): Promise<NonNullable<AccessOptions["auditReceiver"]> | null> {
  if (syslog === null) return null;
  const { ca, ...address } = syslog;
  if (ca === null) return { address, ca };
  try {
    return { address, ca: await Deno.readTextFile(ca) };
  } catch (cause) {
    throw new StartFailure(`Cannot read the file "${ca}" of "auditSyslog.ca"`, { cause });
  }
}

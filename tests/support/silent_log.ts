/** A log that keeps nothing, for parts that want one and are tested without a service. */
import type { Log } from "../../core/log.ts";

const nothing = () => {};

export const SILENT: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  access: nothing,
  with: () => SILENT,
};

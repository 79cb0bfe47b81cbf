/** Prints why a command failed; the exit code is 2. */
import { SettingsError } from "../config.ts";
import { ServiceError } from "../core/error.ts";
import { visible } from "../log/line.ts";
import { StartFailure } from "../start_failure.ts";

/** Prints the reason of a known failure; any other error is a bug, and thrown on. */
export function tell(error: unknown): number {
  if (error instanceof SettingsError) {
    console.error("berth: Cannot start: the settings are wrong");
    for (const mistake of error.mistakes) console.error(`  ${visible(mistake)}`);
    return 2;
  }
  if (error instanceof StartFailure || error instanceof ServiceError) {
    console.error(`berth: ${visible(error.message)}`);
    return 2;
  }
  throw error;
}

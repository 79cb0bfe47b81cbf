/** What a command says when it cannot go on: one clear sentence for what people can mend, and exit code 2. */
import { SettingsError } from "../config.ts";
import { ServiceError } from "../core/error.ts";
import { visible } from "../log/line.ts";
import { StartFailure } from "../start_failure.ts";

/** Prints the reason; anything that nobody foresaw is a bug, and thrown on. */
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

/** Prints why a command of this machine failed, and answers its exit code. */
import { SettingsError } from "../config/config.ts";
import { ServiceError } from "../core/error.ts";
import { visible } from "../log/line.ts";
import { StartFailure } from "../app/start_failure.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";

/** Prints the reason of a known failure; any other error is a bug, and thrown on. */
export function tell(error: unknown): number {
  if (error instanceof SettingsError) {
    console.error("berth: Cannot start: the settings are wrong");
    for (const mistake of error.mistakes) console.error(`  ${visible(mistake)}`);
    return EXIT.USAGE;
  }
  if (error instanceof StartFailure || error instanceof ServiceError) {
    console.error(`berth: ${visible(error.message)}`);
    return error instanceof UsageFailure ? EXIT.USAGE : EXIT.NO;
  }
  throw error;
}

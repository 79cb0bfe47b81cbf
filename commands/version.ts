/** `berth version`: which version this is. */
import { EXIT } from "./exit_code.ts";
import { VERSION } from "../version.ts";

// deno-lint-ignore require-await -- as every command
export async function run(): Promise<number> {
  console.log(`berth ${VERSION}`);
  return EXIT.FINE;
}

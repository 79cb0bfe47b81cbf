/** `berth version`: which version this is. */
import { VERSION } from "../version.ts";

// deno-lint-ignore require-await -- as every command
export async function run(): Promise<number> {
  console.log(`berth ${VERSION}`);
  return 0;
}

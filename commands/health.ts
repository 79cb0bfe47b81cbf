/** `berth health`: asks the service on this machine whether it lives, or can serve; what a container's health check runs. */
import { readConfig } from "../config/config.ts";
import { readClientSettings } from "../config/client.ts";
import { EXIT } from "./exit_code.ts";
import { askOnce } from "./ask.ts";
import { ownAddress } from "./own_address.ts";
import { tell } from "./failure.ts";
import type { Line } from "./command.ts";

export async function run(line: Line): Promise<number> {
  const path = `/api/health/${line.option("--ready") === undefined ? "live" : "ready"}`;
  let base: string;
  try {
    base = readClientSettings().url ?? ownAddress(await readConfig());
  } catch (error) {
    return tell(error);
  }
  const answer = await askOnce(`${base}${path}`);
  if (answer?.status === 200) return console.log(answer.text), EXIT.FINE;
  console.error(
    answer === null
      ? `berth: ${base} does not answer`
      // A probe says one word; what is longer is not berth's.
      : `berth: ${base} answers ${answer.status}: ${
        /^[a-z]{1,20}$/.test(answer.text) ? answer.text : "is that a berth?"
      }`,
  );
  return EXIT.NO;
}

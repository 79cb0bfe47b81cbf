/** Checks of the process: its permissions, limits and user. */
import { tooFewDescriptors } from "../../http/serve/descriptors.ts";
import { type Finding, risky, wrong } from "../../core/finding.ts";
import { type Check, type Setup, textOf } from "./check.ts";

const LITTLE_MEMORY = 192 * 1024 * 1024;

export const PROCESS_CHECKS: readonly Check[] = [
  { name: "user", look: lookAtUser },
  { name: "descriptors", look: lookAtDescriptors },
  { name: "memory", look: lookAtMemory },
  { name: "log", look: lookAtLog },
];

function lookAtUser({ uid }: Setup): Finding[] {
  return uid === 0
    ? [risky("This runs as root", "Run berth as a user of its own that is in the engine's group")]
    : [];
}

function lookAtDescriptors({ config: { minDescriptors, data } }: Setup): Finding[] {
  const limit = tooFewDescriptors(minDescriptors, `${data}/berth.log`);
  return limit === null ? [] : [wrong(
    `Only ${limit} files may be open, and ${minDescriptors} are needed`,
    "ulimit -n 65536; in a unit LimitNOFILE=65536",
  )];
}

/** The limit of the control group, of either version. */
async function lookAtMemory(): Promise<Finding[]> {
  const text = await textOf("/sys/fs/cgroup/memory.max") ??
    await textOf("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  const limit = Number(text?.trim() ?? NaN); // "max" is none
  return limit < LITTLE_MEMORY
    ? [
      risky(
        `Only ${Math.round(limit / 1024 / 1024)} MB of memory are allowed`,
        "Allow 256 MB, and 20 MB more for every 1,000 containers",
      ),
    ]
    : [];
}

function lookAtLog({ config: { logFile, logLevel } }: Setup): Finding[] {
  if (logLevel === "debug") {
    return [risky("BERTH_LOG_LEVEL is debug", "Set it to info once you have seen enough")];
  }
  return logFile === "none" && Deno.stderr.isTerminal()
    ? [
      risky(
        "BERTH_LOG_FILE is none, and the console is a terminal: the log is lost",
        "Leave it out, or collect standard error",
      ),
    ]
    : [];
}

/** Failures of git and of repositories, in one sentence for people. */
import { ServiceError } from "../core/error.ts";
import { maskText } from "../core/secrets.ts";
import { secretsOf } from "./address.ts";
import type { Remote } from "./remote.ts";
import type { GitResult } from "./process.ts";

/** A failure of git or of the repository, in one sentence for people. */
export class SourceFailure extends Error {
  /** True where a push was refused because its branch is elsewhere by now. */
  readonly isMoved: boolean;

  constructor(message: string, { isMoved = false } = {}) {
    super(message);
    this.isMoved = isMoved;
  }
}

/** Returns the reason of a failure that people can mend; anything else is thrown on. */
export function reasonOf(error: unknown): string {
  if (error instanceof SourceFailure) return error.message;
  if (error instanceof ServiceError) return error.message.replace(/^Cannot [^:]+: /, "");
  throw error;
}

/** One line without secrets and control characters. */
export const plain = (text: string): string =>
  maskText(text).replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").trim().slice(0, 300);

const SSH_FAILURES: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [
    /Host key verification failed|HOST IDENTIFICATION HAS CHANGED/i,
    "the server shows another host key than the one that was stored; if that is meant, set the source again and take its new keys",
  ],
  [/Permission denied \(/, "the server does not take the deploy key: add it there, or the address is wrong"],
];

/** Returns git's last line as a sentence, with every secret of the remote masked. */
export function failureOf({ said, ended }: GitResult, remote: Remote | null): SourceFailure {
  if (ended === "timeout") return new SourceFailure("git took too long");
  if (ended === "aborted") return new SourceFailure("git was ended");
  if (ended === "tooMuch") return new SourceFailure("git wrote too much");
  let text = said;
  for (const secret of remote?.credential ? secretsOf(remote.credential) : []) {
    text = text.replaceAll(secret, "********");
  }
  const lines = text.split("\n").map(plain).filter((line) => line !== "");
  if (lines.some((line) => /No space left on device|Disk quota exceeded/i.test(line))) {
    return new SourceFailure("the disk with berth's data folder is full: make room there");
  }
  if (remote?.ssh) {
    const ssh = lines.map((line) => SSH_FAILURES.find(([pattern]) => pattern.test(line))?.[1]).find(Boolean);
    if (ssh !== undefined) return new SourceFailure(ssh);
  }
  const isMoved = lines.some((line) =>
    /^! \[(?:rejected|remote rejected)\].*\((?:fetch first|non-fast-forward|stale info|failed to update ref|cannot lock ref|incorrect old value)/
      .test(line)
  );
  const object = lines.map((line) => /object [0-9a-f]{40,64}: (\w+: .+)$/.exec(line)?.[1]).find(Boolean);
  if (object !== undefined) return new SourceFailure(`the repository holds what git refuses: ${object}`);
  const refused = lines.findLast((line) => /^! \[.*\] .* \(.+\)$/.test(line));
  if (refused !== undefined) {
    return new SourceFailure(`the server refused the push: ${/\((.+)\)$/.exec(refused)![1]}`, { isMoved });
  }
  const told = lines.findLast((line) => /^(fatal|error|remote):/.test(line)) ?? lines.at(-1);
  return new SourceFailure(told?.replace(/^(?:fatal|error|remote): */, "") ?? "git failed and said nothing", {
    isMoved,
  });
}

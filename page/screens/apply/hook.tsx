/** A command that runs inside a container, word for word, and how it runs. */
import type { PlanHook } from "../../../client/berth/models.ts";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.applies;

export function Hook({ hook, within }: { readonly hook: PlanHook; readonly within: number | undefined }) {
  const { when, command, user, privileged, workingDir, environment } = hook;
  const how = [
    TEXT.hookWhen[when],
    ...within === undefined ? [] : [TEXT.hookWithin(within)],
    ...user === "" ? [] : [TEXT.hookAs(user)],
    ...workingDir === "" ? [] : [TEXT.hookIn(workingDir)],
    ...privileged ? [TEXT.hookPrivileged] : [],
    ...environment.length === 0 ? [] : [TEXT.hookWith(environment.join(" "))],
  ];
  return (
    <p class="hint">
      <code>{shown(command.map(quoted).join(" "))}</code> {shown(how.join(", "))}
    </p>
  );
}

/** Words that could be taken for several stand in quotes. */
const quoted = (word: string): string => /^[\w@%+=:,./*-]+$/.test(word) ? word : JSON.stringify(word);

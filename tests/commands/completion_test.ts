/** The completion scripts, each in its own shell. */
import assert from "node:assert/strict";
import { bash, fish, zsh } from "../../commands/completion.ts";
import { COMMANDS } from "../../commands/table.ts";

async function isThere(shell: string): Promise<boolean> {
  return await new Deno.Command(shell, { args: ["-c", "true"] }).output().then(() => true, () => false);
}

/**
 * Returns what the shell offers for a line, sorted. A `berth` beside it stands for one that runs and has two containers
 * and a project.
 */
async function offered(shell: string, script: string, ask: string): Promise<string[]> {
  const folder = await Deno.makeTempDir({ prefix: "berth-complete-" });
  try {
    await Deno.writeTextFile(
      `${folder}/berth`,
      '#!/bin/sh\n[ "$1" = ls ] && printf "web\\ndb\\n"\n[ "$1" = status ] && printf "shop@home\\n"\nexit 0\n',
      {
        mode: 0o755,
      },
    );
    await Deno.writeTextFile(`${folder}/_berth`, script);
    await Deno.mkdir(`${folder}/files/projects`, { recursive: true });
    const { stdout, stderr } = await new Deno.Command(shell, {
      args: [...(shell === "zsh" ? ["-f"] : []), "-c", ask],
      cwd: `${folder}/files`,
      env: { PATH: `${folder}:${Deno.env.get("PATH")}`, HOME: folder, SCRIPT: `${folder}/_berth` },
      clearEnv: true,
      stdin: "null",
    }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "").sort();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const NAMES = COMMANDS.map(({ name }) => name).sort();

function inBash(words: readonly string[]) {
  const set = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`;
  return offered("bash", bash(), `source "$SCRIPT"; ${set}; _berth; printf '%s\\n' "\${COMPREPLY[@]}"`);
}

function inFish(words: readonly string[]) {
  return offered(
    "fish",
    fish(),
    `source $SCRIPT; complete -C '${words.join(" ")}' | string replace -r '\\t.*' ''`,
  );
}

/** zsh completes only for a terminal: one of its own is typed at, and shows a list. */
function inZsh(words: readonly string[]) {
  return offered(
    "zsh",
    zsh(),
    `zmodload zsh/zpty; zpty shell zsh -f -i
send() { zpty -w shell "$1" }
send 'PROMPT=; autoload -Uz compinit; compinit -u -D; source $SCRIPT; zstyle ":completion:*" list-separator ""'
send 'stty columns 200; LINES=100; LISTMAX=0; compadd() { if [[ \${@[(I)-(O|A|D)]} -gt 0 ]]; then builtin compadd "$@"; return; fi
  builtin compadd -O hits "$@"; print -rl -- "<hit>"$^hits"</hit>"; builtin compadd "$@" }; print ready'
zpty -r shell out '*ready*'; zpty -r shell out '*ready*'
zpty -n -w shell '${words.join(" ")}'$'\\t'
sleep 1; zpty -n -w shell $'\\C-u exit\\n'
out=; while zpty -r shell line; do out+=$line; done
print -r -- "$out" | grep -o '<hit>[^<]*</hit>' | sed 's/<[^>]*>//g' | sort -u`,
  );
}

for (const [shell, ask] of [["bash", inBash], ["fish", inFish], ["zsh", inZsh]] as const) {
  const there = await isThere(shell);
  if (!there) console.error(`NOT RUN: completion in ${shell}, because it is not installed`);
  Deno.test(`berth completes commands, options, choices and containers in ${shell}`, async () => {
    const [commands, begun, containers, shells, options, folders, projects] = await Promise.all(
      [["berth", ""], ["berth", "va"], ["berth", "logs", ""], ["berth", "completion", ""], [
        "berth",
        "ls",
        "--",
      ], [
        "berth",
        "validate",
        "p",
      ], ["berth", "plan", ""]].map(ask),
    );
    assert.deepEqual(commands, NAMES);
    assert.deepEqual(begun, ["validate"]);
    assert.deepEqual(containers, ["db", "web"]);
    assert.deepEqual(shells, ["bash", "fish", "zsh"]);
    for (const option of ["--json", "--names", "--project", "--state"]) {
      assert.ok(options!.includes(option), option);
    }
    assert.deepEqual(folders!.map((name) => name.replace(/\/$/, "")), ["projects"]);
    assert.deepEqual(projects!.map((name) => name.replace(/\/$/, "")), ["projects", "shop@home"]);
  });
}

/** `berth completion`: scripts that complete command lines, written from the table of commands. */
import { EXIT } from "./exit_code.ts";
import { writeOut } from "./output.ts";
import type { Argument, Command, Line, Option } from "./command.ts";
import { isRepeated } from "./shown.ts";
import { COMMANDS } from "./table.ts";

const SCRIPTS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/** Returns the script of every shell. */
export function completions(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(SCRIPTS).map(([shell, script]) => [shell, script()]));
}

// deno-lint-ignore require-await -- as every command
export async function run({ args: [shell = ""] }: Line): Promise<number> {
  writeOut(SCRIPTS[shell]!());
  return EXIT.FINE;
}

/** Returns the words that the first argument may be, as a shell writes it. */
function wordsOf({ name, args: [argument] }: Command): readonly string[] {
  if (name === "help") return COMMANDS.map((command) => command.name);
  return argument?.choices ?? [];
}

const flagsOf = (
  command: Command,
) => [
  ...command.options.flatMap(({ name, short }) => short === undefined ? [name] : [name, short]),
  "--help",
];

/** The names of containers, asked of a running berth; nothing where there is none. */
const CONTAINERS = "berth ls --names 2>/dev/null";
/** The ids of projects, asked in the same way. */
const PROJECTS = "berth status --names 2>/dev/null";

export function bash(): string {
  const cases = COMMANDS.map((command) => {
    const values = command.options.filter(({ choices }) => choices !== undefined).map(({ name, choices }) =>
      `        ${name}) COMPREPLY=($(compgen -W '${choices!.join(" ")}' -- "$word")); return ;;\n`
    ).join("");
    const before = values === "" ? "" : `      case "$before" in\n${values}      esac\n`;
    return `    ${command.name})\n${before}      flags='${flagsOf(command).join(" ")}'\n${
      bashArguments(command)
    }      ;;\n`;
  }).join("");
  return `# bash completion of berth: source <(berth completion bash)
_berth() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}" flags=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${COMMANDS.map(({ name }) => name).join(" ")}' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases}  esac
  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$word")); fi
}
complete -F _berth berth
`;
}

function bashArguments(command: Command): string {
  const words = wordsOf(command);
  const kind = command.args[0]?.kind;
  const reply = words.length > 0
    ? `-W '${words.join(" ")}'`
    : kind === "folder"
    ? "-d"
    : kind === "file"
    ? "-f"
    : kind === "container"
    ? `-W "$(${CONTAINERS})"`
    : kind === "project"
    ? `-d -W "$(${PROJECTS})"`
    : null;
  return reply === null ? "" : `      COMPREPLY=($(compgen ${reply} -- "$word"))\n`;
}

export function zsh(): string {
  const list = COMMANDS.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}\n`).join("");
  const cases = COMMANDS.map((command) => {
    const options = command.options.flatMap((option) =>
      [option.name, option.short].filter((flag) => flag !== undefined).map((flag) =>
        ` \\\n        ${quoted(zshOption(flag, option))}`
      )
    ).join("");
    const args = command.args.map((argument, at) =>
      ` \\\n        ${quoted(zshArgument(command, argument, at))}`
    )
      .join("");
    return `    ${command.name}) _arguments${options}${args} \\\n        '--help[show how it is used]' ;;\n`;
  }).join("");
  return `#compdef berth
# zsh completion of berth: berth completion zsh > a folder of $fpath, as _berth
_berth_containers() {
  local -a names
  names=(\${(f)"$(${CONTAINERS})"})
  compadd -a names
}
_berth_projects() {
  local -a names
  names=(\${(f)"$(${PROJECTS})"})
  compadd -a names
  _files -/
}
_berth() {
  local -a commands
  commands=(
${list}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
${cases}  esac
}
if [ "$funcstack[1]" = _berth ]; then _berth "$@"; else compdef _berth berth; fi
`;
}

function zshOption(flag: string, { value, choices, meaning }: Option): string {
  const action = choices === undefined ? " " : `(${choices.join(" ")})`;
  return `${flag}[${meaning.replaceAll(/[[\]]/g, "")}]${value === undefined ? "" : `:${value}:${action}`}`;
}

function zshArgument(command: Command, argument: Argument, at: number): string {
  const { name, kind } = argument;
  const words = at === 0 ? wordsOf(command) : [];
  const action = words.length > 0
    ? `(${words.join(" ")})`
    : kind === "folder"
    ? "_files -/"
    : kind === "file"
    ? "_files"
    : kind === "container"
    ? "_berth_containers"
    : kind === "project"
    ? "_berth_projects"
    : " ";
  return `${isRepeated(argument) ? "*" : at + 1}:${name}:${action}`;
}

export function fish(): string {
  const lines = ["# fish completion of berth: berth completion fish | source", "complete -c berth -f"];
  for (const command of COMMANDS) {
    const seen = `-n '__fish_seen_subcommand_from ${command.name}'`;
    lines.push(
      `complete -c berth -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
    );
    for (const { name, short, value, choices, meaning } of command.options) {
      lines.push(
        `complete -c berth ${seen} -l ${name.slice(2)}${short === undefined ? "" : ` -s ${short.slice(1)}`}` +
          `${value === undefined ? "" : " -x"}${
            choices === undefined ? "" : ` -a ${quoted(choices.join(" "))}`
          } -d ${quoted(meaning)}`,
      );
    }
    const words = wordsOf(command);
    const kind = command.args[0]?.kind;
    if (words.length > 0) lines.push(`complete -c berth ${seen} -a ${quoted(words.join(" "))}`);
    else if (kind === "container") lines.push(`complete -c berth ${seen} -a ${quoted(`(${CONTAINERS})`)}`);
    else if (kind === "project") {
      lines.push(`complete -c berth ${seen} -a ${quoted(`(${PROJECTS}; __fish_complete_directories)`)}`);
    } else if (kind === "folder") {
      lines.push(`complete -c berth ${seen} -a '(__fish_complete_directories)'`);
    } else if (kind === "file") lines.push(`complete -c berth ${seen} -F`);
  }
  return `${lines.join("\n")}\n`;
}

/** A word for any of the three shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

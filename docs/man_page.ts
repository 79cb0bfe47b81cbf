/** Writes `packaging/berth.1` out of the table of commands. */
import type { Command, Option } from "../commands/command.ts";
import { isRepeated } from "../commands/shown.ts";
import { COMMANDS } from "../commands/table.ts";
import { EXIT_MEANINGS } from "../commands/exit_code.ts";
import { meaningOf } from "../commands/help.ts";
import { SETTINGS } from "../config/settings.ts";

const FILE = new URL("../packaging/berth.1", import.meta.url);

export function manPage(): string {
  return `.\\" Written by "deno task docs" from commands/table.ts and config/settings.ts; a test holds it to that.
.Dd November 22, 2026
.Dt BERTH 1
.Os
.Sh NAME
.Nm berth
.Nd projects in folders, and the containers they run in
.Sh SYNOPSIS
.Nm
.Op Ar command
.Op Ar argument ...
.Sh DESCRIPTION
.Nm
joins what is declared, the Compose files and other YAML in your folders, with what runs on Docker and Podman.
.Pp
The commands are:
.Bl -tag -width Ds
${COMMANDS.map(commandText).join("\n")}
.El
.Sh ENVIRONMENT
Commands that ask a running berth read:
.Bl -tag -width Ds
.It Ev BERTH_URL
The address of a running berth.
Unless set, it is that of
.Cm login ,
the berth beside it where
.Ev BERTH_BASE_URL
and
.Ev BERTH_TRUSTED_PROXIES
are set, or http://127.0.0.1:8700.
.It Ev BERTH_KEY
An API key, in the place of the one that
.Cm login
keeps.
.El
.Pp
The service reads these, and config.yaml in its data folder:
.Bl -tag -width Ds
${
    SETTINGS.filter(({ variable }) => variable !== "–").map(({ variable, meaning }) =>
      `.It Ev ${variable}\n${sentence(meaning)}`
    ).join("\n")
  }
.El
.Sh FILES
.Bl -tag -width Ds
.It Pa ~/.local/share/berth
The data folder, unless
.Ev BERTH_DATA
names another.
.It Pa ~/.config/berth/login.json
What
.Cm login
keeps.
.El
.Sh EXIT STATUS
.Bl -tag -width Ds
${EXIT_MEANINGS.map(([code, meaning]) => `.It ${code}\n${sentence(meaning)}`).join("\n")}
.El
`;
}

function commandText({ name, args, summary, details, options }: Command): string {
  const shown = args.map((argument) =>
    `${argument.optional === true ? " Op Ar" : " Ar"} ${argument.name}${isRepeated(argument) ? " ..." : ""}`
  ).join("");
  const list = options.length === 0 ? [] : [".Bl -tag -width Ds", ...options.map(optionText), ".El"];
  const more = details === undefined ? [] : [plain(details)];
  return [`.It Cm ${name}${shown}`, sentence(summary), ...more, ...list].join("\n");
}

function optionText(option: Option): string {
  const { name, short, value } = option;
  const flags = (short === undefined ? [name] : [short, name]).map((flag) => `Fl ${flag.slice(1)}`).join(
    " , ",
  );
  return `.It ${flags}${value === undefined ? "" : ` Ar ${value}`}\n${sentence(meaningOf(option))}`;
}

function sentence(text: string): string {
  return `${plain(text[0]!.toUpperCase() + text.slice(1))}.`;
}

/** Without Markdown, each sentence on a line of its own, and nothing that the page's language would take for its own. */
function plain(text: string): string {
  return text.replaceAll("`", "").replaceAll("\\", "\\e").replaceAll("–", "-").replaceAll("…", "...")
    .replace(/([a-zA-Z]\)?[.?]) (?=[A-Z])/g, "$1\n").replace(/^(?=[.'])/gm, "\\&");
}

if (import.meta.main) await Deno.writeTextFile(FILE, manPage());

/** A command as the table describes it, and a command line that was checked against the table. */

/** The kind of value of a command or an option, so that a shell can complete it. */
export type ValueKind = "folder" | "file" | "container" | "project" | "text";

export interface Argument {
  readonly name: string;
  readonly kind: ValueKind;
  readonly choices?: readonly string[];
  readonly optional?: true;
  /** Takes all that follows as it stands, options included. */
  readonly rest?: true;
  /** May be given several times; options may stand between. */
  readonly many?: true;
}

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** The name of its value; a switch has none. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly meaning: string;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** One or two sentences more, for its help and the manual page. */
  readonly details?: string;
  readonly args: readonly Argument[];
  readonly options: readonly Option[];
  /** Reads the command's file; the others stay unread. */
  readonly load: () => Promise<CommandModule>;
}

/** The exports of a command's file. */
export interface CommandModule {
  /** Answers the exit code. */
  run(line: Line): Promise<number>;
}

/** A command line that was checked against the table. */
export interface Line {
  readonly args: readonly string[];
  /** An option's last value, undefined when it was not given; the empty text for a switch. */
  option(name: string): string | undefined;
  /** The values of an option that may be repeated. */
  all(name: string): readonly string[];
}

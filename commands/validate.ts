/** `berth validate`: the same checks as the service's, without one; for a terminal and for continuous integration. */
import type { Model } from "../artifacts/artifact.ts";
import type { Report } from "../artifacts/report/report_shape.ts";
import { VERSION } from "../version.ts";

const USAGE = "usage: berth validate <folder> [--format text|json|sarif|github]";

const FORMATS = {
  text: async (report: Report, model: Model) =>
    (await import("../artifacts/report/text.ts")).textOf(report, model),
  json: (report: Report) => Promise.resolve(JSON.stringify(report, null, 2) + "\n"),
  sarif: async (report: Report) =>
    JSON.stringify((await import("../artifacts/report/sarif.ts")).sarifOf(report, VERSION), null, 2) + "\n",
  github: async (report: Report) => (await import("../artifacts/report/github.ts")).githubOf(report),
} as const;
type Format = keyof typeof FORMATS;

/** Where text goes; a test brings its own. */
export interface Output {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

const CONSOLE: Output = {
  out: (text) => writeAll(Deno.stdout, text),
  error: (text) => writeAll(Deno.stderr, text),
};

/** Answers the exit code: 0 without errors, 1 with, 2 when it could not run. */
export async function validate(args: readonly string[], output: Output = CONSOLE): Promise<number> {
  const asked = parse(args);
  if (typeof asked === "string") {
    output.error(`berth validate: ${asked}\n${USAGE}\n`);
    return 2;
  }
  const root = await folderAt(asked.folder);
  if (root === null) {
    output.error(`berth validate: "${asked.folder}" is not a folder that can be read\n`);
    return 2;
  }
  const [{ WorkspaceReader }, { reportOn }] = await Promise.all([
    import("../artifacts/reading/workspace_reader.ts"),
    import("../artifacts/report/report.ts"),
  ]);
  let model: Model;
  try {
    model = await new WorkspaceReader(root).read();
  } catch (error) {
    if (!Object.values(Deno.errors).some((kind) => error instanceof kind)) throw error;
    output.error(`berth validate: "${asked.folder}" cannot be read\n`);
    return 2;
  }
  const report = reportOn(model, root.slice(root.lastIndexOf("/") + 1) || "root");
  output.out(await FORMATS[asked.format](report, model));
  return report.valid ? 0 : 1;
}

/** The folder and the format, or what is wrong. */
function parse(args: readonly string[]): { folder: string; format: Format } | string {
  let folder: string | undefined;
  let format = "text";
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--format") format = args[++i] ?? "";
    else if (arg.startsWith("--format=")) format = arg.slice("--format=".length);
    else if (arg.startsWith("-") && arg !== "-") return `there is no option "${arg}"`;
    else if (folder !== undefined) return "it takes one folder";
    else folder = arg;
  }
  if (folder === undefined || folder === "") return "it needs a folder";
  return isFormat(format) ? { folder, format } : `there is no format "${format}"`;
}

const isFormat = (text: string): text is Format => Object.hasOwn(FORMATS, text);

async function folderAt(path: string): Promise<string | null> {
  try {
    const real = await Deno.realPath(path);
    return (await Deno.stat(real)).isDirectory ? real : null;
  } catch {
    return null;
  }
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
}

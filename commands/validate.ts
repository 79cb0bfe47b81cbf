/** `berth validate`: the same checks as the service's, without one; for a terminal and for continuous integration. */
import type { Model } from "../artifacts/artifact.ts";
import type { Report } from "../artifacts/report/report_shape.ts";
import { VERSION } from "../version.ts";
import { EXIT } from "./exit_code.ts";
import { writeError, writeOut } from "./output.ts";
import type { Line } from "./command.ts";

const FORMATS = {
  text: async (report: Report, model: Model) =>
    (await import("../artifacts/report/text.ts")).textOf(report, model),
  json: (report: Report) => Promise.resolve(JSON.stringify(report, null, 2) + "\n"),
  sarif: async (report: Report) =>
    JSON.stringify((await import("../artifacts/report/sarif.ts")).sarifOf(report, VERSION), null, 2) + "\n",
  github: async (report: Report) => (await import("../artifacts/report/github.ts")).githubOf(report),
} as const;

/** The destination of text; a test brings its own. */
export interface Output {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

export async function run(
  line: Line,
  output: Output = { out: writeOut, error: writeError },
): Promise<number> {
  const folder = line.args[0]!;
  const root = await folderAt(folder);
  if (root === null) {
    output.error(`berth validate: "${folder}" is not a folder that can be read\n`);
    return EXIT.USAGE;
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
    output.error(`berth validate: "${folder}" cannot be read\n`);
    return EXIT.INCOMPLETE;
  }
  const report = reportOn(model, root.slice(root.lastIndexOf("/") + 1) || "root");
  // The table of commands lists the same formats.
  output.out(await FORMATS[(line.option("--format") ?? "text") as keyof typeof FORMATS](report, model));
  return report.valid ? EXIT.FINE : EXIT.NO;
}

async function folderAt(path: string): Promise<string | null> {
  try {
    const real = await Deno.realPath(path);
    return (await Deno.stat(real)).isDirectory ? real : null;
  } catch {
    return null;
  }
}

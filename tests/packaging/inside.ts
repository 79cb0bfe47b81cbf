/** Runs programs where a test's engine lives, and reads what they say. */
import type { TestEngine } from "../support/engine.ts";
import { quoted } from "../support/sandbox.ts";

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** A word list, not a line of shell. */
export async function inside(engine: TestEngine, ...words: readonly string[]): Promise<Said> {
  const folder = await Deno.makeTempDir({ prefix: "berth-inside-" });
  try {
    const command = words.map(quoted).join(" ");
    const code = await engine.sandbox!.run(
      `timeout 60 ${command} >${quoted(`${folder}/out`)} 2>${quoted(`${folder}/error`)} </dev/null`,
    );
    const [out, error] = await Promise.all(
      ["out", "error"].map((name) => Deno.readTextFile(`${folder}/${name}`)),
    );
    return { code, out: out ?? "", error: error ?? "" };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

export interface InsideAnswer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- a test reads what it expects and fails where it is absent
  readonly body: any;
  /** The words of curl, as where nothing answers: the status is 0 then. */
  readonly error: string;
}

/** One request, from a process beside the engine. */
export async function askInside(
  engine: TestEngine,
  url: string,
  { key, body, curl = [] }: {
    readonly key?: string;
    readonly body?: unknown;
    readonly curl?: readonly string[];
  } = {},
): Promise<InsideAnswer> {
  const { out, error } = await inside(
    engine,
    "curl",
    "-sS",
    "-m",
    "10",
    "-w",
    "\\n%{http_code}",
    ...(key === undefined ? [] : ["-H", `authorization: Bearer ${key}`]),
    ...(body === undefined ? [] : ["-H", "content-type: application/json", "-d", JSON.stringify(body)]),
    ...curl,
    url,
  );
  const end = out.lastIndexOf("\n");
  const text = out.slice(0, end).trim();
  return { status: Number(out.slice(end + 1)), body: /^[{[]/.test(text) ? JSON.parse(text) : text, error };
}

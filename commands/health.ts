/** `berth health`: asks the service on this machine whether it lives, or can serve; what a container's health check runs. */
import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { readConfig } from "../config.ts";
import { readClientSettings } from "../config/client.ts";
import { tell } from "./failure.ts";
import type { Line } from "./table.ts";

const TIMEOUT_MS = 5_000;
/** A probe says one word; what is longer is not berth's. */
const MAX_TEXT = 200;

/** Answers 0 for yes and 1 for no; 2 when the settings do not say where to ask. */
export async function run(line: Line): Promise<number> {
  const path = `/api/health/${line.option("--ready") === undefined ? "live" : "ready"}`;
  let base: string;
  try {
    base = readClientSettings().url ?? await ownAddress();
  } catch (error) {
    return tell(error);
  }
  try {
    const { status, text } = await ask(`${base}${path}`);
    if (status === 200) return console.log(text), 0;
    console.error(`berth: ${base} answers ${status}: ${/^[a-z ]+$/.test(text) ? text : "is that a berth?"}`);
  } catch {
    console.error(`berth: ${base} does not answer`);
  }
  return 1;
}

/** Where the service of these settings can be reached from its own machine. */
async function ownAddress(): Promise<string> {
  const { host, port, tls } = await readConfig();
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${tls === null ? "http" : "https"}://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}

function ask(url: string): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const request = url.startsWith("https:") ? tlsRequest : plainRequest;
  // Nothing secret is sent, and a certificate seldom names the loopback address.
  const asked = request(
    url,
    { signal: AbortSignal.timeout(TIMEOUT_MS), rejectUnauthorized: false, agent: false },
    (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => text = (text + part).slice(0, MAX_TEXT));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: text.trim() }));
      answer.on("error", reject);
    },
  );
  asked.on("error", reject);
  asked.end();
  return promise;
}

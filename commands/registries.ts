/** `berth registries`: the image registries that berth knows; adds one, or forgets it. */
import { type NewRegistry, REGISTRIES, REGISTRY, type Registry } from "../client/berth/registries.ts";
import { isStatusError } from "../client/mod.ts";
import { visible } from "../log/line.ts";
import type { Line } from "./command.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT, UsageFailure } from "./exit_code.ts";
import { table, writeOut } from "./output.ts";
import { readSecret } from "./secret.ts";

export async function run(line: Line): Promise<number> {
  const [act, named] = line.args;
  try {
    if (act === undefined) return await list(line);
    if (named === undefined) {
      throw new UsageFailure(`Cannot ${act}: which registry? As ghcr.io or ghcr.io/team`);
    }
    return act === "add" ? await add(named, line) : await forget(named);
  } catch (error) {
    const service = serviceOf(error);
    if (service !== null) {
      console.error(
        `berth: ${visible(named ?? "")} lets another host check the credentials; if ${
          visible(service)
        } is the ` +
          `right one, add it again with --token-service ${visible(service)}`,
      );
      return EXIT.NO;
    }
    return failCall(error);
  }
}

async function list({ option }: Line): Promise<number> {
  using client = await openClient();
  const { items } = (await client.get(REGISTRIES)).json();
  if (option("--json") !== undefined) writeOut(`${JSON.stringify(items, null, 2)}\n`);
  else if (items.length > 0) {
    writeOut(table(["REGISTRY", "SIGNS IN", "CALLED", "TOKENS FROM", "STORED BY"], items.map(cellsOf)));
  }
  return EXIT.FINE;
}

async function add(named: string, { option }: Line): Promise<number> {
  const username = option("--user");
  const isToken = option("--token") !== undefined;
  if (username !== undefined && isToken) {
    throw new UsageFailure("Cannot add: --user and --token exclude each other");
  }
  const ca = option("--ca");
  const tokenService = option("--token-service");
  const asksForSecret = username !== undefined || isToken;
  const secret = asksForSecret ? await readSecret(`${isToken ? "Token" : "Password"} for ${named}`) : "";
  const payload: NewRegistry = {
    ...placeOf(named),
    ...(username !== undefined && { auth: { username, password: secret } }),
    ...(isToken && { auth: { identityToken: secret } }),
    ...(tokenService !== undefined && { tokenService }),
    ...(ca !== undefined && { ca: await textOf(ca) }),
    plainHttp: option("--plain-http") !== undefined,
  };
  using client = await openClient();
  console.log(`Stored ${visible(nameOf((await client.post(REGISTRIES, { payload })).json()))}`);
  return EXIT.FINE;
}

async function forget(named: string): Promise<number> {
  using client = await openClient();
  const { items } = (await client.get(REGISTRIES)).json();
  const known = items.find((one) => nameOf(one) === named || one.id === named);
  if (known === undefined) {
    console.error(`berth: Cannot forget: there is no registry "${visible(named)}"`);
    return EXIT.NO;
  }
  await client.delete(REGISTRY, { params: { id: known.id } });
  console.log(`Forgot ${visible(nameOf(known))}`);
  return EXIT.FINE;
}

function placeOf(named: string): Pick<NewRegistry, "host" | "path"> {
  const slash = named.indexOf("/");
  return slash < 0 ? { host: named } : { host: named.slice(0, slash), path: named.slice(slash + 1) };
}

const nameOf = ({ host, path }: Registry): string => path === "" ? host : `${host}/${path}`;

async function textOf(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    throw new UsageFailure(`Cannot add: the file "${path}" cannot be read`);
  }
}

/** Returns the token service that the registry uses and nobody has confirmed; null for any other error. */
function serviceOf(error: unknown): string | null {
  if (!isStatusError(error)) return null;
  try {
    const { code, errors } = JSON.parse(error.response.text);
    const [first] = code === "token_service_unconfirmed" && Array.isArray(errors) ? errors : [];
    return typeof first?.message === "string" ? first.message : null;
  } catch {
    return null;
  }
}

function cellsOf(registry: Registry) {
  const { login, username, plainHttp, hasCa, tokenService, createdBy, createdAt } = registry;
  const signs = login === "none" ? "–" : login === "password" ? `as ${username}` : "with a token";
  return [
    { text: nameOf(registry) },
    { text: signs },
    { text: plainHttp ? "without TLS" : hasCa ? "its own certificates" : "with TLS" },
    { text: tokenService ?? "–" },
    { text: `${createdBy}, ${createdAt.slice(0, 10)}` },
  ];
}

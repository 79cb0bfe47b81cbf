/** Reads what arrived at the server with plain `fetch`, so that the client is not its own witness. */
import type { Arrived } from "../raw_server.ts";
import type { Ground } from "./ground.ts";

/** The requests that carried this key, in order. */
export async function seen(ground: Ground, key: string): Promise<Arrived[]> {
  return await (await fetch(`${ground.http}/do/seen?key=${key}`)).json();
}

/** Lets the held answers of this key go; says how many there were. */
export async function release(ground: Ground, key: string): Promise<number> {
  return await (await fetch(`${ground.http}/do/release?key=${key}`)).json();
}

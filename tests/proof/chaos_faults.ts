/** Faults of chaos: kills, stops and cuts. Each of them is over when it returns. */
import { pause } from "../../core/pause.ts";
import type { ChaosWorld, Replica } from "./chaos_world.ts";

type Random = () => number;
type Fault = (world: ChaosWorld, random: Random) => Promise<unknown>;

const one = ({ replicas }: ChaosWorld, random: Random): Replica =>
  replicas[Math.floor(random() * replicas.length)]!; // at least one

const EVERYWHERE: Readonly<Record<string, Fault>> = {
  "berth is killed": (world, random) => one(world, random).restart("SIGKILL"),
  "berth is stopped": async (world, random) => {
    const code = await one(world, random).restart("SIGTERM");
    if (code !== 0) world.broken.push(`berth ended with ${code}`);
  },
  "berth stands still": async (world, random) => {
    const { child } = one(world, random).berth;
    child.kill("SIGSTOP");
    await pause(500 + random() * 3_000);
    child.kill("SIGCONT");
  },
  "the engine is killed": async ({ engine }, random) => {
    await engine.kill();
    await pause(random() * 2_000);
    await engine.start();
  },
  "the engine stands still": async ({ engine }, random) => {
    await engine.pause();
    await pause(500 + random() * 8_000);
    await engine.resume();
  },
  "connections are reset": ({ proxy }) => Promise.resolve(proxy.reset()),
  "connections are half open": async ({ proxy }, random) => {
    proxy.freeze();
    await pause(random() * 3_000);
  },
  "connections are cut": async ({ proxy }, random) => {
    proxy.set({ cutAfter: Math.floor(random() * 20_000) });
    await pause(random() * 4_000);
    proxy.set({});
  },
  "the engine is slow": async ({ proxy }, random) => {
    proxy.set({ latencyMs: 20 + random() * 300, slice: 1 + Math.floor(random() * 2_000) });
    await pause(random() * 4_000);
    proxy.set({});
  },
  "the engine is refused": async ({ proxy }, random) => {
    proxy.set({ refuse: true });
    proxy.reset();
    await pause(random() * 3_000);
    proxy.set({});
  },
};

/** Long enough for the other replica to take over what this one was doing. */
const LONGER_THAN_A_LEASE_MS = 12_000;

const ON_A_DATABASE: Readonly<Record<string, Fault>> = {
  "the database is killed": async ({ database }, random) => {
    await database!.down();
    await pause(random() * 3_000);
    await database!.up();
  },
  "the database stands still": async ({ database }, random) => {
    await database!.signal("SIGSTOP");
    await pause(500 + random() * 4_000);
    await database!.signal("SIGCONT");
  },
  "connections to the database are cut": (world, random) => Promise.resolve(one(world, random).wire!.cut()),
  "the way to the database is silent": async (world, random) => {
    const wire = one(world, random).wire!;
    wire.mute();
    await pause(random() * LONGER_THAN_A_LEASE_MS);
    wire.cut();
    wire.speak();
  },
  "a replica stands still while the other goes on": async (world, random) => {
    const { child } = one(world, random).berth;
    child.kill("SIGSTOP");
    await pause(LONGER_THAN_A_LEASE_MS);
    child.kill("SIGCONT");
  },
};

/** One fault after the other, until the time is up. */
export async function breakThings(world: ChaosWorld, random: Random, untilMs: number): Promise<void> {
  const faults = { ...EVERYWHERE, ...(world.database === null ? {} : ON_A_DATABASE) };
  const names = Object.keys(faults);
  while (world.now() < untilMs) {
    const name = names[Math.floor(random() * names.length)]!;
    world.tell({ fault: name });
    world.counted(name);
    await faults[name]!(world, random);
    world.tell({ mended: name });
    await pause(random() * 4_000);
  }
}

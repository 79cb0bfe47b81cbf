/**
 * The price of judging permissions on what is sent: a plan and the save of a broken file, beside the code before it.
 * Fails where one costs more than is promised.
 */
import { FIXTURE, startEngine } from "../tests/support/engine.ts";
import { filesOf } from "./earlier_commit.ts";
import { startBerth } from "./listed_berth.ts";
import { rounds } from "./rounds.ts";
import type { ServerProcess } from "./server_process.ts";

/** The last commit that read permissions from YAML. */
const BEFORE = "8dd24055";
const SERVICES = 100;
/** A turn takes so long that the clock's steps of 10 ms do not decide. */
const PLANS = 200;
/** The most that today's code may cost, times the price before. */
const MOST = { plan: 1.05, broken: 1.2 };
const MIB = 1024 * 1024;

const services = Array.from(
  { length: SERVICES },
  (_, number) =>
    `  s${number}:
    image: ${FIXTURE}
    command: [idle]
    environment: { A: one, PASSWORD: "secret-${number}" }
    labels: { tier: front }
    ports: ["127.0.0.1:${20_000 + number}:80"]
    volumes: ["./data:/data", "store:/store:ro"]
    mem_limit: 64m
    cap_drop: [ALL]
`,
).join("");
const project = `name: shop\nservices:\n${services}volumes: { store: {} }\n`;

/** A file of nearly 1 MiB whose first quote is never closed at the end. */
function broken(mark: number): string {
  const head = `name: shop\n# ${mark}\nservices:\n`;
  const line = (number: number) =>
    `  s${number}: { image: nginx, environment: { PASSWORD: "x${number}" } }\n`;
  let text = head;
  for (let number = 0; text.length < MIB - 200; number++) text += line(number);
  return `${text}  last: { image: "nginx\n`;
}

/** A berth with one editable workspace of two folders, to plan in one and to break the file of the other. */
class Scene {
  #tag = "";
  #mark = 0;

  private constructor(
    readonly server: ServerProcess,
    readonly key: string,
    readonly shop: string,
    readonly drafts: string,
  ) {}

  static async open(stack: AsyncDisposableStack, engines: string, checkout: string): Promise<Scene> {
    const folder = await Deno.makeTempDir({ prefix: "berth-authority-" });
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    await Deno.mkdir(`${folder}/shop/data`, { recursive: true });
    await Deno.mkdir(`${folder}/drafts`);
    await Deno.writeTextFile(`${folder}/shop/compose.yaml`, project);
    await Deno.writeTextFile(`${folder}/drafts/compose.yaml`, "name: drafts\nservices: {}\n");
    const { server, key } = await startBerth(stack, engines, checkout, { BERTH_ROOTS: folder });
    stack.use(server);
    const register = async (path: string): Promise<string> => {
      const answer = await send(server, key, "POST", "/api/workspaces", { path });
      const { id } = JSON.parse(answer.text);
      await send(server, key, "PUT", `/api/workspaces/${id}`, { editable: true });
      return id;
    };
    const scene = new Scene(
      server,
      key,
      await register(`${folder}/shop`),
      await register(`${folder}/drafts`),
    );
    const read = await send(server, key, "GET", scene.#file);
    scene.#tag = read.tag;
    return scene;
  }

  get #file(): string {
    return `/api/workspaces/${this.drafts}/files/compose.yaml`;
  }

  async plan(): Promise<void> {
    const path = `/api/workspaces/${this.shop}/artifacts/groups/shop/plan`;
    const { text } = await send(this.server, this.key, "POST", path, {});
    const { steps } = JSON.parse(text);
    if (steps.length < SERVICES) throw new Error(`the plan has ${steps.length} steps: ${text.slice(0, 500)}`);
  }

  async save(): Promise<void> {
    const text = broken(this.#mark++);
    this.#tag = (await send(this.server, this.key, "PUT", this.#file, { text }, this.#tag)).tag;
  }

  /** The processor time of berth for one of `times`. */
  async costs(times: number, work: () => Promise<void>): Promise<number> {
    const before = await this.server.cpuSeconds();
    for (let time = 0; time < times; time++) await work();
    return (await this.server.cpuSeconds() - before) * 1_000 / times;
  }
}

async function send(
  server: ServerProcess,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  tag?: string,
): Promise<{ text: string; tag: string }> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(tag === undefined ? {} : { "if-match": tag }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
  return { text, tag: answer.headers.get("etag") ?? "" };
}

await using stack = new AsyncDisposableStack();
const engine = stack.use(await startEngine("docker"));
const folder = await Deno.makeTempDir({ prefix: "berth-before-" });
stack.defer(() => Deno.remove(folder, { recursive: true }));
const absent = await filesOf(BEFORE, folder);
const now = await Scene.open(stack, engine.setting, new URL("../", import.meta.url).pathname);
const before = absent === undefined ? await Scene.open(stack, engine.setting, `${folder}/`) : null;

const competitors = (times: number, work: (scene: Scene) => Promise<void>) => [
  before === null
    ? { name: BEFORE, absent: absent! }
    : { name: BEFORE, run: () => before.costs(times, () => work(before)) },
  { name: "now", run: () => now.costs(times, () => work(now)) },
];
const about = (what: string, most: number) => `${what}; promised are at most ${most} of before`;
const plans = await rounds("authority-plan", competitors(PLANS, (scene) => scene.plan()), {
  warmUps: 3,
  unit: "ms of CPU",
  rounds: 11,
  about: about(`a plan of ${SERVICES} services of which none runs, judged`, MOST.plan),
});
const saves = await rounds("authority-broken", competitors(1, (scene) => scene.save()), {
  warmUps: 2,
  unit: "ms of CPU",
  rounds: 7,
  about: about("a save of a file of 1 MiB that does not parse, masked", MOST.broken),
});
if (before !== null) {
  const tooMuch = [["plan", plans], ["broken", saves]] as const;
  for (const [name, [, today]] of tooMuch) {
    if (!((today?.ratio ?? NaN) <= MOST[name])) {
      console.error(`${name} costs ${today?.ratio?.toFixed(3)} of before, more than ${MOST[name]}`);
      Deno.exitCode = 1;
    }
  }
}

/** The speed at which the page's shell shows 10 MB of coloured output, beside its terminal alone. */
import type { Browser } from "npm:playwright-core@1.65.1";
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../tests/support/engine.ts";
import { openPage } from "../tests/page/opened.ts";
import { serveEngines, type TestService } from "../tests/support/service.ts";
import { bundled } from "./bundled.ts";
import { rounds } from "./rounds.ts";
import { slow } from "./slowed_page.ts";

const BYTES = 10_000_000;
const PIECE = 32 * 1024;

export async function shell(browser: Browser): Promise<void> {
  const names = ["xterm alone", "the shell of a container"] as const;
  const options = {
    unit: "MB/s",
    better: "more",
    about:
      "10 MB of coloured output until its last line is drawn, with a CPU slowed four times; the aim is 0.7",
  } as const;
  await using stack = new AsyncDisposableStack();
  let engine: TestEngine;
  try {
    engine = stack.use(await startEngine("docker"));
  } catch (error) {
    if (!(error instanceof NoEngine)) throw error;
    return void await rounds("page-shell", names.map((name) => ({ name, absent: error.message })), options);
  }
  const output = coloured();
  const file = await Deno.makeTempFile({ prefix: "berth-bench-" });
  stack.defer(() => Deno.remove(file));
  await Deno.writeTextFile(file, output);
  await engine.cli("run", "-d", "--name", "loud", FIXTURE, "idle");
  await engine.cli("cp", file, "loud:/coloured");
  const berth = stack.use(await serveEngines({ docker: engine }));
  const alone = await bundled(`
    import { Terminal } from "@xterm/xterm";
    import layout from "@xterm/xterm/style" with { type: "text" };
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(layout);
    document.adoptedStyleSheets.push(sheet);
    globalThis.Terminal = Terminal;
  `);
  await rounds("page-shell", [
    { name: names[0], run: () => xterm(browser, alone, output) },
    { name: names[1], run: () => ours(browser, berth) },
  ], options);
}

/** Lines of a build's log: a word in one of sixteen colours, and text. */
function coloured(): string {
  let text = "";
  for (let line = 1; text.length < BYTES; line++) {
    text += `\x1b[${30 + line % 8}m${
      line % 3 === 0 ? "warn" : "info"
    }\x1b[0m step ${line} of the build took \x1b[1m${line * 7 % 991}\x1b[22m ms in src/module/${
      line % 97
    }.ts\n`;
  }
  return text;
}

async function ours(browser: Browser, berth: TestService): Promise<number> {
  await using opened = await openPage(browser, berth, {
    key: berth.admin,
    path: "/c/docker/loud?view=shell",
  });
  const { page } = opened;
  await page.getByLabel("Command").fill(
    "sh -c 'echo ready; read go; cat /coloured; echo all-$((40+2)); read on'",
  );
  await page.getByRole("button", { name: "Open a shell" }).click();
  await page.locator(".xterm-rows > div", { hasText: "ready" }).waitFor();
  await slow(page);
  const ms = page.evaluate<number>(`new Promise((resolve) => {
    let begun = 0;
    addEventListener("keydown", () => begun = performance.now(), { once: true, capture: true });
    requestAnimationFrame(function look() {
      if (document.querySelector(".xterm-rows").textContent.includes("all-42")) resolve(performance.now() - begun);
      else requestAnimationFrame(look);
    });
  })`);
  await page.keyboard.press("Enter");
  return BYTES / 1_000 / await ms;
}

/** In pieces as a socket brings them, the next one when the last is taken; as many rows and columns as the page's. */
async function xterm(browser: Browser, script: string, output: string): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  try {
    await page.evaluate(script);
    await slow(page);
    const ms = await page.evaluate<number>(
      `(async (output) => {
        const box = document.createElement("div");
        document.body.append(box);
        const terminal = new Terminal({ cols: 170, rows: 40, scrollback: 10_000, fontSize: 13, convertEol: true });
        terminal.open(box);
        const bytes = new TextEncoder().encode(output + "all-42\\n"), begun = performance.now();
        for (let at = 0; at < bytes.length; at += ${PIECE}) {
          await new Promise((resolve) => terminal.write(bytes.subarray(at, at + ${PIECE}), resolve));
        }
        return await new Promise((resolve) => requestAnimationFrame(function look() {
          if (document.querySelector(".xterm-rows").textContent.includes("all-42")) resolve(performance.now() - begun);
          else requestAnimationFrame(look);
        }));
      })(${JSON.stringify(output)})`,
    );
    return BYTES / 1_000 / ms;
  } finally {
    await page.close();
  }
}

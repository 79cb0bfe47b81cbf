/** The cost of laying out a large graph, by the page's own code in a browser. */
import type { Browser } from "npm:playwright-core@1.65.1";
import type { TestService } from "../tests/support/service.ts";
import { bundled } from "./bundled.ts";
import { rounds } from "./rounds.ts";
import { slow } from "./slowed_page.ts";

export async function layout(browser: Browser, berth: TestService, id: string): Promise<void> {
  const { href } = new URL("../page/parts/graph_layout.ts", import.meta.url);
  const script = await bundled(`import { layOut } from "${href}"; globalThis.layOut = layOut;`);
  const dag = (await berth.call(`GET /api/workspaces/${id}/artifacts/dag`)).body;
  const page = await browser.newPage();
  await page.evaluate(script);
  await page.evaluate(`globalThis.dag = ${JSON.stringify(dag)}`);
  await slow(page);
  const run = () =>
    page.evaluate<number>(
      `(() => { const begun = performance.now(); layOut(dag, () => true); return performance.now() - begun; })()`,
    );
  try {
    await rounds("page-graph-layout", [{ name: `${dag.nodes.length} nodes`, run }], {
      about:
        "where the nodes of a graph stand, by the page's own code, with a CPU slowed four times; the aim is 20",
    });
  } finally {
    await page.close();
  }
}

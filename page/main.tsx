/** The page begins: what came with the address leaves it, and the shell is put in its place. */
import { render } from "preact";
import { watch } from "./live/changes.ts";
import { handOver, takeAnswer } from "./live/provider.ts";
import { begin } from "./live/session.ts";
import { wearTheme } from "./parts/theme.ts";
import { address, go, listen, takeToken } from "./router.ts";
import { Shell } from "./shell.tsx";
import { dress } from "./style.ts";
import { words } from "./words/en.ts";

const setupToken = takeToken("setup");
const passwordToken = takeToken("password");
dress();
wearTheme();
listen();
watch();
const page = document.getElementById("page")!;
page.replaceChildren(); // the sentence for a browser that cannot run this
if (handOver(address.value)) {
  close(); // what the provider answered is told to the page that opened this window
  render(<main class="alone">{words.proofDone}</main>, page);
} else {
  const answer = takeAnswer(address.value);
  if (answer !== null) go(answer.from, { replace: true }); // a code is in no history
  void begin(answer);
  render(<Shell setupToken={setupToken} passwordToken={passwordToken} />, page);
}

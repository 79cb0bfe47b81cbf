/** The page begins: what came with the address leaves it, and the shell is put in its place. */
import { render } from "preact";
import { watch } from "./live/changes.ts";
import { takeAnswer } from "./live/provider.ts";
import { begin } from "./live/session.ts";
import { address, go, listen, takeToken } from "./router.ts";
import { Shell } from "./shell.tsx";
import { dress } from "./style.ts";

const setupToken = takeToken("setup");
const passwordToken = takeToken("password");
dress();
listen();
watch();
const answer = takeAnswer(address.value);
if (answer !== null) go(answer.from, { replace: true }); // a code is in no history
void begin(answer);
render(<Shell setupToken={setupToken} passwordToken={passwordToken} />, document.getElementById("page")!);

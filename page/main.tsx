/** The page begins: the one-time token leaves the address, and the shell is put in its place. */
import { render } from "preact";
import { watch } from "./live/changes.ts";
import { begin } from "./live/session.ts";
import { listen, takeSetupToken } from "./router.ts";
import { Shell } from "./shell.tsx";

const setupToken = takeSetupToken();
listen();
watch();
void begin();
render(<Shell setupToken={setupToken} />, document.getElementById("page")!);

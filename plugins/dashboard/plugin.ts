/** berth's own page at `/`: built files and nothing else, read when the first browser asks. */
import { placeOf } from "../../core/place.ts";
import { plugin } from "../plugin.ts";

export const dashboard = plugin({
  name: "dashboard",
  summary: "The page at /, which shows what runs beside what is written",
  version: "0.1.0",
  site: {
    files: placeOf("page/built/"),
    unbuilt: 'The page is not built; run "deno task page", then reload',
  },
  start: () => Promise.resolve({ [Symbol.asyncDispose]: () => Promise.resolve() }),
});

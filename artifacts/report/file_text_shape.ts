/** The shape of a file in full, as callers receive it. */

import * as z from "../../core/schema.ts";
import { WorkspaceFile } from "../../core/workspace.ts";
import { Range } from "../location.ts";

export const WorkspaceFileText = WorkspaceFile.extend({
  text: z.string().describe("Its text, with `********` for every secret"),
  masked: z.array(Range).describe("Every mask in `text`, in order; empty with `reveal`"),
}).meta({ id: "WorkspaceFileText" });
export type WorkspaceFileText = z.infer<typeof WorkspaceFileText>;

/** The container that uses an image, a volume or a network. */
import * as z from "../../core/schema.ts";

export const UsingContainer = z.object({
  id: z.string().describe("The container's id"),
  name: z.string().describe("The container's name"),
}).meta({ id: "UsingContainer" });
export type UsingContainer = z.infer<typeof UsingContainer>;

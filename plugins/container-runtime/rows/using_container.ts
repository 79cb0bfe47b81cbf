/** The container that uses an image, a volume or a network. */
import { z } from "zod";

export const UsingContainer = z.object({ id: z.string(), name: z.string() }).meta({ id: "UsingContainer" });
export type UsingContainer = z.infer<typeof UsingContainer>;

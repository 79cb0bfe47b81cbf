/** The answer of a registry for one reference, as it is remembered. */
import { z } from "zod";

/** Identities of one platform's image: of its manifest, and of its settings, which Docker calls the image's id. */
const Ids = z.array(z.string().max(100)).max(40);

export const Checked = z.object({
  /** `found` has a digest; of all others the digest is the last one that was found. */
  outcome: z.enum(["found", "gone", "refused", "limited", "unreachable"]),
  /** The reason in words, unless it was found. */
  reason: z.string().max(300).nullable(),
  digest: z.string().max(100).nullable(),
  /** When berth first saw this digest. */
  firstSeen: z.number().nullable(),
  checkedAt: z.number(),
  /** Until when a registry wants to be left alone. */
  until: z.number().nullable(),
  /** By platform, as `linux/amd64`: empty for one that the registry does not have. */
  platforms: z.record(z.string().max(60), Ids),
});
export type Checked = Readonly<z.infer<typeof Checked>>;

/** Null for what another version of berth wrote in another form: it is asked anew. */
export function readChecked(body: string): Checked | null {
  try {
    return Checked.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

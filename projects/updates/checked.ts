/** The answer of a registry for one reference, as it is remembered. */
import * as z from "../../core/schema.ts";
import { VERSION_STEPS } from "./versions.ts";

/** Identities of one platform's image: of its manifest, and of its settings, which Docker calls the image's id. */
const Ids = z.array(z.string().max(100)).max(40);

const CheckedVersions = z.object({
  listedAt: z.number(),
  /** The reason that not all tags were read; null where they were. */
  note: z.string().max(300).nullable(),
  /** The newest of each step, each as berth first saw it. */
  found: z.array(z.object({
    tag: z.string().max(128),
    step: z.enum(VERSION_STEPS),
    digest: z.string().max(100),
    firstSeen: z.number(),
  })).max(VERSION_STEPS.length),
});
export type CheckedVersions = Readonly<z.infer<typeof CheckedVersions>>;

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
  /** Newer versions of the tag; null for a tag that is none, and while its list was not read. */
  versions: CheckedVersions.nullable().default(null),
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

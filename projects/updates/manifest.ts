/** Manifests and indexes of registries, as far as one platform's image is told from another's. */
import * as z from "../../core/schema.ts";

export const ACCEPT = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

export const DIGEST = /^sha256:[0-9a-f]{64}$/;

const Digest = z.string().regex(DIGEST);
const Index = z.object({
  manifests: z.array(z.object({
    digest: Digest,
    platform: z.object({ os: z.string(), architecture: z.string() }).optional(),
  })).max(10_000),
});
/** The settings of an image; a chart or a signature has others. */
const IMAGE_SETTINGS = [
  "application/vnd.oci.image.config.v1+json",
  "application/vnd.docker.container.image.v1+json",
];
const Manifest = z.object({
  config: z.object({ digest: Digest, mediaType: z.enum(IMAGE_SETTINGS).optional() }),
});

/** An index names the manifest of each platform; a manifest names its settings. Null for anything else. */
type ReadManifest =
  | { readonly kind: "index"; readonly platforms: ReadonlyMap<string, readonly string[]> }
  | { readonly kind: "manifest"; readonly config: string };

export function readManifest(body: Uint8Array): ReadManifest | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return null;
  }
  const index = Index.safeParse(value);
  if (index.success) {
    const platforms = new Map<string, string[]>();
    // Build records stand in an index as `unknown/unknown`, and no machine is that.
    for (const { digest, platform } of index.data.manifests) {
      if (platform === undefined || platform.os === "unknown") continue;
      const name = platformOf(platform.os, platform.architecture);
      platforms.set(name, [...platforms.get(name) ?? [], digest]);
    }
    return { kind: "index", platforms };
  }
  const manifest = Manifest.safeParse(value);
  return manifest.success ? { kind: "manifest", config: manifest.data.config.digest } : null;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64", armv7l: "arm" };

/** Returns a platform as registries write it. */
export function platformOf(os: string, architecture: string): string {
  return `${os}/${ARCHITECTURES[architecture] ?? architecture}`;
}

/** Small images that are pushed to a registry without an engine: nobody can run them, and everybody can compare them. */
import type { ReachableRegistry } from "./reachable_registry.ts";

export const INDEX = "application/vnd.oci.image.index.v1+json";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

/** The digests of a pushed image: of its index or manifest, and of the settings of each platform. */
export interface Pushed {
  readonly digest: string;
  readonly manifests: Readonly<Record<string, string>>;
  readonly configs: Readonly<Record<string, string>>;
}

/** `versions` has a text for each platform; another text makes another image. Without an index where there is one. */
export async function pushImage(
  registry: ReachableRegistry,
  name: string,
  tag: string,
  versions: Readonly<Record<string, string>>,
): Promise<Pushed> {
  const manifests: Record<string, string> = {};
  const configs: Record<string, string> = {};
  const entries: unknown[] = [];
  let last = "";
  for (const [platform, version] of Object.entries(versions)) {
    const [os = "", architecture = ""] = platform.split("/");
    const config = JSON.stringify({
      os,
      architecture,
      config: { Labels: { version } },
      rootfs: { type: "layers" },
    });
    configs[platform] = await blob(registry, name, config);
    last = JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: {
        mediaType: "application/vnd.oci.image.config.v1+json",
        digest: configs[platform],
        size: new TextEncoder().encode(config).length,
      },
      layers: [],
    });
    manifests[platform] = await put(registry, name, await digestOf(last), last, MANIFEST);
    const size = new TextEncoder().encode(last).length;
    entries.push({ mediaType: MANIFEST, digest: manifests[platform], size, platform: { os, architecture } });
  }
  const isSingle = entries.length === 1;
  const text = isSingle ? last : JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: entries });
  const digest = await put(registry, name, tag, text, isSingle ? MANIFEST : INDEX);
  return { digest, manifests, configs };
}

export async function blob(registry: ReachableRegistry, name: string, text: string): Promise<string> {
  const digest = await digestOf(text);
  const begun = await registry.direct(`/v2/${name}/blobs/uploads/`, { method: "POST" });
  await begun.body?.cancel();
  const to = new URL(begun.headers.get("location")!, "http://registry");
  to.searchParams.set("digest", digest);
  const done = await registry.direct(to.pathname + to.search, { method: "PUT", body: text });
  if (done.status !== 201) throw new Error(`A blob was not stored: ${done.status} ${await done.text()}`);
  await done.body?.cancel();
  return digest;
}

export async function put(
  registry: ReachableRegistry,
  name: string,
  tag: string,
  text: string,
  type: string,
): Promise<string> {
  const done = await registry.direct(`/v2/${name}/manifests/${tag}`, {
    method: "PUT",
    body: text,
    headers: { "content-type": type },
  });
  if (done.status !== 201) throw new Error(`A manifest was not stored: ${done.status} ${await done.text()}`);
  await done.body?.cancel();
  return await digestOf(text);
}

async function digestOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256:${new Uint8Array(hash).toHex()}`;
}

/** `refusing_registry_server.ts <port>`: answers each repository with its own kind of failure. */
const LIST = "application/vnd.docker.distribution.manifest.list.v2+json";
const DIGEST = `sha256:${"0".repeat(64)}`;

const error = (code: string, status: number, headers: Record<string, string> = {}) =>
  Response.json({ errors: [{ code, message: code.toLowerCase() }] }, { status, headers });

const foreign = JSON.stringify({
  schemaVersion: 2,
  mediaType: LIST,
  manifests: [{
    mediaType: "application/vnd.docker.distribution.manifest.v2+json",
    digest: DIGEST,
    size: 100,
    platform: { os: "plan9", architecture: "s390x" },
  }],
});

const MANIFESTS: Readonly<Record<string, () => Response>> = {
  gone: () => error("MANIFEST_UNKNOWN", 404),
  denied: () => error("UNAUTHORIZED", 401, { "www-authenticate": 'Basic realm="berth"' }),
  limited: () => error("TOOMANYREQUESTS", 429, { "retry-after": "60" }),
  // Shorter than its own digest says.
  cut: () => new Response(foreign.slice(0, 40), { headers: { "content-type": LIST } }),
  foreign: () => new Response(foreign, { headers: { "content-type": LIST } }),
};

Deno.serve({ port: Number(Deno.args[0]), hostname: "127.0.0.1" }, ({ url }) => {
  const [, repository] = /\/v2\/(\w+)\/manifests\//.exec(url) ?? [];
  const answer = repository === undefined ? undefined : MANIFESTS[repository];
  return answer?.() ?? new Response("{}", { headers: { "docker-distribution-api-version": "registry/2.0" } });
});

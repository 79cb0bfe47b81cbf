/** The variables that git inherits: where programs are, how the network is reached, and which authorities are trusted. */
const PASSED = [
  "PATH",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "GIT_SSL_CAINFO",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
];

export function gitEnvironment(
  env: (name: string) => string | undefined = Deno.env.get,
): Readonly<Record<string, string>> {
  return Object.fromEntries(PASSED.flatMap((name) => {
    const value = env(name);
    return value === undefined ? [] : [[name, value] as const];
  }));
}

/** Checks of the network: berth's own port, TLS, proxies, and the address that people use. */
import { X509Certificate } from "node:crypto";
import { lastVersion } from "../../app/running_version.ts";
import { isLoopback } from "../../config/settings.ts";
import { VERSION } from "../../version.ts";
import { askOnce } from "../ask.ts";
import { type Finding, risky, wrong } from "../../core/finding.ts";
import { type Check, type Setup, statOf, textOf } from "./check.ts";

const SOON_MS = 14 * 24 * 60 * 60_000;

export const NETWORK_CHECKS: readonly Check[] = [
  { name: "service", look: lookAtService },
  { name: "address that people use", look: lookAtBaseUrl },
  { name: "published port", look: lookAtPublished },
  { name: "trusted proxies", look: lookAtProxies },
  { name: "certificate", look: lookAtCertificate },
];

async function lookAtService({ config: { host, port, tls, data } }: Setup): Promise<Finding[]> {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const base = `${tls === null ? "http" : "https"}://${
    reached.includes(":") ? `[${reached}]` : reached
  }:${port}`;
  const live = await askOnce(`${base}/api/health/live`);
  if (live === null) {
    return [risky(`Nothing answers at ${base}`, "Start berth; its log says why if it ends")];
  }
  if (live.status !== 200 || live.text !== "live") {
    return [wrong(`Another program answers at ${base}`, "Set BERTH_PORT to a free port")];
  }
  const running = await lastVersion(data);
  if (running === VERSION) return [];
  return [
    running === null
      ? risky(
        `Nothing in "${data}" tells which version of berth runs at ${base}`,
        "Start the service again; if this stays, BERTH_DATA is not that of the service",
      )
      : risky(
        `berth ${running} runs, and this is ${VERSION}`,
        "Start the service again, so that the new version runs",
      ),
  ];
}

async function lookAtBaseUrl({ config: { baseUrl, host, tls, published } }: Setup): Promise<Finding[]> {
  if (baseUrl === null) {
    // What is published on the host's loopback is asked for by a name of loopback.
    return isLoopback(host) || published !== null ? [] : [risky(
      "BERTH_BASE_URL is not set: requests by any name but the address itself are refused (421)",
      "Set BERTH_BASE_URL to the address that people use, as https://berth.example",
    )];
  }
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "http:" && !isLoopback(hostname.replace(/^\[|\]$/g, ""))) {
    return [wrong(
      `BERTH_BASE_URL is ${baseUrl}: keys and tokens cross the network as plain text`,
      "Use https, with a proxy such as Caddy or with BERTH_TLS_CERT",
    )];
  }
  if (protocol === "https:" && isLoopback(host) === false && tls === null) return [];
  const answer = await askOnce(`${baseUrl}/api/health/live`);
  if (answer === null) {
    return [risky(`${baseUrl} does not answer from here`, "Look at the proxy and at the name's address")];
  }
  if (answer.status !== 200 || answer.text !== "live") {
    return [wrong(
      `${baseUrl} answers ${answer.status}, but not as berth does`,
      "Let the proxy pass /api on to berth as it is",
    )];
  }
  // Only a probe is answered whatever the host name: health is not.
  return (await askOnce(`${baseUrl}/api/health`))?.status === 421
    ? [
      wrong(
        `The proxy at ${baseUrl} does not pass on the Host header`,
        "nginx: proxy_set_header Host $http_host;",
      ),
    ]
    : [];
}

/** Published on loopback it is for one person; another name means that a proxy brings others. */
function lookAtPublished({ config: { published, baseUrl } }: Setup): Finding[] {
  return published === null || baseUrl === null || isLoopback(new URL(baseUrl).hostname) ? [] : [risky(
    "BERTH_PUBLISHED=loopback: all callers seem to be one, so limits and logs cannot tell them apart",
    "Put the proxy into berth's own network, as packaging/berth-caddy/compose.yaml does",
  )];
}

function lookAtProxies({ config: { trustedProxies, host, baseUrl } }: Setup): Finding[] {
  if (trustedProxies.length === 0) {
    return baseUrl !== null && isLoopback(host) && !isLoopback(new URL(baseUrl).hostname)
      ? [risky(
        "BERTH_TRUSTED_PROXIES is not set: all callers seem to come from the proxy",
        "Set it to the proxy's address, 127.0.0.1 where it runs on this machine",
      )]
      : [];
  }
  return baseUrl === null
    ? [
      wrong(
        "BERTH_TRUSTED_PROXIES is set without BERTH_BASE_URL",
        "Set BERTH_BASE_URL to the proxy's address",
      ),
    ]
    : [];
}

async function lookAtCertificate({ config: { tls } }: Setup): Promise<Finding[]> {
  if (tls === null) return [];
  const found: Finding[] = [];
  const [text, key, keyFile] = await Promise.all([textOf(tls.cert), textOf(tls.key), statOf(tls.key)]);
  if (key === null) {
    found.push(wrong(`The TLS key "${tls.key}" cannot be read`, "Let the user of berth read it"));
  } // A key that a supervisor hands over belongs to it and may be read by berth's group.
  else if (((keyFile?.mode ?? 0) & 0o007) !== 0) {
    found.push(
      wrong(`Everybody on this machine may read the TLS key "${tls.key}"`, `chmod 600 "${tls.key}"`),
    );
  }
  if (text === null) {
    return [...found, wrong(`The certificate "${tls.cert}" cannot be read`, "Let the user of berth read it")];
  }
  let ends: number;
  try {
    ends = Date.parse(new X509Certificate(text).validTo);
  } catch {
    return [
      ...found,
      wrong(`"${tls.cert}" holds no PEM certificate`, "Set BERTH_TLS_CERT to the certificate chain"),
    ];
  }
  const days = Math.floor((ends - Date.now()) / 86_400_000);
  if (ends < Date.now()) found.push(wrong("The certificate has expired", "Renew it and start berth again"));
  else if (ends - Date.now() < SOON_MS) {
    found.push(risky(`The certificate ends in ${days} days`, "Renew it and start berth again"));
  }
  return found;
}

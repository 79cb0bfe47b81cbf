/** The parts of the program as an SPDX 2.3 document, written from the lock file. */
import { VERSION } from "../version.ts";
import { cachedPackage, type LockedPackage, lockedPackages, ROOT } from "./program.ts";

/** `created` is the release's time, so that the same input makes the same text. */
export async function spdxOf(created: Date): Promise<string> {
  const packages = [...await lockedPackages(), ...await lockedPackages(`${ROOT}page/deno.lock`)];
  const { deno } = JSON.parse(await Deno.readTextFile(`${ROOT}.ci/versions.json`));
  const parts = [
    ...await Promise.all(packages.map(partOf)),
    part("deno", deno, "MIT", "https://github.com/denoland/deno", []),
  ];
  const document = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `berth-${VERSION}`,
    documentNamespace: `https://spdx.org/spdxdocs/berth-${VERSION}-${created.getTime()}`,
    creationInfo: {
      created: `${created.toISOString().slice(0, 19)}Z`,
      creators: [`Tool: berth-release-${VERSION}`],
    },
    packages: [part("berth", VERSION, "MIT", "NOASSERTION", []), ...parts],
    relationships: [
      relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-berth"),
      ...parts.map(({ SPDXID }) => relation("SPDXRef-berth", "DEPENDS_ON", SPDXID)),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

async function partOf({ name, version, integrity }: LockedPackage) {
  const [algorithm = "", base64 = ""] = integrity.split(/-(.*)/);
  const hex = [...atob(base64)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  const file = name.slice(name.indexOf("/") + 1);
  const archive = `https://registry.npmjs.org/${name}/-/${file}-${version}.tgz`;
  return part(name, version, await licenceOf(name, version), archive, [
    { algorithm: algorithm.toUpperCase(), checksumValue: hex },
  ]);
}

/** Returns the licence of its own manifest, if this machine has it. */
async function licenceOf(name: string, version: string): Promise<string> {
  try {
    const manifest = JSON.parse(
      await Deno.readTextFile(`${await cachedPackage(name, version)}/package.json`),
    );
    return typeof manifest.license === "string" ? manifest.license : "NOASSERTION";
  } catch {
    return "NOASSERTION";
  }
}

interface Checksum {
  readonly algorithm: string;
  readonly checksumValue: string;
}

function part(
  name: string,
  versionInfo: string,
  licence: string,
  location: string,
  checksums: readonly Checksum[],
) {
  return {
    SPDXID: `SPDXRef-${name.replaceAll(/[^A-Za-z0-9.-]/g, "-")}`,
    name,
    versionInfo,
    downloadLocation: location,
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: licence,
    copyrightText: "NOASSERTION",
    ...(checksums.length === 0 ? {} : { checksums }),
  };
}

function relation(spdxElementId: string, relationshipType: string, relatedSpdxElement: string) {
  return { spdxElementId, relationshipType, relatedSpdxElement };
}

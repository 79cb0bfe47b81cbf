/** Writes what Homebrew and winget need to install a release, from the sums of its files. */
import { VERSION } from "../version.ts";
import { REPOSITORY } from "./names.ts";

const SUMMARY = "Compares what Compose files declare with what runs on Docker and Podman";
const BINARIES = {
  macArm: "berth-aarch64-apple-darwin",
  linuxArm: "berth-aarch64-unknown-linux-gnu",
  linuxIntel: "berth-x86_64-unknown-linux-gnu",
  windows: "berth-x86_64-pc-windows-msvc.exe",
} as const;

/** Writes `berth.rb` and the three files of winget into a folder that has `SHA256SUMS`. */
export async function writeManifests(folder: string): Promise<void> {
  const sums = new Map(
    (await Deno.readTextFile(`${folder}/SHA256SUMS`)).trim().split("\n").map((line) => {
      const [sum = "", name = ""] = line.split("  ");
      return [name, sum];
    }),
  );
  const sumOf = (name: string) => {
    const sum = sums.get(name);
    if (sum === undefined) throw new Error(`Cannot write the manifests: the release has no ${name}`);
    return sum;
  };
  await Deno.writeTextFile(`${folder}/berth.rb`, formula(sumOf));
  for (const [kind, text] of Object.entries(winget(sumOf(BINARIES.windows)))) {
    await Deno.writeTextFile(`${folder}/berth.berth${kind}.yaml`, text);
  }
}

const urlOf = (name: string) => `${REPOSITORY}/releases/download/v${VERSION}/${name}`;

function formula(sumOf: (name: string) => string): string {
  const part = (name: string) => `      url "${urlOf(name)}"\n      sha256 "${sumOf(name)}"\n`;
  return `class Berth < Formula
  desc "${SUMMARY}"
  homepage "${REPOSITORY}"
  version "${VERSION}"
  license "MIT"

  on_macos do
    depends_on arch: :arm64
    on_arm do
${part(BINARIES.macArm)}    end
  end

  on_linux do
    on_arm do
${part(BINARIES.linuxArm)}    end
    on_intel do
${part(BINARIES.linuxIntel)}    end
  end

  def install
    bin.install Dir["berth-*"].first => "berth"
    generate_completions_from_executable(bin/"berth", "completion")
  end

  service do
    run [opt_bin/"berth", "serve"]
    keep_alive true
  end

  test do
    assert_equal "berth #{version}", shell_output("#{bin}/berth version").strip
  end
end
`;
}

/** By the end of each file's name. */
function winget(sum: string): Readonly<Record<string, string>> {
  const head = `PackageIdentifier: berth.berth\nPackageVersion: ${VERSION}\n`;
  const end = (kind: string) => `ManifestType: ${kind}\nManifestVersion: 1.6.0\n`;
  return {
    "": `${head}DefaultLocale: en-US\n${end("version")}`,
    ".installer": `${head}InstallerType: portable
Commands: [berth]
Installers:
  - Architecture: x64
    InstallerUrl: ${urlOf(BINARIES.windows)}
    InstallerSha256: ${sum.toUpperCase()}
${end("installer")}`,
    ".locale.en-US": `${head}PackageLocale: en-US
Publisher: berth
PackageName: berth
PackageUrl: ${REPOSITORY}
License: MIT
ShortDescription: ${SUMMARY}
${end("defaultLocale")}`,
  };
}

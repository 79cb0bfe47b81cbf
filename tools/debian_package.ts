/** Makes the Debian package: the binary, the unit, the manual page and completions, installed where Debian has them. */
import { VERSION } from "../version.ts";
import { BUNDLE, bundleProgram, NOTICES } from "./bundle.ts";
import { REPOSITORY } from "./names.ts";
import { ROOT } from "./program.ts";
import { run } from "./run.ts";

/** Debian's words for architectures. */
const ARCHITECTURES: Readonly<Record<typeof Deno.build.arch, string>> = { x86_64: "amd64", aarch64: "arm64" };

const CONTROL = `Package: berth
Version: ${VERSION}
Architecture: ${ARCHITECTURES[Deno.build.arch]}
Maintainer: berth <noreply@berth.invalid>
Depends: libc6, libgcc-s1, ca-certificates
Recommends: docker.io | docker-ce | podman
Section: admin
Priority: optional
Homepage: ${REPOSITORY}
Description: projects in folders, and the containers they run in
 berth compares what Compose files declare with what runs on Docker and
 Podman, says where they differ, and applies exactly that.
`;

/** The group owns the engine's socket. Docker's own package takes it over where it is installed later. */
const AFTER = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  getent group docker >/dev/null || groupadd --system docker
  getent passwd berth >/dev/null || useradd --system --no-create-home --home-dir /var/lib/berth --shell /usr/sbin/nologin berth
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    if [ -n "$2" ]; then systemctl try-restart berth; fi
  fi
  [ -n "$2" ] || echo "berth is installed. Start it with: systemctl enable --now berth"
fi
`;

const BEFORE_REMOVAL = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl disable --now berth; fi
`;

/** Data and user stay until the package is purged. */
const AFTER_REMOVAL = `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
if [ "$1" = purge ]; then
  rm -rf /var/lib/berth
  if getent passwd berth >/dev/null; then userdel berth; fi
fi
`;

/** Writes `berth_VERSION_ARCH.deb` into `out`. Returns its name. */
export async function makeDebianPackage(
  binary: string,
  completions: Readonly<Record<string, string>>,
  out: string,
): Promise<string> {
  const root = await Deno.makeTempDir({ prefix: "berth-deb-" });
  try {
    const put = async (path: string, text: string, mode = 0o644) => {
      await Deno.mkdir(`${root}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true, mode: 0o755 });
      await Deno.writeTextFile(`${root}/${path}`, text, { mode });
      await Deno.chmod(`${root}/${path}`, mode);
    };
    await put("DEBIAN/control", CONTROL);
    await put("DEBIAN/postinst", AFTER, 0o755);
    await put("DEBIAN/prerm", BEFORE_REMOVAL, 0o755);
    await put("DEBIAN/postrm", AFTER_REMOVAL, 0o755);
    const unit = await Deno.readTextFile(`${ROOT}packaging/berth.service`);
    const body = unit.slice(unit.indexOf("[Unit]")).replaceAll("/usr/local/bin/berth", "/usr/bin/berth");
    await put(
      "usr/lib/systemd/system/berth.service",
      `# Settings: systemctl edit berth, then [Service] and Environment=BERTH_ROOTS=/srv/projects
# To edit files of projects in berth, also ReadWritePaths=/srv/shop, and chown -R berth: /srv/shop\n${body}`,
    );
    await put("usr/share/man/man1/berth.1", await Deno.readTextFile(`${ROOT}packaging/berth.1`));
    await bundleProgram();
    const licences = [`${ROOT}LICENSE`, new URL(NOTICES, BUNDLE)].map((file) => Deno.readTextFile(file));
    await put("usr/share/doc/berth/copyright", (await Promise.all(licences)).join("\n"));
    await put("usr/share/bash-completion/completions/berth", completions["bash"] ?? "");
    await put("usr/share/zsh/vendor-completions/_berth", completions["zsh"] ?? "");
    await put("usr/share/fish/vendor_completions.d/berth.fish", completions["fish"] ?? "");
    await Deno.mkdir(`${root}/usr/bin`, { mode: 0o755 });
    await Deno.copyFile(binary, `${root}/usr/bin/berth`);
    await Deno.chmod(`${root}/usr/bin/berth`, 0o755);
    await Deno.chmod(root, 0o755);
    const name = `berth_${VERSION}_${ARCHITECTURES[Deno.build.arch]}.deb`;
    // Fast rather than small: the binary is most of it.
    await run("dpkg-deb", ["--root-owner-group", "-Zgzip", "-z1", "--build", root, `${out}/${name}`]);
    return name;
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

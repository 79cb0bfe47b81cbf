/** Tells whether a volume's options give its containers access to folders of the host. */

/** Names under which drivers take a path or a device of the host. */
const PATHS = new Set([
  "device",
  "mountpoint",
  "path",
  "source",
  "src",
  "hostpath",
  "host_path",
  "bind",
  "share",
]);

/** In doubt yes: any device counts, and anything that another driver may take for a path. */
export function bindsHostPath(
  driver: string | undefined,
  options: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(options).some(([name, value]) => {
    const option = name.trim().toLowerCase();
    if (PATHS.has(option)) return true;
    if (option === "o" && value.split(",").some((one) => isBind(one))) return true;
    if (option === "type" && isBind(value)) return true;
    return driver !== undefined && driver !== "local" && value.startsWith("/");
  });
}

function isBind(option: string): boolean {
  return /^(?:r?bind|none|overlay|(?:lowerdir|upperdir|workdir|device|src|source)=.*)$/i.test(option.trim());
}

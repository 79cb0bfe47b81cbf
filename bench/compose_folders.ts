/** Compose projects of a plausible shape, as many as a bench wants. */

/** About 1.5 kB: six services with the usual keys, comments and an anchor. */
export function composeFile(seed: number): string {
  const services = ["web", "api", "worker", "db", "cache", "mail"].map((name, index) => {
    const after = index === 0 ? "" : `    depends_on:\n      cache:\n        condition: service_started\n`;
    return [
      `  ${name}: # service ${index} of project ${seed}`,
      `    <<: *common`,
      `    image: registry.example.org/team-${seed % 7}/${name}:1.${index}.${seed}`,
      `    command: ["serve", "--port", "${8000 + index}"]`,
      `    environment:`,
      `      LOG_LEVEL: info`,
      `      UPSTREAM: "http://api:${8000 + index}/v1?project=${seed}"`,
      `    ports:`,
      `      - "${10000 + seed * 6 + index}:${8000 + index}"`,
      `    volumes:`,
      `      - data:/var/lib/${name}`,
    ].join("\n") + "\n" + (name === "cache" ? "" : after);
  });
  return [
    `name: project-${seed}`,
    "x-common: &common",
    "  restart: unless-stopped",
    "  logging: {driver: json-file, options: {max-size: 10m}}",
    "services:",
    services.join("\n"),
    "volumes:",
    "  data: {}",
    "",
  ].join("\n");
}

/** A folder of its own with a project each, gone at the end. */
export async function composeFolders(count: number): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-bench-" }));
  for (let seed = 0; seed < count; seed++) {
    await Deno.mkdir(`${path}/project-${seed}`);
    await Deno.writeTextFile(`${path}/project-${seed}/compose.yaml`, composeFile(seed));
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

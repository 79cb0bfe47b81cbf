// The peer of bench/large_log.ts: a container's log, taken apart by docker-modem and served as text.
import { createServer } from "node:http";
import { PassThrough } from "node:stream";
import Docker from "dockerode";

const [socketPath, port] = process.argv.slice(2);
const docker = new Docker({ socketPath });

createServer((request, response) => {
  docker.modem.dial({
    path: `/containers/${request.url.slice(1)}/logs?`,
    method: "GET",
    isStream: true,
    statusCodes: { 200: true },
    options: { stdout: true, stderr: true },
  }, (error, log) => {
    if (error) return response.writeHead(502).end();
    const lines = new PassThrough();
    docker.modem.demuxStream(log, lines, lines);
    log.on("end", () => lines.end());
    lines.pipe(response);
  });
}).listen(Number(port), "127.0.0.1");

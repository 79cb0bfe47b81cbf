/** The published ports of a project. */
import type { Row } from "../live/projects.ts";

/** Links to the published ports, on the host that the address bar names. */
export function Ports({ ports }: Pick<Row, "ports">) {
  return (
    <span class="project-ports">
      {ports.map((port) => (
        <a key={port} href={`http://${location.hostname}:${port}/`} target="_blank" rel="noreferrer">
          :{port}
        </a>
      ))}
    </span>
  );
}

/** Real projects with stand-ins for their images: one small image under each name, which waits whatever it is told. */
import assert from "node:assert/strict";
import type { Group } from "../../artifacts/artifact.ts";
import type { corpus } from "../support/corpus.ts";
import type { TestEngine } from "../support/engine.ts";
import { fixtureImage } from "../support/fixture_image.ts";

const CANONICAL = /^(?:docker-)?compose\.ya?ml$/;

/** Beside these the suite has no time for more: dependencies and their health, secrets, several networks, one with many volumes. */
export const SOME: Readonly<Record<Parameters<typeof corpus>[0], readonly string[]>> = {
  "awesome-compose": ["nginx-golang-postgres", "prometheus-grafana", "nextcloud-redis-mariadb"],
  "compose": ["pkg/e2e/fixtures/bridge"],
  "compose-go": ["loader/testdata/extends/withdir"],
};

/** The folders with a Compose file; what is below one is a part of it. */
export function* projectsIn(root: string, under: string): Generator<string> {
  const entries = [...Deno.readDirSync(`${root}/${under}`)];
  if (under !== "" && entries.some(({ name }) => CANONICAL.test(name))) yield under;
  else {
    for (const { name, isDirectory } of entries) {
      if (isDirectory) yield* projectsIn(root, under === "" ? name : `${under}/${name}`);
    }
  }
}

/** The id of an image that waits, whatever command it gets. */
export async function standIn(engine: TestEngine): Promise<string> {
  const query = new URLSearchParams({
    fromSrc: "-",
    repo: "stand-in",
    tag: "1",
    changes: 'ENTRYPOINT ["/bin/idle"]',
  });
  const answer = await engine.ask(`POST /images/create?${query}`, await fixtureImage());
  const id = /[0-9a-f]{64}/.exec(answer.body)?.[0];
  return id ?? assert.fail(answer.body);
}

/** Gives the stand-in the name of every image of a group. */
export async function nameStandIns(
  engine: TestEngine,
  standIn: string,
  { units, project }: Group,
): Promise<void> {
  for (const { service, label } of units) {
    const image = service?.image ?? `${project}-${label}`;
    const [, repo, tag = "latest"] = /^(.*?)(?::([^:/]*))?$/.exec(image)!; // any text
    const tagged = await engine.ask(
      `POST /images/${standIn}/tag?${new URLSearchParams({ repo: repo!, tag })}`,
    );
    // A service with a large letter cannot be built: Compose says so, too.
    if (!/must be lowercase/.test(tagged.body)) {
      assert.equal(tagged.status, 201, `${image}: ${tagged.body}`);
    }
  }
}

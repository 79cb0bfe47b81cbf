/** The table of screens: which address shows which. */
import type { ComponentChild } from "preact";
import { Empty } from "./parts/states.tsx";
import { Container } from "./screens/container/container.tsx";
import { Containers } from "./screens/containers/containers.tsx";
import { Overview } from "./screens/overview/overview.tsx";
import { Workspace } from "./screens/workspace/workspace.tsx";
import { words } from "./words/en.ts";

interface Screen {
  readonly title: string;
  readonly view: ComponentChild;
}

type Parts = Readonly<Record<string, string | undefined>>;

const SCREENS: readonly (readonly [pattern: URLPattern, screen: (parts: Parts) => Screen])[] = [
  [pattern("/"), () => ({ title: words.overview.title, view: <Overview /> })],
  [pattern("/w/:id"), ({ id = "" }) => ({ title: id, view: <Workspace id={id} key={id} /> })],
  [pattern("/c"), () => ({ title: words.containers.title, view: <Containers /> })],
  [pattern("/c/:backend/:name"), ({ backend = "", name = "" }) => ({
    title: name,
    view: <Container backend={backend} name={name} key={`${backend}/${name}`} />,
  })],
];

function pattern(pathname: string): URLPattern {
  return new URLPattern({ pathname });
}

export function screenAt(url: URL): Screen {
  for (const [pattern, screen] of SCREENS) {
    const found = pattern.exec({ pathname: url.pathname });
    if (found === null) continue;
    const parts = Object.entries(found.pathname.groups);
    return screen(Object.fromEntries(parts.map(([name, part]) => [name, decodeURIComponent(part ?? "")])));
  }
  return {
    title: words.problem.notFound,
    view: (
      <Empty title={words.problem.notFound} whole>
        <a href="/">{words.problem.toOverview}</a>
      </Empty>
    ),
  };
}

/** The page's styles, as sheets that come with the scripts: one request less on the first visit. */
import base from "./style/base.css" with { type: "text" };
import parts from "./style/parts.css" with { type: "text" };
import screens from "./style/screens.css" with { type: "text" };
import listings from "./style/listings.css" with { type: "text" };
import projects from "./style/projects.css" with { type: "text" };
import palette from "./style/palette.css" with { type: "text" };
import print from "./style/print.css" with { type: "text" };

/** Gives the document its looks. */
export function dress(): void {
  wear([base, parts, screens, projects, listings, palette, print]);
}

/** Adds to them what looks like this. */
export function wear(texts: readonly string[]): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(texts.join("\n"));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/** How everything looks, as one sheet that comes with the script: one request less for who opens the page. */
import base from "./style/base.css" with { type: "text" };
import parts from "./style/parts.css" with { type: "text" };
import screens from "./style/screens.css" with { type: "text" };
import listings from "./style/listings.css" with { type: "text" };
import views from "./style/views.css" with { type: "text" };
import files from "./style/files.css" with { type: "text" };
import applies from "./style/applies.css" with { type: "text" };
import print from "./style/print.css" with { type: "text" };

/** Gives the document its looks. */
export function dress(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([base, parts, screens, listings, views, files, applies, print].join("\n"));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

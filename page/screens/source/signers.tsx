/** The keys of which one must have signed a commit before berth takes it. */
import type { Source } from "../../../client/berth/workspaces.ts";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.sources.signers;

export function Signers({ source: { signers } }: { readonly source: Source }) {
  if (signers.length === 0) return null;
  return (
    <section aria-labelledby="source-signers">
      <div class="section-head">
        <h2 id="source-signers">{TEXT.title}</h2>
      </div>
      <p class="hint">{TEXT.lead}</p>
      <ul class="rows">
        {signers.map(({ fingerprint, name }) => (
          <li class="row" key={fingerprint}>
            <span>
              <code>{shown(fingerprint)}</code> <span class="quiet">{shown(name)}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

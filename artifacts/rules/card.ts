/** Rules about cards: what they describe, and whether their links and runbooks exist. */

import type { Card, Model } from "../artifact.ts";
import { didYouMean, findWritten } from "../graph/names.ts";
import { ambiguous } from "./ref.ts";
import type { Say } from "./say.ts";

const LIFECYCLES = [
  "experimental",
  "development",
  "staging",
  "production",
  "maintenance",
  "deprecated",
  "retired",
];

/** All cards of the workspace. */
export function checkCards(model: Model, say: Say): void {
  const described = new Map<string, Card>();
  const files = new Set(model.files.map((file) => file.path));
  for (const card of model.cards) {
    const subject = subjectOf(model, card, say);
    checkContents(card, files, say);
    if (subject === null || card.origin === "readme") continue;
    const other = described.get(subject);
    if (other === undefined) described.set(subject, card);
    else {
      say(
        "card/duplicate-subject",
        card.subject!.at,
        `"${subject}" is already described by the card "${other.name}"`,
        {
          subject: card.id,
          related: [{ message: `"${other.name}" is here`, at: other.source }],
        },
      );
    }
  }
}

/** The id of what a card describes; null, with a finding, where it cannot be told. */
function subjectOf(model: Model, card: Card, say: Say): string | null {
  const isBackstage = card.origin === "backstage";
  if (card.subject === null) {
    if (card.origin === "native") {
      say("card/no-subject", card.source, `Card "${card.name}" has no subject`, { subject: card.id });
    }
    return null;
  }
  const { target, written, at } = card.subject;
  const found = findWritten(model, target ?? written, null);
  if ("id" in found) return found.id;
  if ("candidates" in found) {
    ambiguous(written, at, card.id, found.candidates, say);
    return null;
  }
  const name = written.replace(/^(group|unit):/, "");
  const near = didYouMean(name, [
    ...model.groups.map((group) => group.name),
    ...model.units.map((unit) => unit.name),
  ]);
  say("card/unknown-subject", at, `"${written}" does not exist${near}`, {
    subject: card.id,
    ...(isBackstage && { severity: "info" as const }),
  });
  return null;
}

function checkContents(card: Card, files: ReadonlySet<string>, say: Say): void {
  const beside = { subject: card.id };
  for (const link of card.links) {
    if (leadsSomewhere(link.url)) continue;
    say(
      "card/bad-link",
      link.at,
      `"${link.url}" is neither an http, https or mailto link nor a path in the workspace`,
      beside,
    );
  }
  if (card.runbook !== null && card.runbook.found === false && !files.has(card.runbook.path ?? "")) {
    say("card/runbook-missing", card.runbook.at, `Runbook "${card.runbook.written}" does not exist`, {
      ...beside,
      ...(card.origin === "backstage" && { severity: "info" as const }),
    });
  }
  if (card.lifecycle !== null && !LIFECYCLES.includes(card.lifecycle.toLowerCase())) {
    say(
      "card/unknown-lifecycle",
      card.lifecycleAt ?? card.source,
      `Unknown lifecycle "${card.lifecycle}": use one of ${LIFECYCLES.join(", ")}`,
      beside,
    );
  }
  if (card.owner === null && card.origin !== "readme") {
    say("card/missing-owner", card.source, `Card "${card.name}" has no owner`, beside);
  }
}

function leadsSomewhere(url: string): boolean {
  if (/^(https?:\/\/[^\s]+|mailto:[^\s]+)$/i.test(url)) return URL.canParse(url);
  // A path of the workspace: no scheme, no host, nothing above the root.
  return !/^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[\\/]{2}/.test(url) && url !== "" &&
    !url.split(/[\\/]/).includes("..");
}

/** The fields of a repository that a folder follows, and what they say. */
import type { Source } from "../../client/berth/workspaces.ts";
import { words } from "../words/en_later.ts";
import { Field, Select } from "./form.tsx";

const TEXT = words.sources;

export function SourceFields({ source = null }: { readonly source?: Source | null }) {
  return (
    <>
      <Field label={TEXT.url} name="url" hint={TEXT.urlHint} value={source?.url ?? ""} />
      <Field label={TEXT.branch} name="branch" value={source?.branch ?? "main"} />
      <Field
        label={TEXT.folder}
        name="folder"
        hint={TEXT.folderHint}
        value={source?.folder ?? ""}
        optional
      />
      <Select
        label={TEXT.policy}
        name="policy"
        options={[["manual", TEXT.policies["manual"]!], ["auto", TEXT.policies["auto"]!]]}
        {...(source === null ? {} : { value: source.policy })}
      />
      <Field label={TEXT.user} name="user" optional />
      <Field
        label={TEXT.token}
        name="token"
        type="password"
        hint={source?.hasCredential ? TEXT.tokenKept : TEXT.tokenHint}
        optional
      />
    </>
  );
}

/** Returns the source that the fields describe. */
export function sourceFrom(
  { url = "", branch = "", folder = "", policy, user = "", token = "" }: Readonly<Record<string, string>>,
) {
  const credential = token === "" ? {} : { credential: { ...(user !== "" && { user }), token } };
  const chosen = { policy: policy === "auto" ? "auto" : "manual" } as const;
  return { url: url.trim(), branch: branch.trim(), folder: folder.trim(), ...chosen, ...credential };
}

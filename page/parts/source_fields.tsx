/** The fields of a repository that a folder follows, and what they say. */
import type { Source } from "../../client/berth/workspaces.ts";
import { words } from "../words/en_later.ts";
import { Field } from "./form.tsx";

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
  { url = "", branch = "", folder = "", user = "", token = "" }: Readonly<Record<string, string>>,
) {
  const credential = token === "" ? {} : { credential: { ...(user !== "" && { user }), token } };
  return { url: url.trim(), branch: branch.trim(), folder: folder.trim(), ...credential };
}

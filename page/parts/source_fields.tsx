/** The fields of a repository that a folder follows, and what they say. */
import { useId, useState } from "preact/hooks";
import type { Source } from "../../client/berth/workspaces.ts";
import { words } from "../words/en_later.ts";
import { Field, Select } from "./form.tsx";

const TEXT = words.sources;

export function SourceFields({ source = null }: { readonly source?: Source | null }) {
  const [policy, setPolicy] = useState<string>(source?.policy ?? "manual");
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
        value={policy}
        onChange={setPolicy}
      />
      <Field label={TEXT.user} name="user" optional />
      <Field
        label={TEXT.token}
        name="token"
        type="password"
        hint={source?.hasCredential ? TEXT.tokenKept : TEXT.tokenHint}
        optional
      />
      <SignersField source={source} />
    </>
  );
}

/** One key a line, as `git` and `ssh` have it in their own files. */
function SignersField({ source }: { readonly source: Source | null }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{TEXT.signers.field}</label>
      <textarea
        id={id}
        name="signers"
        rows={2}
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        defaultValue={source?.signers.map(({ key, name }) => `${key} ${name}`.trim()).join("\n") ?? ""}
      />
      <p class="hint" id={`${id}-hint`}>{TEXT.signers.hint}</p>
    </div>
  );
}

/** Returns the source that the fields describe. */
export function sourceFrom(
  { url = "", branch = "", folder = "", policy, user = "", token = "", signers = "" }: Readonly<
    Record<string, string>
  >,
) {
  const credential = token === "" ? {} : { credential: { ...(user !== "" && { user }), token } };
  const chosen = { policy: policy === "auto" ? "auto" : "manual" } as const;
  const keys = signers.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const listed = { signers: keys.length === 0 ? null : keys };
  return {
    ...listed,
    url: url.trim(),
    branch: branch.trim(),
    folder: folder.trim(),
    ...chosen,
    ...credential,
  };
}

/** The first admin is made: a person with a password, or a key. */
import { useState } from "preact/hooks";
import { setUp, setUpWithKey, signInWithKey } from "../../live/session.ts";
import { Field, Form } from "../../parts/form.tsx";
import { words } from "../../words/en_later.ts";

export function Setup({ token }: { readonly token: string | null }) {
  const [byKey, setByKey] = useState(false);
  const [key, setKey] = useState<string | null>(null);
  if (token === null) {
    return (
      <main class="alone" id="content">
        <h1>{words.setup.noToken}</h1>
        <p class="lead">{words.setup.noTokenHint}</p>
      </main>
    );
  }
  if (key !== null) return <NewKey value={key} />;
  const other = (
    <button type="button" class="link" onClick={() => setByKey(!byKey)}>
      {byKey ? words.setup.withPassword : words.setup.withKey}
    </button>
  );
  return (
    <main class="alone" id="content">
      <h1>{words.titles.setup}</h1>
      <p class="lead">{words.setup.lead}</p>
      {byKey
        ? (
          <Form
            key="key"
            submit={words.setup.makeKey}
            aside={other}
            send={async ({ name = "" }) => setKey(await setUpWithKey(token, name))}
          >
            <Field label={words.setup.keyName} name="name" autofocus />
          </Form>
        )
        : (
          <Form
            key="password"
            submit={words.setup.submit}
            aside={other}
            send={({ name = "", password = "" }) => setUp(token, name, password)}
          >
            <Field label={words.setup.name} name="name" autocomplete="username" autofocus />
            <Field
              label={words.setup.password}
              name="password"
              type="password"
              autocomplete="new-password"
              hint={words.setup.passwordHint}
            />
          </Form>
        )}
    </main>
  );
}

/** Shown this once; going on signs in with it. */
function NewKey({ value }: { readonly value: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <main class="alone" id="content">
      <h1>{words.titles.setup}</h1>
      <p class="lead">{words.setup.keyShown}</p>
      <p class="secret">
        <code>{value}</code>
        <button type="button" class="button" onClick={copy}>
          {isCopied ? words.setup.copied : words.copy}
        </button>
      </p>
      <Form submit={words.setup.goOn} send={() => signInWithKey(value)}>{null}</Form>
    </main>
  );
}

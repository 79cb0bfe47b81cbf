/** Signing in: by name and password, or with an API key. */
import { useState } from "preact/hooks";
import { problemOf } from "../../live/problem.ts";
import { returnAddress, signInAt } from "../../live/provider.ts";
import { provider, refused, signIn, signInWithKey } from "../../live/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form } from "../../parts/form.tsx";
import { Trouble } from "../../parts/states.tsx";
import { words } from "../../words/en.ts";

export function SignInForm() {
  const [byKey, setByKey] = useState(false);
  const other = (
    <button type="button" class="link" onClick={() => setByKey(!byKey)}>
      {byKey ? words.signIn.withPassword : words.signIn.withKey}
    </button>
  );
  return byKey
    ? (
      <Form
        key="key"
        submit={words.signIn.submit}
        aside={other}
        send={({ key = "" }) => signInWithKey(key.trim())}
      >
        <Field label={words.signIn.key} name="key" type="password" hint={words.signIn.keyHint} autofocus />
      </Form>
    )
    : (
      <Form
        key="password"
        submit={words.signIn.submit}
        aside={other}
        send={({ name = "", password = "" }) => signIn(name, password)}
      >
        <Field label={words.signIn.name} name="name" autocomplete="username" autofocus />
        <Field
          label={words.signIn.password}
          name="password"
          type="password"
          autocomplete="current-password"
        />
      </Form>
    );
}

/** At the identity provider, where there is one and it sends people back to this page. */
function Elsewhere() {
  const found = provider.value;
  const back = found === null ? null : returnAddress(found);
  if (found === null || back === null) return null;
  const problem = refused.value === undefined || refused.value === null ? null : problemOf(refused.value);
  return (
    <div class="elsewhere">
      {problem !== null && <Trouble problem={problem} />}
      {refused.value === null && <p class="trouble" role="alert">{words.signIn.refused(found.name)}</p>}
      <button type="button" class="button" onClick={() => void signInAt(found, back)}>
        {words.signIn.at(found.name)}
      </button>
    </div>
  );
}

/** The first thing that somebody sees who was not here before. */
export function SignIn() {
  return (
    <main class="alone" id="content">
      <h1>{words.signIn.title}</h1>
      <Elsewhere />
      <SignInForm />
    </main>
  );
}

/** Over a screen whose session has ended: what was typed stays. */
export function SignInAgain() {
  return (
    <Dialog title={words.signIn.title}>
      <p class="lead">{words.signIn.ended}</p>
      <SignInForm />
    </Dialog>
  );
}

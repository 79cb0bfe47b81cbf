/** Signing in: by name and password, or with an API key. */
import { useState } from "preact/hooks";
import { signIn, signInWithKey } from "../../live/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form } from "../../parts/form.tsx";
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

/** The first thing that somebody sees who was not here before. */
export function SignIn() {
  return (
    <main class="alone" id="content">
      <h1>{words.signIn.title}</h1>
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

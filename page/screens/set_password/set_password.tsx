/** Somebody comes with the one-time link that an admin made them, and sets their password. */
import { setPassword } from "../../live/session.ts";
import { Field, Form } from "../../parts/form.tsx";
import { words } from "../../words/en_later.ts";

export function SetPassword({ token, done }: { readonly token: string; readonly done: () => void }) {
  const { lead, password: label, hint, submit } = words.settings.setPassword;
  return (
    <main class="alone" id="content">
      <h1>{words.titles.setPassword}</h1>
      <p class="lead">{lead}</p>
      <Form
        submit={submit}
        send={async ({ password = "" }) => {
          await setPassword(token, password);
          done();
        }}
      >
        <Field
          label={label}
          name="password"
          type="password"
          autocomplete="new-password"
          hint={hint}
          autofocus
        />
      </Form>
    </main>
  );
}

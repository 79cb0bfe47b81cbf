/** Fields with their label, hint and fault, and a form that sends once at a time. */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { type Problem, problemOf } from "../live/problem.ts";
import { Trouble } from "./states.tsx";

export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly type?: "text" | "password";
  readonly autocomplete?: string;
  readonly autofocus?: boolean;
}

export function Field({ label, name, hint, type = "text", autocomplete = "off", autofocus }: FieldProps) {
  const id = useId();
  const shared = {
    id,
    name,
    autocomplete,
    required: true,
    spellcheck: false,
    autocapitalize: "none" as const,
    ref: (input: HTMLInputElement | null) => {
      if (autofocus && input && document.activeElement === document.body) input.focus();
    },
    ...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` }),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === "password" ? <input {...shared} type="password" /> : <input {...shared} type="text" />}
      {hint !== undefined && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

export function Form(
  { send, submit, children, aside }: {
    /** Gets the fields by name. What it throws is shown below them. */
    readonly send: (fields: Readonly<Record<string, string>>) => Promise<void>;
    readonly submit: string;
    readonly children: ComponentChildren;
    readonly aside?: ComponentChildren;
  },
) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSending, setSending] = useState(false);
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isSending) return;
    const fields = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Record<
      string,
      string
    >;
    setSending(true);
    setProblem(null);
    try {
      await send(fields);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <form class="form" onSubmit={onSubmit}>
      {children}
      {problem !== null && <Trouble problem={problem} />}
      {problem?.errors.filter(({ message }) => !problem.title.includes(message)).map(({ message }) => (
        <p class="hint" key={message}>{message}</p>
      ))}
      <div class="form-end">
        <button type="submit" class="button is-main" disabled={isSending}>{submit}</button>
        {aside}
      </div>
    </form>
  );
}

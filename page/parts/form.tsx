/** Fields with their label, hint and fault, and a form that sends once at a time. */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { type Problem, problemOf } from "../live/problem.ts";
import { proved } from "../live/proof.ts";
import { Trouble } from "./states.tsx";

export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly type?: "text" | "password";
  readonly autocomplete?: string;
  readonly autofocus?: boolean;
  /** It may be left empty. */
  readonly optional?: boolean;
  /** The text that it begins with. */
  readonly value?: string;
}

export function Field(
  { label, name, hint, type = "text", autocomplete = "off", autofocus, optional, value }: FieldProps,
) {
  const id = useId();
  const shared = {
    id,
    name,
    autocomplete,
    required: optional !== true,
    spellcheck: false,
    autocapitalize: "none" as const,
    ...(value === undefined ? {} : { defaultValue: value }),
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

/** One of a few, with the word of each. */
export function Select(
  { label, name, options, value, onChange }: {
    readonly label: string;
    readonly name: string;
    readonly options: readonly (readonly [value: string, word: string])[];
    readonly value?: string;
    readonly onChange?: (value: string) => void;
  },
) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        {...(value === undefined ? {} : { value })}
        onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
      >
        {options.map(([value, word]) => <option key={value} value={value}>{word}</option>)}
      </select>
    </div>
  );
}

export function Form(
  { send, submit, children, aside, kind = "is-main", isReady = true }: {
    /** Gets the fields by name, and again after a recent sign-in where berth wants one. What it throws is shown below. */
    readonly send: (fields: Readonly<Record<string, string>>) => Promise<void>;
    readonly submit: string;
    readonly children: ComponentChildren;
    readonly aside?: ComponentChildren;
    readonly kind?: "is-main" | "is-danger";
    /** True if the form can be sent; a function is called after every change of a field. */
    readonly isReady?: boolean | ((fields: Readonly<Record<string, string>>) => boolean);
  },
) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSending, setSending] = useState(false);
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({});
  const isSendable = typeof isReady === "function" ? isReady(fields) : isReady;
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isSending) return;
    const fields = fieldsOf(event.currentTarget as HTMLFormElement);
    setSending(true);
    setProblem(null);
    try {
      await proved(() => send(fields));
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <form
      class="form"
      onSubmit={onSubmit}
      onInput={({ currentTarget }) => typeof isReady === "function" && setFields(fieldsOf(currentTarget))}
    >
      {children}
      {problem !== null && <Trouble problem={problem} />}
      {problem?.errors.filter(({ message }) => !problem.title.includes(message)).map(({ message }) => (
        <p class="hint" key={message}>{message}</p>
      ))}
      <div class="form-end">
        <button type="submit" class={`button ${kind}`} disabled={isSending || !isSendable}>{submit}</button>
        {aside}
      </div>
    </form>
  );
}

function fieldsOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  return Object.fromEntries(new FormData(form)) as Record<string, string>;
}

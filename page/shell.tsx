/** The frame of every screen: the bar, the menu, and the sign-in. */
import { useRef, useState } from "preact/hooks";
import { link } from "./live/live.ts";
import { problemOf } from "./live/problem.ts";
import { proofWanted } from "./live/proof_wanted.ts";
import { may, setupRequired, signOut, unreachable, who } from "./live/session.ts";
import { isDense, makeDense } from "./parts/dense.ts";
import { opened } from "./parts/keys.ts";
import { LaterProofDialog } from "./parts/later.tsx";
import { Menu } from "./parts/menu.tsx";
import { Navigation, Sections } from "./parts/navigation.tsx";
import { Palette } from "./parts/palette.tsx";
import { PrintHead } from "./parts/print_head.tsx";
import { Loading, ScreenName, Trouble } from "./parts/states.tsx";
import { shown } from "./parts/shown.ts";
import { theme, THEMES, wearTheme } from "./parts/theme.ts";
import { address } from "./router.ts";
import { screenAt, SetPassword, Setup } from "./screens.tsx";
import { SignIn, SignInAgain } from "./screens/sign_in/sign_in.tsx";
import { words } from "./words/en.ts";
import { language, LANGUAGES, speak } from "./words/language.ts";

export function Shell(
  { setupToken, passwordToken }: {
    readonly setupToken: string | null;
    readonly passwordToken: string | null;
  },
) {
  const hadSomebody = useRef(false);
  const [isPasswordSet, setPasswordSet] = useState(passwordToken === null);
  if (who.value) hadSomebody.current = true;
  if (unreachable.value !== null && !hadSomebody.current) {
    const problem = problemOf(unreachable.value);
    return (
      <main class="alone" id="content">
        <h1>{words.name}</h1>
        {problem !== null && <Trouble problem={problem} again={() => location.reload()} />}
      </main>
    );
  }
  if (who.value === undefined) return <Loading />;
  if (passwordToken !== null && !isPasswordSet) {
    return (
      <>
        <Title text={words.titles.setPassword} />
        <SetPassword token={passwordToken} done={() => setPasswordSet(true)} />
      </>
    );
  }
  if (!hadSomebody.current) {
    const isNew = setupRequired.value === true;
    return (
      <>
        <Title text={isNew ? words.titles.setup : words.signIn.title} />
        {isNew ? <Setup token={setupToken} /> : <SignIn />}
      </>
    );
  }
  const { title, view } = screenAt(address.value);
  return (
    <>
      <Title text={title} />
      <a class="skip" href="#content">{words.skip}</a>
      <Bar />
      <PrintHead />
      <main
        id="content"
        tabIndex={-1}
        class={`${link.value?.live === false ? "is-stale" : ""} ${isDense.value ? "is-dense" : ""}`}
      >
        <Sections />
        <ScreenName.Provider value={title}>{view}</ScreenName.Provider>
      </main>
      <Palette />
      {proofWanted.value !== null && <LaterProofDialog />}
      {who.value === null && <SignInAgain />}
    </>
  );
}

function Title({ text }: { readonly text: string }) {
  document.title = words.title(shown(text));
  return null;
}

function Bar() {
  return (
    <header class="bar">
      <a class="brand" href="/">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 6h10M3 10h10M10.5 3 5.5 13" />
        </svg>
        {words.name}
      </a>
      <Navigation />
      <button type="button" class="palette-open" onClick={() => opened.value = "palette"}>
        {words.palette.open} <kbd>Ctrl K</kbd>
      </button>
      <Liveness />
      <Person />
    </header>
  );
}

function Liveness() {
  const state = link.value;
  if (state === null) return <span class="liveness" />;
  return (
    <span class={`liveness ${state.live ? "is-live" : "is-not-live"}`} role="status">
      <span class="dot" aria-hidden="true" />
      {state.live ? words.bar.live : state.wasLive ? words.bar.notLive(state.since) : words.bar.neverLive}
    </span>
  );
}

function Person() {
  const principal = who.value;
  if (!principal) return null;
  return (
    <Menu kind="person" label={words.bar.person(shown(principal.name))} word={shown(principal.name)}>
      <p class="quiet">{principal.role ?? ""}</p>
      <a href={may("keys:manage") ? "/settings/keys" : "/settings/sessions"}>{words.nav.settings}</a>
      <a href="/api/docs">{words.bar.api}</a>
      <button type="button" onClick={() => opened.value = "keys"}>{words.palette.keys}</button>
      <button type="button" onClick={() => makeDense(!isDense.value)}>
        {isDense.value ? words.bar.roomy : words.bar.dense}
      </button>
      {THEMES.filter((one) => one !== theme.value).map((one) => (
        <button
          type="button"
          key={one}
          onClick={() => wearTheme(one)}
        >
          {words.bar.themes[one]}
        </button>
      ))}
      {Object.entries(LANGUAGES).filter(([name]) => name !== language).map(([name, word]) => (
        <button
          type="button"
          key={name}
          lang={name}
          onClick={() => speak(name as keyof typeof LANGUAGES)}
        >
          {word}
        </button>
      ))}
      <button type="button" onClick={() => void signOut().catch(() => {})}>{words.bar.signOut}</button>
    </Menu>
  );
}

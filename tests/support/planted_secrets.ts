/** 200 secrets of all shapes in one `.env`, and the services that use them. */

/** The same texts in every run: a failure can be looked at. */
let state = 2026;
function random(length: number, letters: string): string {
  let text = "";
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += letters[(state >>> 8) % letters.length];
  }
  return text;
}
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FORMS: readonly (() => string)[] = [
  () => random(12, BASE64),
  () => random(16, "0123456789abcdef"),
  () => random(32, "0123456789abcdef"),
  () => "550e8400-e29b-41d4-a716-446655440000",
  () => random(20, BASE64.slice(0, 62)),
  () => random(10, BASE64.slice(0, 62)),
  () => `user:${random(8, BASE64)}@host`,
  () => `${random(4, BASE64.slice(26, 52))}!${random(6, BASE64.slice(0, 62))}`,
  () => `https://u:${random(10, BASE64.slice(0, 62))}@host/x`,
  () => "correct otter battery staple",
];
/** Uses in which a variable is masked; `@` is the variable. */
const USES: readonly string[] = [
  'environment: { POSTGRES_PASSWORD: "${@}" }',
  'environment: ["API_TOKEN=${@}"]',
  'environment: { URL: "postgres://u:${@}@db/x" }',
  'command: ["serve", "--password", "${@}"]',
  'command: "redis-server --requirepass ${@}"',
  'labels: { app.auth: "${@}" }',
  'labels: ["traefik.basicauth.password=${@}"]',
  'environment: { HEADER: "Authorization: Bearer ${@}longenough" }',
  'environment: { DSN: "${@:+mysql://root:${@}@db}" }',
  "x-secret: ${@:-none}",
];
const NAMES = ["DB_PASSWORD", "TOKEN", "SECRET", "API_KEY", "JWT", "PRIVATE", "ACCESS_KEY", "CREDENTIAL"];

/** Fields whose values an engine shows. */
const OPEN = [
  "image: 'app:${@}'",
  "hostname: '${@}'\n    image: app",
  "user: '${@}'\n    image: app",
  "image: '${@}/app'",
];

/** 200 secrets: by their names, by their uses, by their forms, and handed on under other names. */
export function planted() {
  const env: string[] = [];
  const services: string[] = [];
  const secrets: string[] = [];
  const plain: string[] = [];
  const add = (name: string, value: string, more = "") => {
    env.push(`${name}='${value}'`);
    const open = OPEN[services.length % OPEN.length]!.replaceAll("{@", `{${name}`);
    services.push(`  s${services.length}:\n    ${open}\n${more === "" ? "" : `    ${more}\n`}`);
  };
  for (let n = 100; n < 150; n++) {
    const formed = FORMS[n % FORMS.length]!();
    secrets.push(`apple${n}`, `pear${n}`, formed, `plum${n}`);
    add(`${NAMES[n % NAMES.length]}_${n}`, `apple${n}`);
    add(`USED_${n}`, `pear${n}`, USES[n % USES.length]!.replaceAll("{@", `{USED_${n}`));
    add(`FORMED_${n}`, formed);
    env.push(`PASSWORD_${n}='plum${n}'`);
    if (n % 3 === 0) env.push(`HANDED_${n}="\${PASSWORD_${n}}"`);
    else if (n % 3 === 1) env.push(`HANDED_${n}='plum${n}'`);
    else env.push(`HANDED_${n}='cherry-plum${n}'`);
    services.push(`  s${services.length}:\n    image: 'app:\${HANDED_${n}}'\n`);
    if (n % 5 === 0) {
      plain.push(`v${n}.7`);
      add(`PLAIN_${n}`, plain.at(-1)!);
    }
  }
  return { env, services, secrets, plain };
}

/** Returns the names of the services in these texts. */
export const namesOf = (services: readonly string[]) =>
  services.flatMap((text) => [...text.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name!)); // it matched

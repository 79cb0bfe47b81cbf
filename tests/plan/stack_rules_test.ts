/** Rules of a stack's plan that need no engine to be seen. */
import assert from "node:assert/strict";
import { inStack, planOf } from "./stack_scene.ts";

const HEAD = "name: shop\nx-berth: { target: swarm }\nservices:\n";

Deno.test("a secret beside a variable is masked in the reasons of a stack's plan", async () => {
  const files = {
    ".env": "HOST=db\nNAME=n\n",
    "berth.yaml": "stacks: { shop: shop }\n",
    "compose.yaml": `${HEAD}  web:
    image: a
    entrypoint: [mysql]
    command: ["-phunter2", "\${NAME}"]
    environment: { DB: "postgres://u:hunter2@\${HOST}/db", PASSWORD: "hunter2\${NAME}", TOKEN: "\${NAME}" }
    labels: { api.token: "hunter2\${NAME}" }
  cache:
    image: a
    command: redis-server --requirepass hunter2 \${NAME}
`,
  };
  const { steps } = await planOf({
    files,
    swarm: { services: [inStack("shop_web"), inStack("shop_cache")] },
  });
  const why = steps.flatMap((one) => one.why);
  const declared = new Map(
    why.flatMap((one) => one.code === "field" ? [[one.field, one.declared]] : []),
  );
  assert.doesNotMatch(JSON.stringify(steps), /hunter2/);
  assert.equal(declared.get("environment.DB"), "postgres://u:********@${HOST}/db");
  assert.equal(declared.get("environment.TOKEN"), "${NAME}");
  assert.equal(declared.get("command"), "redis-server --requirepass ******** ${NAME}");
});

// The page that shows the API and tries it: it reads openapi.json and shows every operation with a form.
// Everything that comes from outside is set as text, never as markup; the credential stays in this page's memory.

const find = document.querySelector("#find");
const credential = document.querySelector("#credential");
const list = document.querySelector("#operations");
const groups = document.querySelector("#groups");

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Text in which what stands between backticks is code. */
function prose(name, text, className = "") {
  const parts = (text ?? "").split("`");
  return element(
    name,
    { className },
    ...parts.map((part, index) => index % 2 === 1 ? element("code", { textContent: part }) : part),
  );
}

function nameOf(reference) {
  return reference.split("/").pop();
}

/** A type in words; what has a name is a link to it. */
function typeOf(schema) {
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    return [element("a", { href: `#schema-${name}`, textContent: name })];
  }
  if (schema.const !== undefined) return [element("code", { textContent: JSON.stringify(schema.const) })];
  if (schema.enum) {
    return joined(schema.enum.map((one) => [element("code", { textContent: JSON.stringify(one) })]), " or ");
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return joined(choices.map(typeOf), " or ");
  const types = [schema.type ?? "anything"].flat();
  return joined(
    types.map((type) => {
      if (type === "array") return ["list of ", ...typeOf(schema.items ?? {})];
      if (type === "object" && typeof schema.additionalProperties === "object") {
        return ["map to ", ...typeOf(schema.additionalProperties)];
      }
      return [type === "string" ? "text" : type === "null" ? "null" : type];
    }),
    " or ",
  );
}

function joined(parts, between) {
  return parts.flatMap((part, index) => index === 0 ? part : [between, ...part]);
}

/** Bounds, default and the like, as far as a schema says them. */
function boundsOf(schema) {
  const said = [];
  if (schema.minimum !== undefined && schema.maximum !== undefined) {
    said.push(`${schema.minimum} to ${schema.maximum}`);
  } else if (schema.minimum !== undefined) said.push(`at least ${schema.minimum}`);
  else if (schema.maximum !== undefined) said.push(`at most ${schema.maximum}`);
  if (schema.maxLength !== undefined) said.push(`at most ${schema.maxLength} characters`);
  if (schema.maxItems !== undefined) said.push(`at most ${schema.maxItems}`);
  if (schema.format && schema.format !== "int64") said.push(schema.format);
  if (schema.default !== undefined) said.push(`default ${JSON.stringify(schema.default)}`);
  return said.length === 0 ? "" : ` (${said.join(", ")})`;
}

/** The objects that stand in a schema itself, and not behind a name. */
function objectsIn(schema) {
  if (schema.$ref) return [];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap(objectsIn);
  if (schema.items) return objectsIn(schema.items);
  if (schema.properties) return [schema];
  return typeof schema.additionalProperties === "object" ? objectsIn(schema.additionalProperties) : [];
}

/** Every field of a schema: its name, type, bounds and description, and those of the objects in it. */
function fieldsOf(schema) {
  const named = schema.$ref ? schemas[nameOf(schema.$ref)] : undefined;
  if (named) {
    return element("div", {}, element("p", { className: "type" }, ...typeOf(schema)), fieldsOf(named));
  }
  const objects = objectsIn(schema);
  if (objects.length === 0) return element("p", { className: "type" }, ...typeOf(schema), boundsOf(schema));
  return element(
    "div",
    { className: "fields" },
    ...objects.flatMap((one, index) => [
      index === 0 ? null : element("p", { className: "or", textContent: "or" }),
      fieldList(one),
    ]),
  );
}

function fieldList({ properties, required = [] }) {
  const made = element("dl");
  for (const [name, schema] of Object.entries(properties)) {
    const inner = objectsIn(schema);
    made.append(
      element(
        "dt",
        {},
        element("code", { textContent: name }),
        required.includes(name) ? "" : element("small", { textContent: " optional" }),
        " ",
        element(
          "span",
          { className: "type" },
          ...(inner.length > 0 ? shapeOf(schema) : typeOf(schema)),
          boundsOf(schema),
        ),
      ),
      element("dd", {}, prose("span", schema.description ?? described(schema)), ...inner.map(fieldList)),
    );
  }
  return made;
}

/** The type of what is spelled out below it. */
function shapeOf(schema) {
  if (schema.type === "array") return ["list of"];
  return [schema.anyOf ? "one of" : ""];
}

let schemas = {};

/** What has no description of its own has that of what it refers to. */
function described(schema) {
  return schema.$ref ? schemas[nameOf(schema.$ref)]?.description : undefined;
}

function parameterRow(parameter) {
  const { schema = {} } = parameter;
  const isList = schema.type === "array";
  const input = element("input", {
    name: parameter.name,
    required: parameter.required,
    placeholder: schema.default === undefined ? "" : String(schema.default),
  });
  input.dataset.in = parameter.in;
  if (isList) input.dataset.list = "true";
  const choices = (isList ? schema.items : schema).enum ?? (schema.type === "boolean" ? [true, false] : null);
  const suggestions = choices === null ? null : element(
    "datalist",
    { id: `choices-${++lists}` },
    ...choices.map((one) => element("option", { value: String(one) })),
  );
  if (suggestions !== null) input.setAttribute("list", suggestions.id);
  return element(
    "div",
    { className: "parameter" },
    element(
      "label",
      {},
      element("span", {}, element("code", { textContent: parameter.name }), parameter.required ? " *" : ""),
      input,
    ),
    suggestions,
    element(
      "p",
      { className: "note" },
      element("span", { className: "type" }, ...typeOf(schema), boundsOf(schema)),
      " ",
      prose("span", parameter.description),
      parameter.in === "header" ? "; a header" : isList ? "; several are separated by commas" : "",
    ),
  );
}
let lists = 0;

function address(path, form) {
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll("input[data-in]")) {
    if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.dataset.in === "query" && input.value !== "") {
      const values = input.dataset.list ? input.value.split(",").map((one) => one.trim()) : [input.value];
      for (const value of values) query.append(input.name, value);
    }
  }
  return path + (query.size > 0 ? `?${query}` : "");
}

async function send(method, path, form, output) {
  const headers = {};
  if (credential.value !== "") headers.authorization = `Bearer ${credential.value}`;
  for (const input of form.querySelectorAll('input[data-in="header"]')) {
    if (input.value !== "") headers[input.name] = input.value;
  }
  const body = form.querySelector("textarea")?.value.trim();
  if (body) headers["content-type"] = "application/json";
  const started = performance.now();
  output.textContent = "…";
  try {
    const response = await fetch(address(path, form), {
      method: method.toUpperCase(),
      headers,
      signal: AbortSignal.timeout(60_000),
      ...(body ? { body } : {}),
    });
    let text = await response.text();
    try {
      text = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // not JSON: shown as it came
    }
    const took = Math.round(performance.now() - started);
    output.textContent = `${response.status} ${response.statusText} · ${took} ms · ${
      response.headers.get("x-request-id")
    }\n\n${text.slice(0, 200_000)}`;
  } catch (error) {
    output.textContent = `No answer: ${error.message}`;
  }
}

/** An example body with what is required: what the caller overwrites. */
function exampleBody({ schema, example }) {
  const [object] = objectsIn(schema.$ref ? schemas[nameOf(schema.$ref)] : schema);
  const required = new Set(object?.required ?? []);
  if (required.size === 0 || typeof example !== "object") return JSON.stringify(example ?? {}, null, 2);
  const kept = Object.entries(example).filter(([name]) => required.has(name));
  return JSON.stringify(Object.fromEntries(kept), null, 2);
}

function answersOf(responses) {
  return element(
    "details",
    { className: "answers" },
    element("summary", { textContent: `Answers: ${Object.keys(responses).join(", ")}` }),
    ...Object.entries(responses).map(([status, { description, content = {}, headers = {} }]) =>
      element(
        "section",
        {},
        element("h4", {}, element("code", { textContent: status }), " ", prose("span", description)),
        ...Object.entries(headers).map(([name, header]) =>
          element(
            "p",
            { className: "note" },
            element("code", { textContent: name }),
            " ",
            prose("span", header.description),
          )
        ),
        ...Object.entries(content).flatMap(([type, { schema, example }]) => [
          element("p", { className: "note" }, element("code", { textContent: type })),
          fieldsOf(schema),
          example === undefined ? null : exampleOf(example),
        ]),
      )
    ),
  );
}

function exampleOf(value) {
  return element(
    "details",
    { className: "example" },
    element("summary", { textContent: "Example" }),
    element("pre", { textContent: JSON.stringify(value, null, 2) }),
  );
}

function form(path, method, described) {
  const made = element("form");
  const socket = described["x-websocket"] === true;
  if (described.description) made.append(prose("p", described.description, "note"));
  made.append(prose("p", `Permission: \`${described["x-permission"]}\``, "note"));
  made.append(...(described.parameters ?? []).map(parameterRow));
  const body = described.requestBody?.content["application/json"];
  if (body) {
    made.append(
      element("h4", { textContent: "Body" }),
      fieldsOf(body.schema),
      element("textarea", { ariaLabel: "Body", value: exampleBody(body) }),
    );
  }
  if (socket) {
    made.append(
      element(
        "p",
        { className: "note" },
        "A WebSocket: open it with the client. Its messages are in ",
        element("a", { href: "asyncapi.json", textContent: "asyncapi.json" }),
        ".",
      ),
    );
  } else {
    const output = element("pre", { className: "answer", textContent: "" });
    made.append(element("div", {}, element("button", { textContent: "Send" })), output);
    made.addEventListener("submit", (event) => {
      event.preventDefault();
      send(method, path, made, output);
    });
  }
  made.append(answersOf(described.responses));
  return made;
}

/** What is inside is made when somebody looks: all at once would take seconds. */
function folded(made, fill) {
  made.addEventListener("toggle", () => {
    if (made.open && made.childElementCount === 1) made.append(fill());
  });
  return made;
}

function operation(path, method, described) {
  const socket = described["x-websocket"] === true;
  const made = element(
    "details",
    { className: "operation", id: described.operationId },
    element(
      "summary",
      {},
      element("span", { className: "method", textContent: socket ? "WS" : method.toUpperCase() }),
      element("code", { textContent: path }),
      " ",
      prose("span", described.summary),
    ),
  );
  made.dataset.words = `${method} ${path} ${described.summary}`.toLowerCase();
  return folded(made, () => form(path, method, described));
}

function schemaOf(name, schema) {
  const made = element(
    "details",
    { className: "schema", id: `schema-${name}` },
    element("summary", {}, element("code", { textContent: name }), " ", prose("span", schema.description)),
  );
  made.dataset.words = name.toLowerCase();
  return folded(made, () => fieldsOf(schema));
}

function section(name, about, parts) {
  groups.append(element("a", { href: `#${name}`, textContent: name }), " ");
  return element(
    "section",
    { id: name },
    element("h2", { textContent: name }),
    prose("p", about, "note"),
    ...parts,
  );
}

try {
  const response = await fetch("openapi.json");
  const document_ = await response.json();
  document.querySelector("#version").textContent = document_.info.version;
  schemas = document_.components.schemas;
  const operations = Object.entries(document_.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method, described }))
  );
  list.replaceChildren(
    ...document_.tags.map(({ name, description }) =>
      section(
        name,
        description,
        operations.filter(({ described }) => described.tags[0] === name)
          .map(({ path, method, described }) => operation(path, method, described)),
      )
    ),
    section(
      "schemas",
      "What bodies and answers are made of.",
      Object.entries(schemas).map(([name, schema]) => schemaOf(name, schema)),
    ),
  );
  show();
} catch (error) {
  list.replaceChildren(element("p", { textContent: `Cannot read openapi.json: ${error.message}` }));
}

/** Opens what the address names, as a link to a schema. */
function show() {
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (target === null) return;
  target.hidden = false;
  if (target instanceof HTMLDetailsElement) target.open = true;
  target.scrollIntoView();
}
globalThis.addEventListener("hashchange", show);

find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\s+/);
  for (const one of list.querySelectorAll("details[data-words]")) {
    one.hidden = !words.every((word) => one.dataset.words.includes(word));
  }
});

/** The link that a first start prints: its token stands behind the #, so that no server and no log sees it. */
const token = /^#setup=([\w-]+)$/.exec(location.hash)?.[1];
if (token) {
  history.replaceState(null, "", location.pathname);
  const setup = document.querySelector("#setup");
  const output = setup.querySelector("pre");
  setup.hidden = false;
  setup.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const response = await fetch("settings/setup", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token, name: setup.elements.name.value }),
        signal: AbortSignal.timeout(15_000),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.title);
      credential.value = answer.key;
      setup.querySelector("button").disabled = true;
      output.textContent = `${answer.key}\n\nKeep it: it is shown once. This page uses it from now on.`;
    } catch (error) {
      output.textContent = error.message;
    }
  });
}

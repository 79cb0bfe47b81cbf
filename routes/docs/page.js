// The page that tries the API: it reads openapi.json and shows a form for every operation.
// Everything that comes from outside is set as text, never as markup; the credential stays in this page's memory.

const find = document.querySelector("#find");
const credential = document.querySelector("#credential");
const list = document.querySelector("#operations");

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** An example body from a JSON schema: what the caller overwrites. */
function example(schema, components, depth = 0) {
  if (!schema || depth > 6) return null;
  if (schema.$ref) return example(components[schema.$ref.split("/").pop()], components, depth + 1);
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf || schema.oneOf) return example((schema.anyOf ?? schema.oneOf)[0], components, depth + 1);
  if (schema.type === "object" || schema.properties) {
    const required = new Set(schema.required ?? []);
    const entries = Object.entries(schema.properties ?? {}).filter(([name]) => required.has(name));
    return Object.fromEntries(entries.map(([name, part]) => [name, example(part, components, depth + 1)]));
  }
  if (schema.type === "array") return [];
  if (schema.type === "boolean") return false;
  if (schema.type === "number" || schema.type === "integer") return schema.minimum ?? 0;
  return "";
}

function parameterRow(parameter) {
  const input = element("input", { name: parameter.name, required: parameter.required });
  input.dataset.in = parameter.in;
  if (parameter.schema?.enum) {
    input.placeholder = parameter.schema.enum.filter((one) => one !== "").join(", ");
  }
  return element(
    "label",
    { className: "parameter" },
    `${parameter.name}${parameter.required ? " *" : ""}`,
    input,
  );
}

function address(path, form) {
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll("input[data-in]")) {
    if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value !== "") query.append(input.name, input.value);
  }
  return path + (query.size > 0 ? `?${query}` : "");
}

async function send(method, path, form, output) {
  const headers = {};
  if (credential.value !== "") headers.authorization = `Bearer ${credential.value}`;
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

function operation(path, method, described, components) {
  const socket = described["x-websocket"] === true;
  const form = element("form");
  if (described.description) {
    form.append(element("p", { className: "note", textContent: described.description }));
  }
  form.append(element("p", { className: "note", textContent: `Permission: ${described["x-permission"]}` }));
  form.append(...(described.parameters ?? []).map(parameterRow));
  const schema = described.requestBody?.content["application/json"]?.schema;
  if (schema) {
    form.append(element("textarea", {
      ariaLabel: "Body",
      value: JSON.stringify(example(schema, components), null, 2),
    }));
  }
  if (socket) {
    form.append(element("p", { className: "note", textContent: "A WebSocket: open it with the client." }));
  } else {
    const output = element("pre", { textContent: "" });
    form.append(element("div", {}, element("button", { textContent: "Send" })), output);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(method, path, form, output);
    });
  }
  const made = element(
    "details",
    {},
    element(
      "summary",
      {},
      element("span", { className: "method", textContent: socket ? "WS" : method.toUpperCase() }),
      element("code", { textContent: path }),
      element("span", { textContent: ` ${described.summary}` }),
    ),
    form,
  );
  made.dataset.words = `${method} ${path} ${described.summary}`.toLowerCase();
  return made;
}

try {
  const response = await fetch("openapi.json");
  const document_ = await response.json();
  document.querySelector("#version").textContent = document_.info.version;
  const groups = new Map();
  for (const [path, methods] of Object.entries(document_.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      const tag = described.tags[0];
      if (!groups.has(tag)) groups.set(tag, element("section", {}, element("h2", { textContent: tag })));
      groups.get(tag).append(operation(path, method, described, document_.components.schemas));
    }
  }
  list.replaceChildren(...groups.values());
} catch (error) {
  list.replaceChildren(element("p", { textContent: `Cannot read openapi.json: ${error.message}` }));
}

find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\s+/);
  for (const one of list.querySelectorAll("details")) {
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

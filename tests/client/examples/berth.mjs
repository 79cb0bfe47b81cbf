/** Ten lines against a running berth: `node berth.mjs <base URL> <API key>`. */
import { BearerAuth, Client, isStatusError } from "@berth/client";
import { AUTH_ME, HEALTH, WORKSPACE, WORKSPACES } from "@berth/client/berth";

const [baseUrl, key] = globalThis.process.argv.slice(2);
const client = new Client({ baseUrl, auth: new BearerAuth(key) });
console.log((await client.get(HEALTH)).json().status, (await client.get(AUTH_ME)).json().role);
console.log((await client.get(WORKSPACES)).json().total);
const error = await client.delete(WORKSPACE, { params: { id: "none" } }).catch((error) => error);
console.log(isStatusError(error), error.response.json().code);
client.close();

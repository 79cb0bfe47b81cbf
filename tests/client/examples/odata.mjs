/** Ten lines against somebody else's OData-style service: `node odata.mjs <base URL>`. */
import { Client, Endpoint } from "@berth/client";

const NODE = new Endpoint("Nodes({id},{namespace})");
const [baseUrl] = globalThis.process.argv.slice(2);
const client = new Client({ baseUrl });
const node = await client.get(NODE, {
  params: { id: 7, namespace: "a b'" },
  query: { $select: ["id", "name"] },
});
console.log(node.statusCode, node.url.slice(baseUrl.length));
console.log(JSON.stringify(node.json().target));
client.close();

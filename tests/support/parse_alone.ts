/** A process that only parses: started by a test without any permission but to read files. */

import { parseNow } from "../../artifacts/files/parse_file.ts";

const { sound } = parseNow({ path: "compose.yaml", kind: "compose", text: "a: [1, {b: 2}]\n", hash: "" });
console.log(sound);

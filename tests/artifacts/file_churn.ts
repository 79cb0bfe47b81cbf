/** Creates and deletes folders and files below a folder, at a steady rate, for some seconds. */

const [folder = "", rate = "0", seconds = "0"] = Deno.args;
const NAMES = 50;
const begun = performance.now();
let done = 0;
for (let late = 0; (late = performance.now() - begun) < Number(seconds) * 1_000;) {
  while (done < late * Number(rate) / 1_000) {
    const path = `${folder}/${Deno.pid}-${done % NAMES}`;
    if (done % 3 === 0) {
      Deno.mkdirSync(path);
      Deno.removeSync(path);
    } else {
      const file = `${path}.${done % 3 === 1 ? "txt" : "yaml"}`;
      Deno.writeTextFileSync(file, "");
      Deno.removeSync(file);
    }
    done++;
  }
  await new Promise((resolve) => setTimeout(resolve, 1));
}
console.log(done);

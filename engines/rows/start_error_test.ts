import assert from "node:assert/strict";
import { causeOfStart } from "./start_error.ts";

Deno.test("The cause of a failed start stands without the programs that passed it on, and another error stays as it is", () => {
  const runc =
    'runc create failed: unable to start container process: exec: "-H": not found in $PATH: unknown';
  assert.equal(
    causeOfStart(`failed to create shim task: OCI runtime create failed: ${runc}`),
    'exec: "-H": not found in $PATH',
  );
  assert.equal(
    causeOfStart(`failed to create task for container: OCI runtime create failed: ${runc}`),
    'exec: "-H": not found in $PATH',
  );
  assert.equal(
    causeOfStart("crun: executable file `serve` not found in $PATH: No such file or directory"),
    "executable file `serve` not found in $PATH: No such file or directory",
  );
  for (const other of ["driver failed programming external connectivity: port is taken", "", "runc: "]) {
    assert.equal(causeOfStart(other), other);
  }
});

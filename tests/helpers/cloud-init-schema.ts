/**
 * Checks user data with the real cloud-init's `schema` command. One process checks all documents, since starting it takes longer
 * than reading one.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The entry point of /usr/bin/cloud-init, called for each file. */
const PROGRAM = `
import contextlib, io, json, sys
from cloudinit.cmd.main import main

def schema(file):
    said = io.StringIO()
    sys.argv = ["cloud-init", "schema", "--config-file", file]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            status = main()
        except SystemExit as ended:
            status = ended.code
    return {"valid": not status, "said": said.getvalue()}

print(json.dumps([schema(file) for file in sys.argv[1:]]))
`;

export interface SchemaVerdict {
  readonly valid: boolean;
  readonly said: string;
}

/** @param documents User data by name. */
export function cloudInitSchema<Name extends string>(
  documents: Readonly<Record<Name, string>>,
): Record<Name, SchemaVerdict> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-user-data-"));
  try {
    const names = Object.keys(documents) as Name[];
    const files = names.map((name, index) => {
      const file = join(directory, String(index));
      writeFileSync(file, documents[name]);
      return file;
    });
    const said = execFileSync("/usr/bin/python3", ["-c", PROGRAM, ...files], { encoding: "utf8" });
    const verdicts = JSON.parse(said) as SchemaVerdict[];
    return Object.fromEntries(names.map((name, index) => [name, verdicts[index]])) as Record<
      Name,
      SchemaVerdict
    >;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** How far reading has got, as the engine tells it. */
import { openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDatabase } from "../../../cli/advise/database.ts";
import { findFiles } from "../../../cli/advise/files.ts";
import { readLogs } from "../../../cli/advise/read.ts";
import { AWS_HEADER, awsLine, withFiles } from "../../helpers/flow-logs.ts";

const line = awsLine({
  source: "10.0.0.1",
  destination: "192.0.2.1",
  bytes: 1,
  start: 1_790_000_000,
  end: 1_790_000_030,
});

it("goes up within a file", async () => {
  await withFiles({ "a.log": `${AWS_HEADER}\n` }, async (directory) => {
    const path = join(directory, "a.log");
    const file = openSync(path, "a");
    const block = `${line}\n`.repeat(10_000);
    const database = await openDatabase();
    const within: number[] = [];
    // As large as this machine needs to be seen at work.
    for (let blocks = 30; within.length === 0 && blocks < 5000; blocks *= 2) {
      for (let index = 0; index < blocks; index += 1) {
        writeSync(file, block);
      }
      const { files } = await findFiles(["a.log"], directory);
      const { size } = statSync(path);
      const said: number[] = [];
      await database.run("drop table if exists raw");
      await database.run("drop table if exists tuple");
      await readLogs(database, files, {
        fields: undefined,
        progress: (_, bytes) => said.push(bytes / size),
        signal: new AbortController().signal,
      });
      expect(said[0]).toBe(0);
      expect(said).toEqual(said.toSorted((a, b) => a - b));
      within.push(...said.filter((share) => share > 0 && share < 1));
    }
    database.close();
    expect(within).not.toEqual([]);
  });
});

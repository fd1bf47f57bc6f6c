/** A cell's lock, in a directory and in a bucket: one holder at a time, and a killed command's lock does not stay. */
import { hostname } from "node:os";
import { expect, it } from "vitest";
import { isLeftLocked, lockCell } from "../../../cli/pulumi/lock.ts";
import { temporaryDirectory } from "../../helpers/temporary.ts";

const directory = temporaryDirectory();

it("of a directory has one holder at a time", async () => {
  const take = (cell: string) => lockCell(`file://${directory}`, cell);
  const release = await take("m-a");
  await expect(take("m-a")).rejects.toThrow(
    `npm run compare -- --matrix\` (process ${process.pid}) has been using it`,
  );
  await (await take("m-b"))();
  await release();
  await (await take("m-a"))();
});

it("of another backend is Pulumi's own", async () => {
  await lockCell("https://api.pulumi.com", "m-a");
  await (await lockCell("https://api.pulumi.com", "m-a"))();
});

const locked = (host: string, pid: number) => [
  `the stack is currently locked by 1 lock(s).\n  s3://b/x.json: created by root@${host} (pid ${pid}) at 2026-11-23T21:03:11Z`,
];

it("of an ended engine is distinguished from another program's, and from none", () => {
  expect(isLeftLocked(locked(hostname(), 2 ** 22 + 1))).toBe(true);
  expect(isLeftLocked(locked("runner-7", 12))).toBe(true);
  expect(isLeftLocked(["something else"])).toBe(false);
});

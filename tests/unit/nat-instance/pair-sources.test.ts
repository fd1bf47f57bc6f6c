import { expect, test } from "vitest";
import { pairSources } from "../../../components/nat-instance/high-availability.ts";

test.each([
  ["ec2", ["ec2.py", "nothing.py"]],
  ["probe", ["nothing.py", "probe.py"]],
] as const)("a machine of kind %s gets its own way to take over, and no other's", (kind, own) => {
  const names = pairSources(kind).map(([name]) => name);
  expect(names.filter((name) => ["addresses.py", "ec2.py", "nothing.py", "probe.py"].includes(name))).toEqual(
    own,
  );
  expect(names).toContain("main.py");
});

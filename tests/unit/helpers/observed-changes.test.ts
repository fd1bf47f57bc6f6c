import { expect, it } from "vitest";
import { observeChanges } from "../../helpers/changes/change.ts";

const urn = (name: string) => `urn:pulumi:program::egress-bench::aws:ec2/vpc:Vpc::${name}`;
const [former, renamed] = [{ urn: urn("own-old") }, { urn: urn("own-new") }];
const created = { op: "create-replacement", urn: renamed.urn, old: former };
const deleted = { op: "delete-replaced", urn: former.urn, old: former };

/** The engine's events, as it sends them for a resource with an alias. */
it.each([
  ["before its former self is deleted", [created, deleted], false],
  ["after its former self was deleted", [deleted, created], true],
])(
  "a renamed resource that is replaced %s is one step, beside another under its former name",
  (_, all, deletedFirst) => {
    const { onEvent, observed } = observeChanges(["own"]);
    for (const metadata of [...all, { op: "create", urn: former.urn }]) {
      for (const event of ["resourcePreEvent", "resOutputsEvent"]) {
        onEvent({ [event]: { metadata } } as never);
      }
    }
    expect(observed().get("own")).toEqual([
      expect.objectContaining({ op: "create", name: "old" }),
      expect.objectContaining({ op: "replace", name: "new", urn: renamed.urn, deletedFirst }),
    ]);
  },
);

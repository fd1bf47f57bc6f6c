import { describe, expect, it } from "vitest";
import { architecture } from "../../../components/aws/architecture.ts";

describe("architecture", () => {
  it.each([
    ...["a1.large", "t4g.nano", "m6gd.metal", "c7g.8xlarge", "c7gn.16xlarge", "c8gb.large"],
    ...["r8gd.2xlarge", "im4gn.large", "is4gen.xlarge", "x2gd.medium", "g5g.xlarge", "hpc7g.16xlarge"],
    ...["i8g.large", "p6e-gb200.36xlarge"],
  ])("%s is arm64", (type) => {
    expect(architecture(type)).toBe("arm64");
  });

  it.each([
    ...["t3.micro", "t3a.small", "m7i-flex.large", "c5n.18xlarge", "g4dn.xlarge", "g5.xlarge"],
    ...["g6e.2xlarge", "gr6.4xlarge", "p4de.24xlarge", "p6-b200.48xlarge", "x2iedn.xlarge"],
    ...["u-6tb1.metal", "u7i-12tb.224xlarge", "inf2.xlarge", "something-new"],
  ])("%s is x86_64", (type) => {
    expect(architecture(type)).toBe("x86_64");
  });
});

/**
 * The two translations of a pair in two subnets, together with the flowtable: connections name an address that nobody has, and
 * the device itself puts the machine's own in its place, before a packet is looked up and after it was passed on.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMON_ADDRESS } from "../../components/nat-instance/index.ts";
import { outerAddressScript } from "../../components/nat-instance/outer-address.ts";
import { flowtableRules, natRuleset } from "../../components/nat-instance/ruleset.ts";
import { CLIENT, NAT, type NatGuest, natGuest } from "./network.ts";
import { talk } from "./talk.ts";

/** As a pair's set-up has it; no pair runs here. */
const ruleset =
  natRuleset({
    privateCidrs: ["198.18.1.0/24"],
    highAvailability: {
      self: NAT,
      peer: "198.19.1.2",
      translatedTo: COMMON_ADDRESS,
      outerAddress: NAT,
      move: { take: "  true", release: "  true" },
      check: { address: "198.19.1.9", port: 7 },
    },
  }) + flowtableRules;

let guest: NatGuest;
beforeAll(async () => {
  guest = await natGuest();
  await guest.forward("flowtable");
  await guest.inHost(
    "nat",
    `set -e
    out=eth1
    fail() { echo "$*" >&2; exit 1; }
    ${outerAddressScript(NAT)}
    set_up_outer_address
    nft -f - <<'END_OF_RULES'
define out_interface = "eth1"
define data_interfaces = { eth0, eth1 }
${ruleset}END_OF_RULES`,
  );
});
afterAll(() => guest?.end());

test("a connection is offloaded, and its packets go out and come back by the machine's own address", async () => {
  const connection = await talk(guest);
  await connection.exchange(20);
  const tracked = await guest.inHost("nat", `conntrack -L -p tcp -s ${CLIENT} 2>/dev/null`);
  expect(tracked).toMatch(`dst=${COMMON_ADDRESS} `);
  expect(tracked).toContain("[OFFLOAD]");
  const forwarded = async () =>
    Number(/packets (\d+)/.exec(await guest.inHost("nat", "nft list table ip slow"))?.[1]);
  await guest.inHost(
    "nat",
    "nft 'table ip slow { chain first { type filter hook forward priority -10; counter; }; }'",
  );
  await connection.exchange(20);
  // Of forty and more; one may have been under way.
  expect(await forwarded()).toBeLessThan(3);
  expect(await guest.inHost("server", "ss -Htn sport :77")).toContain(`${NAT}:`);
});

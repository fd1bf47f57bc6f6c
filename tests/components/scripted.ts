/**
 * Topologies whose NAT instances have all kinds of user data: several addresses, and packages from a mirror and a proxy.
 */
export const scripted = [
  { topology: "nat-instance", publicIpCount: 2, portRange: { first: 2000, last: 3000 } },
  {
    topology: "nat-instance-ha",
    name: "mirrored",
    packageMirror: "https://mirror.example.com/ubuntu/",
    packageProxy: "http://10.9.0.1:3128",
  },
];

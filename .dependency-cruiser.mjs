/**
 * Who may import whom: the rooms of ARCHITECTURE.md, each with the other rooms that it may import, and the packages that
 * some must not. `depcruise .` checks the tree (`npm run lint`, `npm test`). Files outside these rooms import what they like.
 */
export const rooms = {
  "index.ts": ["stacks", "cli"],
  stacks: ["components", "bench"],
  components: [
    "bench",
    "components/shared",
    "components/benchmark",
    "components/hosts",
    "components/nat-instance",
    "components/tuning",
  ],
  "components/azure": ["bench", "components/shared", "components/nat-instance"],
  "components/aws": ["bench", "components/shared", "components/nat-instance"],
  "components/local": ["bench", "components/shared", "components/nat-instance", "components/benchmark"],
  "components/shared": ["bench", "components/nat-instance"],
  "components/benchmark": ["bench", "components/shared", "components/tuning"],
  "components/hosts": ["bench", "components/shared", "components/tuning"],
  "components/nat-instance": ["bench", "components/shared"],
  "components/tuning": ["bench", "components/shared"],
  bench: ["agent"],
  agent: ["bench"],
  report: ["bench", "results"],
  advise: ["bench", "report"],
  history: ["bench", "report"],
  cli: ["stacks", "components", "bench", "agent", "report", "advise", "history"],
  package: [],
  "plugins/components": [],
  "plugins/command-standin": ["plugins/shared"],
  "plugins/shared": [],
  "docs/generate": ["cli", "stacks", "components", "bench", "agent", "report", "advise"],
  templates: [],
};

const io = ["node:fs", "node:child_process", "node:net"];
const clouds = ["@pulumi/aws", "@pulumi/azure-native"];
const refusedPackages = {
  bench: ["@pulumi", ...io],
  agent: ["@pulumi", ...io],
  report: ["@pulumi", ...io],
  advise: ["@pulumi", "@duckdb", ...io],
  history: ["@pulumi", "@duckdb", ...io],
  components: clouds,
  "components/shared": clouds,
  "components/benchmark": clouds,
  "components/hosts": clouds,
  "components/nat-instance": clouds,
  "components/tuning": clouds,
  "components/azure": ["@pulumi/aws"],
  "components/aws": ["@pulumi/azure-native"],
  "components/local": clouds,
};

/** Paths of a room alone, without the rooms in it that have a row of their own. */
const own = (room) => {
  const inner = Object.keys(rooms).flatMap((other) =>
    other.startsWith(`${room}/`) ? other.slice(room.length) : [],
  );
  return inner.length === 0 ? `^${room}(/|$)` : `^${room}(?!(${inner.join("|")})/)(/|$)`;
};

const roomRules = Object.entries(rooms).map(([room, may]) => ({
  name: `${room} may import ${["itself", ...may].join(", ")}`,
  severity: "error",
  from: { path: own(room) },
  to: { dependencyTypes: ["local"], pathNot: [own(room), ...may.map((one) => `^${one}/`)] },
}));

const packageRules = Object.entries(refusedPackages).map(([room, packages]) => ({
  name: `${room} must not import ${packages.join(", ")}`,
  severity: "error",
  from: { path: own(room) },
  to: { path: packages.map((one) => `(^|(^|/)node_modules/)${one.replace("node:", "(node:)?")}(/|$)`) },
}));

export default {
  forbidden: [...roomRules, ...packageRules],
  options: {
    doNotFollow: { path: "(^|/)node_modules/|^(tests|out|dist|\\.tools|\\.egress-bench)/" },
    // Types count as well.
    tsPreCompilationDeps: true,
  },
};

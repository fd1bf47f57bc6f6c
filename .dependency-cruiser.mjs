/**
 * Import rules: directories, each with the others that it may import, and packages that some must
 * not import. `depcruise .` checks the tree (`npm run lint`, `npm test`). Other files are unrestricted.
 */
const directories = {
  "index.ts": ["stacks", "cli"],
  stacks: ["components", "bench"],
  components: [
    "bench",
    "components/shared",
    "components/benchmark",
    "components/existing",
    "components/nat-instance",
    "components/tuning",
  ],
  "components/azure": ["bench", "components/shared", "components/nat-instance"],
  "components/aws": ["bench", "components/shared", "components/nat-instance"],
  "components/local": ["bench", "components/shared", "components/nat-instance", "components/benchmark"],
  "components/shared": ["bench", "components/nat-instance"],
  "components/benchmark": ["bench", "components/shared", "components/tuning"],
  "components/existing": ["bench", "components/shared", "components/tuning"],
  "components/nat-instance": ["bench", "components/shared"],
  "components/tuning": ["bench", "components/shared"],
  bench: [],
  report: ["bench", "results", "report/page/texts"],
  "report/page/texts": [],
  "packages/advise/src": ["bench", "report"],
  "packages/advise/cli": ["packages/advise/src", "cli", "stacks", "components", "bench", "report"],
  "packages/history/src": ["bench", "report"],
  "packages/history/cli": ["packages/history/src", "cli", "bench", "report"],
  "cli/main.ts": ["cli", "packages/advise/cli", "packages/history/cli", "bench", "components/shared"],
  cli: ["stacks", "components", "bench", "report", "packages/history/src", "packages/advise/src"],
  "packages/pulumi-plugin": [],
  "tools/package": ["report/page/texts"],
  "tools/command-standin": [],
  "tools/reference": [
    "cli",
    "stacks",
    "components",
    "bench",
    "report",
    "packages/advise/src",
    "packages/advise/cli",
  ],
  templates: [],
};

const io = ["node:fs", "node:child_process", "node:net"];
const clouds = ["@pulumi/aws", "@pulumi/azure-native"];
const refusedPackages = {
  bench: ["@pulumi", ...io],
  report: ["@pulumi", ...io],
  "packages/advise/src": ["@pulumi", "@duckdb", ...io],
  "packages/history/src": ["@pulumi", "@duckdb", ...io],
  components: clouds,
  "components/shared": clouds,
  "components/benchmark": clouds,
  "components/existing": clouds,
  "components/nat-instance": clouds,
  "components/tuning": clouds,
  "components/azure": ["@pulumi/aws"],
  "components/aws": ["@pulumi/azure-native"],
  "components/local": clouds,
};

/** Paths of a directory, without subdirectories that have their own row. */
const own = (directory) => {
  const inner = Object.keys(directories).flatMap((other) =>
    other.startsWith(`${directory}/`) ? other.slice(directory.length) : [],
  );
  return inner.length === 0 ? `^${directory}(/|$)` : `^${directory}(?!(${inner.join("|")})(/|$))(/|$)`;
};

const directoryRules = Object.entries(directories).map(([directory, may]) => ({
  name: `${directory} may import ${["itself", ...may].join(", ")}`,
  severity: "error",
  from: { path: own(directory) },
  to: { dependencyTypes: ["local"], pathNot: [own(directory), ...may.map((one) => `^${one}/`)] },
}));

const packageRules = Object.entries(refusedPackages).map(([directory, packages]) => ({
  name: `${directory} must not import ${packages.join(", ")}`,
  severity: "error",
  from: { path: own(directory) },
  to: { path: packages.map((one) => `(^|(^|/)node_modules/)${one.replace("node:", "(node:)?")}(/|$)`) },
}));

export default {
  forbidden: [...directoryRules, ...packageRules],
  options: {
    doNotFollow: { path: "(^|/)node_modules/|^(tests|out|dist|\\.tools|\\.egress-bench)/" },
    // Type imports count as well.
    tsPreCompilationDeps: true,
  },
};

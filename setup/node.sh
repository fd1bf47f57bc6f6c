# The npm packages, and through one of them the Node that runs everything here.
# shellcheck shell=bash

# The first that strips TypeScript's types unasked.
NODE_MINIMUM=22.18.0
NODE_MODULES=$ROOT/node_modules

ensure_node_modules() {
  # npm writes this file at the end of every install, also one by hand.
  if [[ ! $NODE_MODULES/.package-lock.json -nt $ROOT/package-lock.json ]]; then
    install_node_modules
    install_node
  elif ! node_is_new_enough; then
    install_node
  fi
}

# Without a build for this processor, the machine's own Node serves when it is new enough.
node_is_new_enough() {
  [[ ! -x $NODE_MODULES/.bin/node ]] || return 0
  version_at_least "$(system_node_version)" "$NODE_MINIMUM"
}

system_node_version() { PATH=$(path_without "$NODE_MODULES/.bin") node --version 2>/dev/null || echo v0; }

# Not npm ci: it refuses a lock file that lacks an optional package of another platform, which npm's own
# install leaves out where the registry does not carry it.
install_node_modules() {
  command -v npm >/dev/null || fail "npm is missing." "Install Node.js with npm: any version from 18 on."
  say "npm packages: installing what package-lock.json pins"
  # npm must not run on the Node that it is about to replace. No install scripts: Pulumi's would fetch plugins
  # into ~/.pulumi, and ssh2's would want a compiler.
  PATH=$(path_without "$NODE_MODULES/.bin") logged npm npm install --no-save --include=dev --ignore-scripts \
    --no-audit --no-fund --loglevel=error ||
    fail_with_log npm "npm install failed." "Is the npm registry reachable? Try: npm ping"
}

# Runs the one install script that is needed: it fetches the executable for this processor.
install_node() {
  say "Node: installing the version in package.json, for the packages need $NODE_MINIMUM or later"
  PATH=$(path_without "$NODE_MODULES/.bin") logged node npm rebuild node --ignore-scripts=false || true
  give_back "$NODE_MODULES"
  node_is_new_enough || fail_with_log node "Node $NODE_MINIMUM or later is needed; this machine has $(system_node_version)," \
    "and the npm package 'node' brought none. Install it from https://nodejs.org, then: npm run setup"
}

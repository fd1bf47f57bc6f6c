# The npm packages, including the Node that runs everything here.
# shellcheck shell=bash

# The first version that strips TypeScript's types by default.
NODE_MINIMUM=22.18.0
# The npm for machines with an older Node.
NPM_VERSION=11.21.2
NODE_MODULES=$ROOT/node_modules

ensure_node_modules() {
  # npm writes its own file at the end of every install, so later manual installs count too.
  local stamp=$NODE_MODULES/.egress-bench-setup
  [[ ! -f $stamp || ! $NODE_MODULES/.package-lock.json -nt $ROOT/package-lock.json ]] || ! has_node || return 0
  writable_cache npm_config_cache "${npm_config_cache:-${HOME:+$HOME/.npm}}"
  install_npm
  install_node_modules
  touch "$stamp"
  give_back "$NODE_MODULES"
}

# Whether there is a Node for the project: the npm package's where pinned, else the machine's.
has_node() {
  if node_is_pinned; then [[ -x $NODE_MODULES/.bin/node ]]; else own_node_is_new_enough; fi
}

node_is_pinned() { [[ $(platform) == linux ]]; }

own_node_is_new_enough() {
  local found
  found=$(PATH=$(path_without "$NODE_MODULES/.bin") node --version 2>/dev/null) && version_at_least "$found" "$NODE_MINIMUM"
}

# Sets NPM_PATH to a PATH whose npm runs on a new enough Node. On an old Node, npm would leave out optional packages that
# need a newer one, such as the native part of vitest.
install_npm() {
  # Without the project's own, since npm must not run on the Node that it is about to replace.
  NPM_PATH=$(path_without "$NODE_MODULES/.bin")
  local found directory=$TOOLS/npm-$NPM_VERSION
  found=$(PATH=$NPM_PATH node --version 2>/dev/null || echo none)
  PATH=$NPM_PATH command -v npm >/dev/null || fail "npm is missing." "Install Node.js with npm: any version from 18 on."
  ! version_at_least "${found/none/0}" "$NODE_MINIMUM" || return 0
  node_is_pinned || fail "Node.js $NODE_MINIMUM or later is needed; this machine's is $found." \
    "Install it from https://nodejs.org, then: npm run setup"
  if [[ ! -d $directory ]]; then
    say "npm $NPM_VERSION with its own Node: installing, because this machine's Node is $found and $NODE_MINIMUM is needed"
    rm -rf "$directory.partial"
    mkdir -p "$directory.partial"
    PATH=$NPM_PATH logged npm fetch_npm "$directory.partial" ||
      fail_with_log npm "npm could not install Node $NODE_MINIMUM or later." \
        "Is the npm registry reachable? Try: npm ping" "Or install Node from https://nodejs.org, then: npm run setup"
    mv "$directory.partial" "$directory"
  fi
  NPM_PATH=$directory/node_modules/.bin:$NPM_PATH
}

# fetch_npm <directory>: npm and Node as pinned in setup/checksums.
fetch_npm() {
  local package=$1/npm-$NPM_VERSION.tgz node
  node=$(node_package)
  npm pack --loglevel=error --ignore-scripts --pack-destination "$1" "npm@$NPM_VERSION" &&
    is_pinned "${package##*/}" "$package" &&
    npm install --prefix "$1" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "$package" "$node" &&
    is_pinned "$node" "$1/node_modules/${node%@*}/bin/node"
}

# packages_remark <seconds>: number of packages so far, and the remaining time at this rate; the largest take longer. npm
# itself reports nothing.
packages_remark() {
  local all unpacked
  # Without other platforms' packages, and without packages inside other packages.
  all=$(awk '/^    "node_modules\//{here = gsub(/node_modules\//, "") == 1; all += here} /^      "optional": true/{all -= here; here = 0}
    END {print all + 0}' "$ROOT/package-lock.json")
  unpacked=$(find "$NODE_MODULES" -mindepth 2 -maxdepth 3 -name package.json 2>/dev/null | wc -l)
  ((unpacked > 0)) || return 0
  ((unpacked < all)) || { printf ', the largest packages' && return; }
  printf ', %d of about %d packages, at least %d s left' "$unpacked" "$all" "$(($1 * (all - unpacked) / unpacked))"
}

# The package with Node's executable for this processor, in package.json's version.
node_package() {
  printf 'node-linux-%s@%s' "$(processor)" "$(sed -n 's/^ *"node": "\([0-9.]*\)".*/\1/p' "$ROOT/package.json")"
}

# Not npm ci: it would remove and fetch all packages when one has changed.
install_node_modules() {
  say "npm packages: installing what package-lock.json pins"
  # Without install scripts: Pulumi's would fetch plugins into ~/.pulumi, and ssh2's would need a compiler.
  PATH=$NPM_PATH LOGGED_REMARK=packages_remark logged npm npm install --no-save --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error ||
    fail_with_log npm "npm install failed." "Is the npm registry reachable? Try: npm ping"
  node_is_pinned || return 0
  # Except the script that fetches Node's executable, which no lock file can pin.
  PATH=$NPM_PATH logged node npm rebuild node --ignore-scripts=false ||
    fail_with_log node "npm could not fetch Node's executable for this machine ($(uname -m))." \
      "Does npm's error, above, name the registry or a directory? Mend that, then: npm run setup"
  [[ -x $NODE_MODULES/.bin/node ]] ||
    fail_with_log node "the npm package 'node' brought no executable for this machine ($(uname -m))."
  if ! logged node-checksum is_pinned "$(node_package)" "$NODE_MODULES/.bin/node"; then
    rm -f "$NODE_MODULES/.bin/node"
    fail_with_log node-checksum "the Node that npm brought is not the one that is pinned, and was not run." \
      "If package.json names a new version, give setup/checksums its executable's SHA-256."
  fi
}

# The Pulumi CLI with its nodejs language host, inside the project: .tools/bin/pulumi.
# shellcheck shell=bash

PULUMI_VERSION=3.250.0
# The first release line with PULUMI_OPTION_SKIP_PLUGIN_PRE_INSTALL, which avoids fetching the AWS and Azure plugins, some
# hundred megabytes, before a local stack.
PULUMI_MINIMUM=3.238.0
PULUMI_HOME_DIR=$TOOLS/pulumi-home
BUILD_LOG=$TOOLS/log/pulumi-build

ensure_pulumi_cli() {
  local link=$TOOLS/bin/pulumi stamp=$TOOLS/bin/pulumi.stamp wanted="$PULUMI_VERSION, at least $PULUMI_MINIMUM"
  [[ ! -x $link || ! -f $stamp || $(<"$stamp") != "$wanted" ]] || return 0
  mkdir -p "$TOOLS/bin"
  local own=$TOOLS/pulumi-$PULUMI_VERSION found
  if found=$(pulumi_on_path); then
    say "Pulumi CLI: using $found"
  elif [[ -x $own/pulumi ]] || download_pulumi "$own" || build_pulumi "$own"; then
    found=../pulumi-$PULUMI_VERSION/pulumi
  fi
  ln -sfn "$found" "$link"
  printf '%s\n' "$wanted" >"$stamp"
}

# Prints the path of a Pulumi on PATH that is new enough and has its nodejs language host beside it.
pulumi_on_path() {
  local path version
  path=$(PATH=$(path_without "$TOOLS/bin") command -v pulumi) && path=$(realpath "$path") || return 1
  # Without a person's own settings: any call fails at an option that Pulumi cannot read.
  version=$(env -i PATH="$PATH" HOME="${HOME:-/}" PULUMI_HOME="$PULUMI_HOME_DIR" PULUMI_SKIP_UPDATE_CHECK=true \
    "$path" version 2>/dev/null) || return 1
  if ! version_at_least "$version" "$PULUMI_MINIMUM"; then
    say "Pulumi CLI: $path is $version, older than $PULUMI_MINIMUM; leaving it alone" >&2
  elif [[ ! -x ${path%/*}/pulumi-language-nodejs ]]; then
    say "Pulumi CLI: $path has no pulumi-language-nodejs beside it; leaving it alone" >&2
  else
    printf '%s\n' "$path"
    return 0
  fi
  return 1
}

# begin_build: starts Pulumi's build, if there will be one, while npm fetches packages and apt installs. build_parts waits for
# it, and reports failures.
begin_build() {
  local own=$TOOLS/pulumi-$PULUMI_VERSION
  [[ ! -x $TOOLS/bin/pulumi && ! -x $own/pulumi ]] && ! is_intact "$(pulumi_cache)" &&
    command -v go >/dev/null && ! pulumi_on_path >/dev/null 2>&1 || return 0
  go_caches
  rm -rf "$own.built"
  mkdir -p "$TOOLS/log" "$own.built"
  # A process group of its own, so that it can be ended as a whole.
  set -m
  (
    ! curl --fail --silent --show-error --location --head --connect-timeout 5 --max-time 10 "$(release_url)" || exit 1
    build_both "$own.built"
  ) >"$TOOLS/log/pulumi-begun.log" 2>&1 </dev/null 9>&- &
  BUILDING=$!
  set +m
  BEGAN=$SECONDS
}

# end_building: an ending set-up leaves nothing running.
end_building() { [[ -z ${BUILDING:-} ]] || kill -- "-$BUILDING" 2>/dev/null || true; }

release_url() {
  printf 'https://get.pulumi.com/releases/sdk/pulumi-v%s-%s-%s.tar.gz' "$PULUMI_VERSION" "$(platform)" "$(processor)"
}

# download_pulumi <directory>: the release; a brief try, since there may be no network.
download_pulumi() {
  local partial=$1.partial
  say "Pulumi CLI $PULUMI_VERSION: downloading from get.pulumi.com"
  rm -rf "$partial"
  mkdir -p "$partial"
  if logged pulumi-download fetch_pulumi "$partial" && [[ -x $partial/pulumi/pulumi-language-nodejs ]]; then
    mv "$partial/pulumi" "$1"
    rm -rf "$partial"
    return 0
  fi
  rm -rf "$partial"
  say "  no download (.tools/log/pulumi-download.log)"
  return 1
}

# fetch_pulumi <directory>: unpacks only the release that is pinned in setup/checksums.
fetch_pulumi() {
  local name url
  url=$(release_url)
  name=${url##*/}
  curl --fail --silent --show-error --location --connect-timeout 5 --max-time 300 --output "$1/$name" "$url" &&
    is_pinned "$name" "$1/$name" && tar -xzf "$1/$name" -C "$1" --no-same-owner
}

# build_pulumi <directory>: from the Go module proxy, as pinned in setup/pulumi/*/go.mod and go.sum. The build stays in the
# user's cache, for other clones.
build_pulumi() {
  local partial=$1.built cached
  cached=$(pulumi_cache)
  [[ -n ${BUILDING:-} ]] || rm -rf "$partial"
  if is_intact "$cached"; then
    say "Pulumi CLI $PULUMI_VERSION: taking the build of an earlier set-up ($cached)"
    cp -R "$cached" "$partial"
  else
    mkdir -p "$partial"
    build_parts "$partial"
    keep_in_cache "$partial" "$cached"
  fi
  wrap_language_host "$partial"
  rm -rf "$CLI_SOURCE"
  mv "$partial" "$1"
}

# Package of each part by its module under setup/pulumi. The CLI's module dropped the language host after 3.68; that one
# runs programs on the current SDK.
part_package() {
  case $1 in
  cli) echo github.com/pulumi/pulumi/pkg/v3/cmd/pulumi ;;
  language-nodejs) echo github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs ;;
  esac
}

# build_parts <directory>: what has begun, or all of it.
build_parts() {
  check_go
  say "Pulumi CLI $PULUMI_VERSION: building with $(go env GOVERSION), and its nodejs language host beside it: about 5 minutes on 2 cores"
  AHEAD=$((SECONDS - ${BEGAN:-SECONDS}))
  LOGGED_REMARK=build_remark logged pulumi-build finish_build "$1" ||
    fail_with_log pulumi-build "the Pulumi CLI could not be built." "Is the Go module proxy reachable? See: go env GOPROXY"
}

finish_build() {
  { [[ -n ${BUILDING:-} ]] && wait "$BUILDING"; } || build_both "$1"
}

# build_both <directory>: both parts at once, since linking one leaves processors to the other.
build_both() {
  local part status=0 jobs=()
  vendor_cli || return
  for part in cli language-nodejs; do
    : >"$BUILD_LOG-$part.list"
    go_build "$part" "$1" >"$BUILD_LOG-$part.log" 2>&1 &
    jobs+=($!)
    # Packages still to compile: Go's caches may hold some.
    go_in "$part" list -deps -f '{{if .Stale}}{{.ImportPath}}{{end}}' "$(part_package "$part")" >"$BUILD_LOG-$part.list" 2>/dev/null || true
  done
  for part in "${jobs[@]}"; do wait "$part" || status=1; done
  cat "$BUILD_LOG"-*.log
  return $status
}

# build_remark <seconds>: the progress of both builds, and the remaining time at this rate.
build_remark() {
  local all built
  all=$(cat "$BUILD_LOG"-*.list | sed '/^$/d' | sort -u | wc -l)
  built=$(cat "$BUILD_LOG"-*.log | grep -v '^go: ' | sort -u | wc -l)
  ((all > 0 && built > 0)) || return 0
  ((built < all)) || { printf ', linking' && return; }
  printf ', %d of %d packages, about %d s left' "$built" "$all" "$((($1 + ${AHEAD:-0}) * (all - built) / built))"
}

# pulumi_cache: the directory of the user's cache for this version, its pinned modules and this machine.
pulumi_cache() {
  local key
  key=$(cd "$ROOT/setup/pulumi" && find . -name 'go.*' -o -name '*.go' | sort | xargs cat | sha256)
  printf '%s/egress-bench/pulumi-%s-%s-%s-%.16s' \
    "${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}" "$PULUMI_VERSION" "$(platform)" "$(processor)" "$key"
}

# is_intact <cached>: whether the cache is the user's own, and unchanged since it was stored.
is_intact() {
  [[ -O $1 && -f $1/SHA256SUMS ]] &&
    (cd "$1" && sha256 pulumi pulumi-language-nodejs | cmp -s - SHA256SUMS)
}

# keep_in_cache <built> <cached>: stores the build as a whole or not at all; without room it is skipped.
keep_in_cache() {
  local partial=$2.partial.$$
  if mkdir -p "${2%/*}" 2>/dev/null && rm -rf "$2" && cp -R "$1" "$partial" 2>/dev/null &&
    (cd "$partial" && sha256 pulumi pulumi-language-nodejs >SHA256SUMS) && mv "$partial" "$2"; then
    return 0
  fi
  rm -rf "$partial"
  say "  not kept for other clones: ${2%/*} cannot be written"
}

# wrap_language_host <directory>: this host is older than the CLI, and does not know how the CLI passes the runtime options
# of Pulumi.yaml. The wrapper passes those of any project by flags.
wrap_language_host() {
  mv "$1/pulumi-language-nodejs" "$1/language-nodejs"
  rm -f "$1/SHA256SUMS"
  cp "$ROOT/setup/pulumi/language-host" "$1/pulumi-language-nodejs"
  chmod 755 "$1/pulumi-language-nodejs"
}

# The CLI's module with all packages that it needs, in which setup/pulumi/left-out takes the place of some: drivers for state
# and keys in a cloud are a quarter of the program, and no stack of this project uses them.
CLI_SOURCE=$TOOLS/pulumi-source

vendor_cli() {
  local packages=$ROOT/setup/pulumi/left-out package
  rm -rf "$CLI_SOURCE"
  mkdir -p "$CLI_SOURCE"
  cp "$ROOT"/setup/pulumi/cli/go.* "$CLI_SOURCE"
  (cd "$CLI_SOURCE" && GOWORK=off go mod vendor) || return
  (cd "$packages" && find . -name '*.go') | while read -r package; do
    rm -f "$CLI_SOURCE/vendor/${package%/*}"/*.go
    mkdir -p "$CLI_SOURCE/vendor/${package%/*}"
    cp "$packages/$package" "$CLI_SOURCE/vendor/$package"
  done
}

# go_in <module under setup/pulumi> <go command> <argument...>
go_in() (
  local modules=readonly
  if [[ $1 == cli ]]; then
    modules=vendor
    cd "$CLI_SOURCE" || return
  else
    cd "$ROOT/setup/pulumi/$1" || return
  fi
  export CGO_ENABLED=0 GOWORK=off
  go "$2" -mod=$modules -trimpath -buildvcs=false "${@:3}"
)

# go_build <module under setup/pulumi> <output directory>
go_build() {
  local package
  package=$(part_package "$1")
  go_in "$1" build -v -o "$2/${package##*/}" \
    -ldflags "-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v$PULUMI_VERSION" "$package"
}

# go_caches: finds writable places for Go's modules and build cache.
go_caches() {
  local variable usual
  for variable in GOPATH GOCACHE; do
    usual=$(go env "$variable" 2>/dev/null) || continue
    writable_cache "$variable" "$usual"
  done
}

check_go() {
  local needed found
  ! command -v go >/dev/null || go_caches
  needed=$(sed -n 's/^go //p' "$ROOT/setup/pulumi/cli/go.mod")
  # Go itself says whether it is new enough, or can fetch a new enough toolchain.
  found=$(cd "$ROOT/setup/pulumi/cli" && GOWORK=off go list -m 2>&1) && return 0
  command -v go >/dev/null || found="no Go"
  fail "there is no Pulumi CLI, and no way to get one. Any of these helps:" \
    "- Pulumi $PULUMI_MINIMUM or later on PATH: https://www.pulumi.com/docs/install" \
    "- access to https://get.pulumi.com and https://github.com, where releases are" \
    "- Go $needed or later, from https://go.dev/dl, to build it from the Go module proxy (found: ${found##*$'\n'})"
}

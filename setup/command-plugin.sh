# The provider of @pulumi/command, which runs every benchmark case: the real one if available, else the project's offline
# stand-in.
# shellcheck shell=bash

COMMAND_VERSION=1.2.1
COMMAND_EXECUTABLE=pulumi-resource-command
# The repository has its go.mod at the top level since pull request 1229, after v1.2.1.
COMMAND_MODULE=github.com/pulumi/pulumi-command
COMMAND_STAND_IN=$ROOT/tools/command-standin/$COMMAND_EXECUTABLE

# EGRESS_BENCH_COMMAND_PLUGIN names your own provider: the real one, built by hand.
ensure_command_plugin() {
  local own=${EGRESS_BENCH_COMMAND_PLUGIN:-} stamp=$PULUMI_HOME_DIR/command-plugin have=
  local directory=$PULUMI_HOME_DIR/plugins/resource-command-v$COMMAND_VERSION
  [[ ! -f $stamp || ! -x $directory/$COMMAND_EXECUTABLE ]] || have=$(<"$stamp")
  if [[ -n $own ]]; then
    [[ -x $own && -f $own ]] || fail "EGRESS_BENCH_COMMAND_PLUGIN is not an executable file: $own" \
      "Give the path of a $COMMAND_EXECUTABLE, or unset it."
    own=$(realpath "$own")
    [[ $have != "$own" ]] || return 0
    say "command plugin: using $own (EGRESS_BENCH_COMMAND_PLUGIN)"
    launch_as_command_plugin "$directory" "$own"
    printf '%s\n' "$own" >"$stamp"
  elif [[ $have != built && $have != downloaded && $have != "$COMMAND_STAND_IN" ]]; then
    if build_command_plugin "$directory"; then
      printf 'built\n' >"$stamp"
    elif download_command_plugin "$directory"; then
      printf 'downloaded\n' >"$stamp"
    else
      [[ -x $COMMAND_STAND_IN ]] || fail "the offline stand-in is missing: $COMMAND_STAND_IN" "Try: git checkout tools"
      say "  no download: the OFFLINE STAND-IN tools/command-standin is in use (docs/setup.md says what it is)"
      launch_as_command_plugin "$directory" "$COMMAND_STAND_IN"
      printf '%s\n' "$COMMAND_STAND_IN" >"$stamp"
    fi
  fi
}

# build_command_plugin <directory>: builds the newest available tag of version 1 from a Go module proxy, each module
# verified against Go's checksum database. Fails where there is no Go, no such tag, no network, or an archive that the user
# has pinned.
build_command_plugin() {
  local version
  [[ -z $(pinned "$(command_archive)") ]] && command -v go >/dev/null || return 1
  go_caches
  version=$(go_checked 30 list -m -f '{{.Version}}' "$COMMAND_MODULE@v1" 2>/dev/null) || return 1
  [[ $version != "v$COMMAND_VERSION" ]] || return 1
  say "command plugin $version: building it, with sums from Go's checksum database"
  rm -rf "$1" "$1.lock" "$1.partial"
  GOBIN=$1.partial logged command-plugin-build go_checked 900 install -trimpath -buildvcs=false \
    -ldflags "-s -w -X $COMMAND_MODULE/provider/pkg/version.Version=${version#v}" \
    "$COMMAND_MODULE/provider/cmd/$COMMAND_EXECUTABLE@$version" && mv "$1.partial" "$1"
}

# go_checked <seconds> <go command> <argument...>: with a checksum database, and no exempt modules.
go_checked() (
  cd / || return
  export CGO_ENABLED=0 GO111MODULE=on GOWORK=off GOFLAGS='' GONOSUMDB='' GONOSUMCHECK='' GOPRIVATE='' GOINSECURE=''
  [[ $(go env GOSUMDB) != off ]] && limited "$1" go "${@:2}"
)

# download_command_plugin <directory>: a brief try, since there may be no network.
download_command_plugin() {
  local archive
  archive=$(command_archive)
  say "command plugin $COMMAND_VERSION: downloading"
  rm -rf "$1" "$1.lock" "$1.partial"
  if [[ -z $(pinned "$archive") ]]; then
    install_command_plugin
  else
    logged command-plugin fetch_command_archive "$archive" && install_command_plugin --file "$TOOLS/$archive"
  fi
}

install_command_plugin() {
  PULUMI_HOME=$PULUMI_HOME_DIR PULUMI_SKIP_UPDATE_CHECK=true logged command-plugin limited 90 \
    "$TOOLS/bin/pulumi" plugin install resource command "v$COMMAND_VERSION" "$@"
}

command_archive() {
  local machine
  machine=$(processor)
  echo "pulumi-resource-command-v$COMMAND_VERSION-$(platform)-${machine/x64/amd64}.tar.gz"
}

# fetch_command_archive <name>: verified here, since Pulumi's own --checksum ignores the last bytes of a download (3.250).
fetch_command_archive() {
  curl --fail --silent --show-error --location --connect-timeout 5 --max-time 90 \
    --output "$TOOLS/$1" "https://get.pulumi.com/releases/plugins/$1" && is_pinned "$1" "$TOOLS/$1"
}

# launch_as_command_plugin <directory> <executable>: Pulumi takes a directory of that name with an executable of that name
# for the installed plugin.
launch_as_command_plugin() {
  rm -rf "$1" "$1.partial"
  mkdir -p "$1"
  printf '#!/bin/sh\nexec %q "$@"\n' "$2" >"$1/$COMMAND_EXECUTABLE"
  chmod 755 "$1/$COMMAND_EXECUTABLE"
}

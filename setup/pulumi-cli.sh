# The Pulumi CLI with its nodejs language host, inside the project: .tools/bin/pulumi.
# shellcheck shell=bash

PULUMI_VERSION=3.250.0
# The first release line that can be told (PULUMI_OPTION_SKIP_PLUGIN_PRE_INSTALL) not to fetch the AWS and
# Azure plugins, some hundred megabytes, before a local stack.
PULUMI_MINIMUM=3.238.0
PULUMI_HOME_DIR=$TOOLS/pulumi-home

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
  version=$(PULUMI_HOME=$PULUMI_HOME_DIR PULUMI_SKIP_UPDATE_CHECK=true "$path" version 2>/dev/null) || return 1
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

# download_pulumi <directory>: the release, tried briefly, for there may be no way out of here.
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

# fetch_pulumi <directory>: nothing is unpacked that is not the release that setup/checksums knows.
fetch_pulumi() {
  local name
  name=pulumi-v$PULUMI_VERSION-linux-$(processor).tar.gz
  curl --fail --silent --show-error --location --connect-timeout 5 --max-time 300 \
    --output "$1/$name" "https://get.pulumi.com/releases/sdk/$name" &&
    is_pinned "$name" "$1/$name" && tar -xzf "$1/$name" -C "$1" --no-same-owner
}

# build_pulumi <directory>: from the Go module proxy, as setup/pulumi/*/go.mod and go.sum pin it.
build_pulumi() {
  local partial=$1.partial
  check_go
  say "Pulumi CLI $PULUMI_VERSION: building with $(go env GOVERSION), about 5 minutes on 2 cores"
  rm -rf "$partial"
  mkdir -p "$partial"
  logged pulumi-build go_build cli github.com/pulumi/pulumi/pkg/v3/cmd/pulumi "$partial" ||
    fail_with_log pulumi-build "the Pulumi CLI could not be built." "Is the Go module proxy reachable? See: go env GOPROXY"
  say "Pulumi's nodejs language host: building"
  # This module stopped carrying the language host after 3.68; it runs programs on the current SDK.
  logged language-build go_build language-nodejs \
    github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs "$partial" ||
    fail_with_log language-build "Pulumi's nodejs language host could not be built."
  wrap_language_host "$partial"
  mv "$partial" "$1"
}

# wrap_language_host <directory>: this host is older than the CLI, which hands the runtime options of Pulumi.yaml
# over in a way that it does not know. Without them it would load TypeScript into every program.
wrap_language_host() {
  local yaml=$ROOT/Pulumi.yaml nodeargs
  nodeargs=$(sed -n 's/^ *nodeargs: *"\(.*\)"$/\1/p' "$yaml")
  mv "$1/pulumi-language-nodejs" "$1/language-nodejs"
  cat >"$1/pulumi-language-nodejs" <<WRAPPER
#!/bin/sh
# Written by setup/pulumi-cli.sh: Pulumi.yaml's runtime options, as this old host takes them.
exec "\$(dirname "\$0")/language-nodejs" -typescript=false -nodeargs='$nodeargs' "\$@"
WRAPPER
  chmod 755 "$1/pulumi-language-nodejs"
}

# go_build <module under setup/pulumi> <package> <output directory>
go_build() (
  cd "$ROOT/setup/pulumi/$1" &&
    CGO_ENABLED=0 GOWORK=off go build -mod=readonly -trimpath -buildvcs=false -o "$3/${2##*/}" \
      -ldflags "-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v$PULUMI_VERSION" "$2"
)

check_go() {
  local needed found
  needed=$(sed -n 's/^go //p' "$ROOT/setup/pulumi/cli/go.mod")
  # Go itself says whether it is new enough, or can fetch a toolchain that is.
  found=$(cd "$ROOT/setup/pulumi/cli" && GOWORK=off go list -m 2>&1) && return 0
  command -v go >/dev/null || found="no Go"
  fail "there is no Pulumi CLI, and no way to get one. Any of these helps:" \
    "- Pulumi $PULUMI_MINIMUM or later on PATH: https://www.pulumi.com/docs/install" \
    "- access to https://get.pulumi.com and https://github.com, from where releases come" \
    "- Go $needed or later, from https://go.dev/dl, to build it from the Go module proxy (found: ${found##*$'\n'})"
}

#!/usr/bin/env bash
# Installs what the commands need; setup/usage.txt says what. Does nothing the second time. See docs/setup.md.
set -euo pipefail

ROOT=$(CDPATH= cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$ROOT"
for part in lib node pulumi-cli command-plugin http-tools state; do
  # shellcheck source=/dev/null
  . "setup/$part.sh"
done

needs=everything
case ${1:-} in
--help | -h) cat setup/usage.txt && exit ;;
--packages | --cloud | --lab | --guest | --guest-system | --image | --tests | --all-tests) needs=${1#--} ;;
?*) fail_usage "unknown option $1; see: npm run setup -- --help" ;;
esac
if [[ $needs != cloud && $needs != packages && $(platform) != linux ]]; then
  [[ $needs != everything ]] || needs=cloud
  [[ $needs == cloud ]] || fail "the local lab is made of Linux network namespaces, and this is $OSTYPE." \
    "In a container: docs/setup.md, \"The lab in a container\"." "In a cloud: npm run compare -- --cloud azure"
fi

require_temporary
require_directory
require_writable

# Two set-ups at once would remove each other's node_modules. The lock ends with its holder. macOS has no flock.
if command -v flock >/dev/null; then
  exec 9<"$ROOT/setup/setup.sh"
  if ! flock -n 9; then
    say "waiting for another set-up in this directory"
    flock 9
  fi
fi
trap 'end_building; give_back "$TOOLS" "$STATE"' EXIT

[[ $needs == packages ]] || begin_build
ensure_node_modules
if [[ $needs != cloud && $needs != packages ]]; then
  # shellcheck source=system-tools.sh
  . setup/system-tools.sh
  # shellcheck source=guest.sh
  . setup/guest.sh
  # shellcheck source=debian-machine.sh
  . setup/debian-machine.sh
  # shellcheck source=guest-system.sh
  . setup/guest-system.sh
  case $needs in
  everything) offer_system_tools ;;
  image) ensure_programs "$IMAGE_TOOLS" ;;
  *) ensure_system_tools ;;
  esac
  case $needs in tests | all-tests) ensure_test_tools ;; esac
  case $needs in all-tests | guest | guest-system) ensure_guest ;; esac
  [[ $needs != guest-system ]] || { ensure_guest_system; ensure_image_test; }
fi
if [[ $needs != packages ]]; then
  ensure_pulumi_cli
  ensure_command_plugin
fi
case $needs in tests | all-tests) ensure_vegeta ;; esac
ensure_state
ensure_stack_files
prune_leftovers

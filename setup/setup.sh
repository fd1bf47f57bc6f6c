#!/usr/bin/env bash
# Installs what `npm run local` needs, and with --tests what `npm test` needs besides. Does nothing the second
# time. See docs/setup.md.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$ROOT"
for part in lib node system-tools pulumi-cli command-plugin state; do
  # shellcheck source=/dev/null
  . "setup/$part.sh"
done

# Two set-ups at once would take node_modules from under each other. The lock ends with its holder.
exec 9<"$ROOT/setup/setup.sh"
if ! flock -n 9; then
  say "waiting for another set-up in this directory"
  flock 9
fi
trap 'give_back "$TOOLS" "$STATE"' EXIT

ensure_node_modules
ensure_system_tools
[[ ${1:-} != --tests ]] || ensure_test_tools
ensure_pulumi_cli
ensure_command_plugin
ensure_state

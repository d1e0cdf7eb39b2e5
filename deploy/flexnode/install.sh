#!/bin/sh
# Installs chandler-flexnode on this machine: chooses the executable of the architecture, verifies its SHA-256 hash, and
# puts it into /usr/local/bin. With --unit it also installs the systemd unit that joins the cluster at the next boot.
set -eu

usage() {
  cat <<'TEXT'
Usage: install.sh --from DIRECTORY|HTTPS-URL [--sha256 HASH] [--unit] [--root DIRECTORY]

  --from    directory or URL with chandler-flexnode-linux-amd64, chandler-flexnode-linux-arm64 and SHA256SUMS
  --sha256  expected hash of the executable; without it, the hash in SHA256SUMS of the same source is used
  --unit    install and enable chandler-flexnode-bootstrap.service from the same source
  --root    install into this directory instead of /
TEXT
}

fail() {
  echo "install.sh: $1" >&2
  exit "${2:-1}"
}

from= sha256= unit= root=
while [ $# -gt 0 ]; do
  case "$1" in
    --from | --sha256 | --root)
      [ $# -ge 2 ] || fail "$1 needs a value" 2
      case "$1" in
        --from) from=${2%/} ;;
        --sha256) sha256=$2 ;;
        --root) root=${2%/} ;;
      esac
      shift 2
      ;;
    --unit) unit=yes; shift ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; fail "unknown argument $1" 2 ;;
  esac
done
[ -n "$from" ] || { usage >&2; fail '--from is required' 2; }
[ -n "$root" ] || [ "$(id -u)" = 0 ] || fail 'root privileges are required: run it with sudo'

case "${FLEXNODE_MACHINE:-$(uname -m)}" in
  x86_64 | amd64) name=chandler-flexnode-linux-amd64 ;;
  aarch64 | arm64) name=chandler-flexnode-linux-arm64 ;;
  *) fail "unsupported architecture $(uname -m): only amd64 and arm64 are supported" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# fetch NAME: copies a file of the source into the work directory.
fetch() {
  case "$from" in
    https://*) curl -fsSL --proto '=https' --retry 3 -o "$work/$1" "$from/$1" || fail "cannot download $from/$1" ;;
    *://*) fail "only https URLs are supported: $from" 2 ;;
    *) cp "$from/$1" "$work/$1" || fail "cannot read $from/$1" ;;
  esac
}

fetch "$name"
if [ -z "$sha256" ]; then
  fetch SHA256SUMS
  sha256=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
  [ -n "$sha256" ] || fail "SHA256SUMS has no hash of $name"
fi
found=$(sha256sum "$work/$name" | cut -d ' ' -f 1)
[ "$found" = "$sha256" ] || fail "$name has the hash $found, but $sha256 is expected; nothing was installed"

# place SOURCE TARGET MODE: replaces the file in one step.
place() {
  mkdir -p "$(dirname "$root$2")"
  cp "$1" "$root$2.new"
  chmod "$3" "$root$2.new"
  mv -f "$root$2.new" "$root$2"
  echo "installed $root$2"
}

place "$work/$name" /usr/local/bin/chandler-flexnode 0755
if [ -n "$unit" ]; then
  fetch chandler-flexnode-bootstrap.service
  place "$work/chandler-flexnode-bootstrap.service" /etc/systemd/system/chandler-flexnode-bootstrap.service 0644
  if [ -z "$root" ]; then
    systemctl daemon-reload
    systemctl enable chandler-flexnode-bootstrap.service
  fi
fi

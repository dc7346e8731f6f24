# Sourced by .ci/build-site and .ci/check-site, which have say, fail, and work as a folder for what
# they make: sets tools to a virtual environment with what .ci/site/requirements.txt pins.
tools=$work/tools
if ! cmp -s .ci/site/requirements.txt "$tools/requirements.txt"; then
  python=
  for candidate in python3 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      python=$candidate
      break
    fi
  done
  [ -n "$python" ] || fail "the site is made by Sphinx, which wants Python 3.11 or later with venv: install it (Debian: python3-venv)"
  say "fetching Sphinx and what it needs, once"
  rm -rf "$tools"
  mkdir -p "$work"
  "$python" -m venv "$tools" >&2
  "$tools/bin/pip" install -q --disable-pip-version-check --require-hashes --only-binary :all: \
    -r .ci/site/requirements.txt >&2 || fail "Sphinx cannot be installed"
  cp .ci/site/requirements.txt "$tools"
fi

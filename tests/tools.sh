#!/usr/bin/env bash
# Installs what the tests need beyond Python, where this user may; says what is missing otherwise.
# The tests skip what needs a missing tool, with the reason; with CI set they fail instead.
set -u
packages=()
need() { command -v "$1" >/dev/null 2>&1 || packages+=("$2"); }
need_file() { [ -e "$1" ] || packages+=("$2"); }
need gcc gcc
need avr-gcc gcc-avr
need_file /usr/lib/avr/include/avr/io.h avr-libc
need_file /usr/include/simavr/sim_avr.h libsimavr-dev
need chromium chromium
[ -x /usr/sbin/nats-server ] || need nats-server nats-server
need_file /usr/lib/postgresql postgresql
[ -x /usr/sbin/ip ] || need ip iproute2
need systemd-analyze systemd
need openssl openssl
[ ${#packages[@]} -eq 0 ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "installing for the tests: ${packages[*]}"
  apt-get update -qq >/dev/null &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null &&
    exit 0
fi
echo "missing for some tests (they will be skipped): ${packages[*]}"
exit 0

#!/usr/bin/env bash
# A machine of its own for the commands of a page, in new namespaces of network and mounts, until its standard input ends:
#
#   unshare --net --mount machine.sh DIRECTORY
#
# /etc is a copy, /usr/bin and /var/log have layers over them, all in memory. /run is empty: no service manager can be reached.
set -eu
layers=$1/layers

# The service that systemctl.py has started, if it is there; whoever adopted it may be slow to ask for its status.
end_service() {
    [ -e /run/bearward.pid ] || return 0
    local pid
    pid=$(</run/bearward.pid)
    kill "$pid" || return 0
    for _ in {1..100}; do
        grep -qs ') [^ZX] ' "/proc/$pid/stat" || return 0
        sleep 0.1
    done
    kill -KILL "$pid"
}
trap end_service EXIT
trap exit TERM
ip link set lo up
mkdir "$layers"
mount -t tmpfs tmpfs "$layers"
mkdir "$layers/etc"
# Without root, what only root reads or owns is not in it.
cp -a /etc/. "$layers/etc" 2>/dev/null || true
mount --bind "$layers/etc" /etc
for place in usr/bin var/log; do
    [ -w "/$place" ] || continue
    mkdir -p "$layers/$place/upper" "$layers/$place/work"
    mount -t overlay overlay -o "lowerdir=/$place,upperdir=$layers/$place/upper,workdir=$layers/$place/work" "/$place"
done
mount -t tmpfs -o mode=755 tmpfs /run
: >/run/scratch-machine
printf '127.0.0.1 localhost\n::1 localhost\n' >/etc/hosts
echo ready
read -r _ || true

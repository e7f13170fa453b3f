#!/usr/bin/env bash
# systemctl.sh - what systemctl does with our two units, where no systemd runs.
# It reads the installed units, so that a wrong line in them fails.  Only for
# tests, as root, inside a mount namespace: see tests/http/install.sh.
#
# usage: systemctl.sh enable|start|stop|restart|reload [--now] UNIT...
#        Its own state lies in $FAKE_SYSTEMD.
set -eu
units=/usr/lib/systemd/system
socket=$units/prompt-arena.socket service=$units/prompt-arena.service

value() { sed -n "s/^$2=//p" "$1"; } # UNIT KEY

until_gone() { # PID
	local n
	for n in $(seq 1 400); do
		kill -0 "$1" 2>/dev/null || return 0
		read -rt 0.05 <> <(:) || :
	done
	echo "systemctl.sh: process $1 does not end ($n)" >&2
	return 1
}

# A command of the service, as its user and with nothing of our environment.
as_service() {
	local user
	user=$(value "$service" User)
	env -i PATH=/usr/bin:/bin setpriv --reuid="$user" --regid="$user" \
		--init-groups -- "$@"
}

folders() {
	local user key base
	user=$(value "$service" User)
	for key in State:/var/lib Runtime:/run Configuration:/etc; do
		base=${key#*:} key=${key%%:*}Directory
		mkdir -p "$base/$(value "$service" "$key")"
		[ "$key" = ConfigurationDirectory ] && continue
		chown -R "$user:$user" "$base/$(value "$service" "$key")"
		chmod "$(value "$service" "${key}Mode")" \
			"$base/$(value "$service" "$key")"
	done
}

start() {
	local at
	[ ! -s "$FAKE_SYSTEMD/pid" ] || return 0
	folders
	at=$(value "$socket" ListenStream)
	# shellcheck disable=SC2046,SC2086
	setsid systemd-socket-activate -l "$at" \
		setpriv --reuid="$(value "$service" User)" \
		--regid="$(value "$service" Group)" --init-groups \
		$(value "$service" ExecStart) \
		>>"$FAKE_SYSTEMD/journal" 2>&1 </dev/null &
	echo $! >"$FAKE_SYSTEMD/pid"
	until [ -S "$at" ]; do
		kill -0 "$(cat "$FAKE_SYSTEMD/pid")"
		read -rt 0.05 <> <(:) || :
	done
	chown "$(value "$socket" SocketUser):$(value "$socket" SocketGroup)" "$at"
	chmod "$(value "$socket" SocketMode)" "$at"
}

stop() {
	[ -s "$FAKE_SYSTEMD/pid" ] || return 0
	kill -TERM "$(cat "$FAKE_SYSTEMD/pid")" 2>/dev/null || :
	until_gone "$(cat "$FAKE_SYSTEMD/pid")"
	rm -f "$FAKE_SYSTEMD/pid" "$(value "$socket" ListenStream)"
}

reload() {
	local line
	while read -r line; do
		# shellcheck disable=SC2086
		as_service $line || return 1
	done < <(value "$service" ExecReload)
}

web() { # start or reload nginx
	if [ -s /run/nginx.pid ] && kill -0 "$(cat /run/nginx.pid)" 2>/dev/null; then
		nginx -s reload
	else
		nginx
	fi
}

verb=$1
shift
for unit in "$@"; do
	case $verb:$unit in
	*:--now) ;;
	reload:nginx | start:nginx) web ;;
	enable:prompt-arena* | start:prompt-arena*) start ;;
	stop:prompt-arena*) stop ;;
	restart:prompt-arena*) stop; start ;;
	reload:prompt-arena*) reload ;;
	*) echo "systemctl.sh: no \"$verb $unit\" here" >&2; exit 1 ;;
	esac
done

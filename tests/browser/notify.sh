#!/usr/bin/env bash
# Count, popup and sound of notices in Chromium and Firefox: P12 to P17.
. "$(dirname "$0")/../arena.sh"
arena_new "s|<limits|<forum posts-per-minute=\"100\"/>\n  <limits|" || { echo "not ok 1 - the arena starts"; exit 1; }
export BASE AUTH

# A sound that can end, on a machine without a sound card.
if command -v pulseaudio >/dev/null 2>&1; then
	export XDG_RUNTIME_DIR=$DIR/run PULSE_RUNTIME_PATH=$DIR/pulse
	mkdir -p "$XDG_RUNTIME_DIR" "$PULSE_RUNTIME_PATH" && chmod 700 "$XDG_RUNTIME_DIR" "$PULSE_RUNTIME_PATH"
	pulseaudio -n --daemonize=no --exit-idle-time=-1 --load=module-null-sink \
		--load="module-native-protocol-unix socket=$DIR/pulse.sock auth-anonymous=1" >"$DIR/pulse.log" 2>&1 &
	PULSE_PID=$!
	trap 'kill "$PULSE_PID" 2>/dev/null; arena_end' EXIT
	sample_wait 120 test -S "$DIR/pulse.sock" && export PULSE_SERVER=unix:$DIR/pulse.sock
fi
node "$TESTS/browser/notify.cjs"
tap_failed=$?
exit $tap_failed

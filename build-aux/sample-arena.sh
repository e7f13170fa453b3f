# sample-arena.sh - start and stop a whole arena behind its own nginx.
# Sourced by quickstart and by the tests, so that what is tried out is what
# is tested.  Needs: PA_BIN (program), PA_SRC (source tree or data folder
# with htdocs/), DIR (state), PORT (guests), CONF (arena.xml to use).
#
# sample_prepare    make DIR: secret, password file, nginx.conf
# sample_start      start the program and nginx; returns when both answer
# sample_stop       stop both and wait for them
# shellcheck shell=bash

# The data folder beside the program has the pages in all languages; before
# it was made, the source tree has those in English.
sample_data() {
	local made
	made=$(dirname "$PA_BIN")/data
	if [ -e "$made/made" ]; then echo "$made"; else echo "$PA_SRC"; fi
}

# sample_wait SECONDS COMMAND...: until COMMAND succeeds.
sample_wait() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		read -rt 0.05 <> <(:) || :
	done
}

sample_listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# A path for the right side of sed's s|..|..|.
sample_path() { sed 's/[&|\\]/\\&/g' <<<"$1"; }

# The sample block with this machine's paths; $1 = variant to switch on
# (none, basic), $2 = base path ("" or /arena).
sample_locations() {
	local state source
	state=$(sample_path "$DIR") source=$(sample_path "$PA_SRC")
	sed -n '/^# ---- part 2/,$p' "$PA_SRC/nginx.conf.sample" |
	sed -e "s|unix:/run/prompt-arena/fcgi.sock|\"unix:$state/fcgi.sock\"|" \
	    -e "s|/usr/share/prompt-arena/\(htdocs/[a-z/]*\)|\"$source/\1\"|" \
	    -e "s|/etc/prompt-arena/\([a-z.-]*\)|\"$state/\1\"|" \
	    -e "s|#$1# ||" -e "s|^\( *location \(= \)\?\)/|\1${2-}/|"
}

sample_nginx_conf() {
	local base=${BASE_PATH-}
	[ "$(id -u)" != 0 ] || echo "user root;"
	cat <<CONF
worker_processes ${NGINX_WORKERS:-1};
pid "$DIR/nginx.pid";
error_log "$DIR/nginx-error.log" warn;
daemon off;
events { worker_connections 4096; }
http {
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    access_log off;
    server_tokens off;
    client_body_temp_path "$DIR/nginx-body";
    proxy_temp_path "$DIR/nginx-proxy";
    fastcgi_temp_path "$DIR/nginx-fastcgi";
    uwsgi_temp_path "$DIR/nginx-uwsgi";
    scgi_temp_path "$DIR/nginx-scgi";
CONF
	sed -n '/^# ---- part 1/,/^# ---- part 2/p' "$PA_SRC/nginx.conf.sample" |
	sed -e "s|/var/lib/nginx/prompt-arena|\"$(sample_path "$DIR")/nginx-cache\"|" \
	    -e "/^map .*prompt_arena_base/,/}/s|\"\";|\"$base\";|"
	cat <<CONF
    server {
        listen 127.0.0.1:$PORT;
        server_name _;
        absolute_redirect off;
$(sample_locations none "$base")
    }
    server {
        listen 127.0.0.1:$((PORT + 1));
        server_name _;
        absolute_redirect off;
$(sample_locations basic "$base")
    }
}
CONF
}

sample_prepare() {
	local user
	mkdir -p "$DIR"
	(
	umask 077
	[ -s "$DIR/secret" ] || openssl rand -hex 24 >"$DIR/secret"
	printf 'fastcgi_param PA_SECRET "%s";\n' "$(cat "$DIR/secret")" \
		>"$DIR/nginx-secret.conf"
	for user in alice bob teacher admin ${MORE_USERS-}; do
		printf '%s:%s\n' "$user" "$(openssl passwd -apr1 "$user")"
	done >"$DIR/htpasswd"
	sample_nginx_conf >"$DIR/nginx.conf"
	)
}

# The program's command line and surroundings, the same for every subcommand.
sample_program() {
	PROMPT_ARENA_CONF=$CONF PROMPT_ARENA_STATE=$DIR \
		PROMPT_ARENA_DATADIR=$(sample_data) "$PA_BIN" "$@"
}

sample_serve() {
	local root=
	[ "$(id -u)" != 0 ] || root=--allow-root
	# shellcheck disable=SC2086
	PROMPT_ARENA_CONF=$CONF PROMPT_ARENA_STATE=$DIR \
		PROMPT_ARENA_DATADIR=$(sample_data) \
		"$PA_BIN" serve $root >>"$DIR/serve.log" 2>&1 &
	SERVE_PID=$!
}

sample_nginx() {
	nginx -p "$DIR" -c "$DIR/nginx.conf" -e "$DIR/nginx-error.log" \
		>>"$DIR/nginx-error.log" 2>&1 &
	NGINX_PID=$!
}

sample_answers() {
	[ "$(curl -s -o /dev/null -m 5 -w '%{http_code}' \
		"http://127.0.0.1:$PORT${BASE_PATH-}/healthz")" = 200 ]
}

sample_alive() { kill -0 "$SERVE_PID" 2>/dev/null; }

sample_ready() {
	sample_alive || return 0
	sample_answers
}

sample_start() {
	sample_serve
	sample_nginx
	if ! sample_wait 60 sample_ready || ! sample_alive ||
	    ! kill -0 "$NGINX_PID" 2>/dev/null; then
		echo "prompt-arena did not start; the last lines of its log:" >&2
		tail -n 15 "$DIR/serve.log" "$DIR/nginx-error.log" >&2
		sample_stop
		return 1
	fi
}

sample_stop() {
	local pid
	for pid in ${NGINX_PID-} ${SERVE_PID-}; do
		kill -TERM "$pid" 2>/dev/null
	done
	for pid in ${NGINX_PID-} ${SERVE_PID-}; do
		wait "$pid" 2>/dev/null
		SAMPLE_STATUS=$?
	done
	NGINX_PID='' SERVE_PID=''
}

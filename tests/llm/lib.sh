# lib.sh - certificates, stub server and nginx for the model client's tests.
# Sourced; everything lies in $work and ends with the script.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUILDDIR=${BUILDDIR:-.}
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
pids=()
finish() {
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null; done
	exec 8>&- 2>/dev/null
	wait 2>/dev/null
	rm -rf "$work"
}
trap finish EXIT

# Certificates of our own making: a good one, a self-signed one, one that has
# run out, one for another host.
certificates() {
	local ext=$work/ext
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/ca.key" \
		-out "$work/ca.crt" -days 30 -subj "/CN=test authority" 2>/dev/null
	printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >"$ext"
	printf 'subjectAltName=DNS:elsewhere.example\n' >"$ext.other"
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/self.key" \
		-out "$work/self.crt" -days 30 -subj "/CN=localhost" \
		-addext "subjectAltName=DNS:localhost" 2>/dev/null
	local kind e
	for kind in good other expired; do
		e=$ext
		[ $kind = other ] && e=$ext.other
		openssl req -newkey rsa:2048 -nodes -keyout "$work/$kind.key" \
			-out "$work/$kind.csr" -subj "/CN=localhost" 2>/dev/null
		if [ $kind = expired ]; then
			mkdir -p "$work/ca" && : >"$work/ca/index" && echo 01 >"$work/ca/serial"
			printf '[ca]\ndefault_ca=d\n[d]\ndatabase=%s\nserial=%s\nnew_certs_dir=%s\ndefault_md=sha256\npolicy=p\n[p]\nCN=supplied\n' \
				"$work/ca/index" "$work/ca/serial" "$work/ca" >"$work/ca/conf"
			openssl ca -batch -config "$work/ca/conf" -cert "$work/ca.crt" \
				-keyfile "$work/ca.key" -in "$work/expired.csr" \
				-out "$work/expired.crt" -notext -extfile "$e" \
				-startdate 200101000000Z -enddate 200201000000Z 2>/dev/null
		else
			openssl x509 -req -in "$work/$kind.csr" -CA "$work/ca.crt" \
				-CAkey "$work/ca.key" -CAcreateserial -days 30 \
				-extfile "$e" -out "$work/$kind.crt" 2>/dev/null
		fi
	done
}

# Sets $ports (JSON) and $plain (a port number).
stub() {
	certificates
	mkfifo "$work/alive"
	node "$here/stub.cjs" --tls "$work" <"$work/alive" >"$work/ports" &
	pids+=($!)
	exec 8>"$work/alive"
	until [ -s "$work/ports" ]; do
		kill -0 "${pids[-1]}" || { echo "not ok 1 - the stub starts"; exit 1; }
		read -rt 0.05 <> <(:)
	done
	ports=$(cat "$work/ports")
	plain=$(sed 's/.*"plain":\([0-9]*\).*/\1/' "$work/ports")
}

# An nginx that passes everything on to the stub.  Sets $nginx (a port).
nginx_front() {
	local try
	for try in 1 2 3 4 5; do
		nginx=$((20000 + (RANDOM % 10000)))
		cat >"$work/nginx.conf" <<-N
		pid $work/nginx.pid; error_log $work/nginx.log; daemon off;
		worker_processes 1;
		events { worker_connections 512; }
		http { access_log off; client_body_temp_path $work/t1; proxy_temp_path $work/t2;
			fastcgi_temp_path $work/t3; uwsgi_temp_path $work/t4; scgi_temp_path $work/t5;
			server { listen 127.0.0.1:$nginx; location / { proxy_pass http://127.0.0.1:$plain;
				proxy_http_version 1.1; } } }
		N
		[ "$(id -u)" = 0 ] && sed -i '1i user root;' "$work/nginx.conf"
		nginx -p "$work" -c "$work/nginx.conf" 2>/dev/null &
		pids+=($!)
		until [ -s "$work/nginx.pid" ] || ! kill -0 "${pids[-1]}" 2>/dev/null; do
			read -rt 0.05 <> <(:)
		done
		[ -s "$work/nginx.pid" ] && return
	done
	echo "not ok 1 - nginx starts"
	exit 1
}

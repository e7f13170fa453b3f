/* This file knows how to tell systemd what state the service is in. */
#include "config.h"

#include "cmd/notify.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

void
notify_send(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	socklen_t size;
	size_t n;
	int fd;

	if (path == NULL || (path[0] != '/' && path[0] != '@'))
		return;
	n = strlen(path);
	if (n >= sizeof(at.sun_path))
		return;
	memcpy(at.sun_path, path, n);
	if (path[0] == '@')
		at.sun_path[0] = '\0'; /* an abstract name */
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL,
		(const struct sockaddr *)&at, size) < 0)
		log_warning("systemd does not listen: %s", log_errno());
	(void)close(fd);
}

void
notify_reloading(void)
{
	char state[64];

	(void)snprintf(state, sizeof(state),
	    "RELOADING=1\nMONOTONIC_USEC=%" PRId64, clock_mono_ns() / 1000);
	notify_send(state);
}

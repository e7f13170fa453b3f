/* This file knows how to tell which network addresses a request may go to. */
#include "config.h"

#include "port/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

enum reach {
	REACH_PUBLIC,
	REACH_PRIVATE,
	REACH_NEVER
};

struct net4 {
	uint32_t net;
	int bits;
	enum reach reach;
};

/* First match counts, so exceptions stand before the blocks around them. */
static const struct net4 nets4[] = {
	{ 0x00000000, 8, REACH_NEVER },   /* this network: 0.0.0.0 is here */
	{ 0x646464c8, 32, REACH_NEVER },  /* metadata inside 100.64/10 */
	{ 0xa9fe0000, 16, REACH_NEVER },  /* link-local, metadata */
	{ 0xe0000000, 3, REACH_NEVER },   /* multicast, reserved, broadcast */
	{ 0x7f000000, 8, REACH_PRIVATE }, /* loopback */
	{ 0x0a000000, 8, REACH_PRIVATE }, { 0xac100000, 12, REACH_PRIVATE },
	{ 0xc0a80000, 16, REACH_PRIVATE },
	{ 0x64400000, 10, REACH_PRIVATE }, /* carrier-grade NAT */
	{ 0xc0000000, 24, REACH_PRIVATE }, /* protocol assignments */
	{ 0xc6120000, 15, REACH_PRIVATE }, /* benchmarks */
};

static enum reach reach4(uint32_t address);
static enum reach reach6(const unsigned char a[16]);
static uint32_t word(const unsigned char *p);

bool
http_address_allowed(const struct sockaddr *sa, bool private_network)
{
	enum reach r = REACH_NEVER;

	if (sa->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, sa, sizeof(in));
		r = reach4(ntohl(in.sin_addr.s_addr));
	} else if (sa->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, sa, sizeof(in6));
		r = reach6(in6.sin6_addr.s6_addr);
	}
	return r == REACH_PUBLIC || (r == REACH_PRIVATE && private_network);
}

bool
http_address_parse(const char *text, struct sockaddr_storage *out)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };

	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
		memcpy(out, &in, sizeof(in));
	else if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1)
		memcpy(out, &in6, sizeof(in6));
	else
		return false;
	return true;
}

static enum reach
reach4(uint32_t address)
{
	for (size_t i = 0; i < sizeof(nets4) / sizeof(nets4[0]); i++) {
		uint32_t mask = UINT32_MAX << (32 - nets4[i].bits);

		if ((address & mask) == nets4[i].net)
			return nets4[i].reach;
	}
	return REACH_PUBLIC;
}

static enum reach
reach6(const unsigned char a[16])
{
	static const unsigned char zero[16];
	static const unsigned char nat64[12] = { 0x00, 0x64, 0xff, 0x9b };
	static const unsigned char metadata[16] = { 0xfd, 0x00, 0x0e, 0xc2, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54 };

	if (memcmp(a, zero, 15) == 0 && a[15] == 1)
		return REACH_PRIVATE;
	/* ::ffff:a.b.c.d and the old ::a.b.c.d, with :: itself in it. */
	if (memcmp(a, zero, 10) == 0 &&
	    ((a[10] == 0xff && a[11] == 0xff) || (a[10] == 0 && a[11] == 0)))
		return reach4(word(a + 12));
	if (memcmp(a, nat64, sizeof(nat64)) == 0)
		return reach4(word(a + 12));
	if (a[0] == 0x20 && a[1] == 0x02) /* 6to4 */
		return reach4(word(a + 2));
	if (memcmp(a, metadata, sizeof(metadata)) == 0)
		return REACH_NEVER;
	if (a[0] == 0xff || (a[0] == 0xfe && (a[1] & 0xc0) == 0x80))
		return REACH_NEVER; /* multicast, link-local */
	if ((a[0] & 0xfe) == 0xfc || (a[0] == 0xfe && (a[1] & 0xc0) == 0xc0))
		return REACH_PRIVATE; /* unique local, old site-local */
	return REACH_PUBLIC;
}

static uint32_t
word(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

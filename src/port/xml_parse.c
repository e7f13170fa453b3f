/*
 * This file knows how to let libxml2 read a file of ours, bounded and
 * offline, and how to tell its author what is not well-formed.
 */
#include "config.h"

#include "port/xml_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>

#include "base/buf.h"
#include "base/log.h"

#define PAGE_DEPTH_MAX 200 /* of finished pages, which libxml2 ends at 256 */
#define ATTRS_MAX 64

/* One parse: hangs off the parser context. */
struct job {
	struct problems *ps;
	const char *path;
	size_t depth, deepest;
	bool html;   /* <!DOCTYPE html> is welcome */
	bool failed; /* the first fault is reported; the rest would be echoes */
};

static enum err file_read(
    const char *path, size_t max, struct problems *ps, struct buf *out);
static enum err bytes_check(
    struct str bytes, const char *path, struct problems *ps);
static enum err doc_parse(struct str bytes, struct job job, xmlDoc **out);

enum err
xml_doc_load(
    const char *path, size_t max, bool html, struct problems *ps, xmlDoc **out)
{
	struct job job = {
		.ps = ps, .path = path, .html = html, .deepest = XML_DEPTH_MAX
	};
	struct buf bytes;
	enum err e;

	buf_init(&bytes, max + 1);
	e = file_read(path, max, ps, &bytes);
	if (e == ERR_OK)
		e = bytes_check(buf_as_str(&bytes), path, ps);
	if (e == ERR_OK)
		e = doc_parse(buf_as_str(&bytes), job, out);
	buf_release(&bytes);
	return e;
}

enum err
xml_well_formed(struct str bytes, int *line)
{
	struct problems none;
	struct job job = {
		.ps = &none, .path = "", .html = true, .deepest = PAGE_DEPTH_MAX
	};
	struct pool *pool = pool_open(64 * 1024);
	xmlDoc *doc = NULL;
	enum err e;

	if (pool == NULL)
		return ERR_NOMEM;
	problems_init(&none, pool);
	e = bytes_check(bytes, "", &none);
	if (e == ERR_OK)
		e = doc_parse(bytes, job, &doc);
	if (e != ERR_OK && line != NULL)
		*line = none.first == NULL ? 0 : none.first->line;
	xmlFreeDoc(doc);
	pool_close(pool);
	return e;
}

/* --- reading bytes ------------------------------------------------------ */

static void
say_errno(struct problems *ps, const char *path, int number)
{
	switch (number) {
	case ENOENT:
	case ENOTDIR:
		problems_add(ps, path, 0, "there is no such file");
		break;
	case EACCES:
	case EPERM:
		problems_add(ps, path, 0,
		    "this user may not read the file; look at the owner and "
		    "permissions of it and of its folders");
		break;
	default:
		errno = number;
		problems_add(
		    ps, path, 0, "the file cannot be read (%s)", log_errno());
	}
}

static enum err
file_read(const char *path, size_t max, struct problems *ps, struct buf *out)
{
	char piece[16384];
	struct stat st;
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0) {
		say_errno(ps, path, errno);
		return ERR_SYNTAX;
	}
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		problems_add(ps, path, 0, "this is not a regular file");
		goto fail;
	}
	if ((uintmax_t)st.st_size > max)
		goto too_big;
	while ((got = read(fd, piece, sizeof(piece))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			say_errno(ps, path, errno);
			goto fail;
		}
		buf_add(out, piece, (size_t)got);
		if (out->failed)
			goto too_big;
	}
	close(fd);
	return ERR_OK;
too_big:
	problems_add(ps, path, 0,
	    "the file is too long: at most %zu bytes are read", max);
fail:
	close(fd);
	return ERR_SYNTAX;
}

/* Length of the well-formed UTF-8 character at p, or 0. */
static size_t
utf8_length(const unsigned char *p, size_t n)
{
	size_t need = p[0] < 0x80   ? 1
		      : p[0] < 0xc2 ? 0
		      : p[0] < 0xe0 ? 2
		      : p[0] < 0xf0 ? 3
		      : p[0] < 0xf5 ? 4
				    : 0;

	if (need == 0 || need > n)
		return 0;
	for (size_t i = 1; i < need; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return need;
}

/*
 * Whether the XML declaration names UTF-8 or nothing; else `other` is what it
 * names, cut to its size.  libxml2 would convert, and trip over what follows.
 */
static bool
encoding_is_ours(struct str bytes, char *other, size_t size)
{
	struct str rest = bytes, name;
	const char *at;
	size_t n;

	if (str_starts(rest, "\xef\xbb\xbf"))
		rest = (struct str){ rest.p + 3, rest.n - 3 };
	if (!str_starts(rest, "<?xml"))
		return true;
	rest = str_cut(&rest, '>');
	at = memmem(rest.p, rest.n, "encoding", 8);
	if (at == NULL)
		return true;
	rest = (struct str){ at + 8, rest.n - (size_t)(at + 8 - rest.p) };
	(void)str_cut(&rest, '=');
	rest = str_trim(rest);
	if (rest.n == 0 || (*rest.p != '"' && *rest.p != '\''))
		return true; /* no encoding: the parser says what is wrong */
	name = (struct str){ rest.p + 1, rest.n - 1 };
	name = str_cut(&name, *rest.p);
	n = name.n < size - 1 ? name.n : size - 1;
	memcpy(other, name.p, n);
	other[n] = '\0';
	return strcasecmp(other, "UTF-8") == 0;
}

/* libxml2 would guess encodings; we take UTF-8 and say where it is not. */
static enum err
bytes_check(struct str bytes, const char *path, struct problems *ps)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	char enc[41];
	int line = 1;

	if (bytes.n == 0) {
		problems_add(ps, path, 0, "the file is empty");
		return ERR_SYNTAX;
	}
	if (bytes.n >= 2 &&
	    ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff) ||
		p[0] == 0 || p[1] == 0)) {
		problems_add(ps, path, 1,
		    "the file is written in UTF-16; save it as UTF-8");
		return ERR_SYNTAX;
	}
	for (size_t i = 0, k; i < bytes.n; i += k) {
		k = utf8_length(p + i, bytes.n - i);
		if (k == 0) {
			problems_add(ps, path, line,
			    "this line holds a byte (0x%02X) that is not "
			    "UTF-8; save the file as UTF-8",
			    p[i]);
			return ERR_SYNTAX;
		}
		if (p[i] < 0x20 && p[i] != '\t' && p[i] != '\n' &&
		    p[i] != '\r') {
			problems_add(ps, path, line,
			    "this line holds the control character U+%04X; "
			    "remove it",
			    p[i]);
			return ERR_SYNTAX;
		}
		line += p[i] == '\n';
	}
	if (!encoding_is_ours(bytes, enc, sizeof(enc))) {
		problems_add(ps, path, 1,
		    "the first line says encoding=\"%s\"; only UTF-8 is read",
		    enc);
		return ERR_SYNTAX;
	}
	return ERR_OK;
}

/* --- parsing ------------------------------------------------------------ */

static struct job *
job_of(void *ctx)
{
	return ((xmlParserCtxt *)ctx)->_private;
}

/* Report the first fault and end the parse. */
static void PA_PRINTF(3, 4)
    job_fail(xmlParserCtxt *ctxt, int line, const char *fmt, ...)
{
	struct job *job = job_of(ctxt);
	char what[512];
	va_list ap;

	if (!job->failed) {
		va_start(ap, fmt);
		vsnprintf(what, sizeof(what), fmt, ap);
		va_end(ap);
		problems_add(job->ps, job->path, line, "%s", what);
	}
	job->failed = true;
	xmlStopParser(ctxt);
}

static void
say_tags(xmlParserCtxt *ctxt, const xmlError *err)
{
	const char *one = err->str1 == NULL ? "" : err->str1;
	const char *two = err->str2 == NULL ? "" : err->str2;

	if (err->code == XML_ERR_TAG_NAME_MISMATCH)
		job_fail(ctxt, err->line,
		    "<%s> of line %d is closed by </%s>; write </%s>", one,
		    err->int1, two, one);
	else
		job_fail(ctxt, err->line,
		    "the file ends inside <%s> of line %d; </%s> is missing",
		    one, err->int1, one);
}

/* Faults that one sentence covers; %s is the name libxml2 gives. */
static const struct {
	int code;
	const char *what;
} plain[] = {
	{ XML_ERR_DOCUMENT_EMPTY, "the file does not begin with an element" },
	{ XML_ERR_DOCUMENT_END,
	    "something stands after the end of the outermost element" },
	{ XML_ERR_LT_IN_ATTRIBUTE,
	    "the value of an attribute holds a \"<\"; write &lt;" },
	{ XML_ERR_ATTRIBUTE_NOT_STARTED,
	    "the value of an attribute must stand in quotation marks" },
	{ XML_ERR_ATTRIBUTE_NOT_FINISHED,
	    "the quotation mark that ends an attribute is missing" },
	{ XML_ERR_ATTRIBUTE_WITHOUT_VALUE,
	    "the attribute \"%s\" has no value; write %s=\"...\"" },
	{ XML_ERR_ATTRIBUTE_REDEFINED, "the attribute \"%s\" is given twice" },
	{ XML_NS_ERR_ATTRIBUTE_REDEFINED,
	    "the attribute \"%s\" is given twice" },
	{ XML_ERR_NAME_REQUIRED, "a bare \"&\" or \"<\"; write &amp; or &lt;" },
	{ XML_ERR_ENTITYREF_SEMICOL_MISSING, "a bare \"&\"; write &amp;" },
	{ XML_ERR_UNDECLARED_ENTITY,
	    "there is no &%s; here; write the character itself" },
	{ XML_WAR_UNDECLARED_ENTITY,
	    "there is no &%s; here; write the character itself" },
	{ XML_ERR_GT_REQUIRED, "the \">\" that ends a tag is missing" },
	{ XML_ERR_LTSLASH_REQUIRED, "an end tag is missing" },
	{ XML_ERR_SPACE_REQUIRED, "a blank is missing between attributes" },
	{ XML_ERR_EQUAL_REQUIRED, "an \"=\" is missing" },
	{ XML_ERR_COMMENT_NOT_FINISHED, "the comment is not ended by \"-->\"" },
	{ XML_ERR_HYPHEN_IN_COMMENT, "a comment must not hold \"--\"" },
	{ XML_ERR_CDATA_NOT_FINISHED,
	    "the CDATA section is not ended by \"]]>\"" },
	{ XML_ERR_MISPLACED_CDATA_END, "\"]]>\" in a text; write ]]&gt;" },
	{ XML_ERR_INVALID_CHAR,
	    "this line holds a character that XML does not allow" },
	{ XML_ERR_INVALID_CHARREF,
	    "&#...; names a character that XML does not allow" },
	{ XML_ERR_RESERVED_XML_NAME,
	    "\"<?xml\" must be the very first characters of the file" },
	{ XML_NS_ERR_UNDEFINED_NAMESPACE,
	    "the prefix \"%s:\" is not declared; write xmlns:%s=\"...\" in the "
	    "outermost element" },
};

/* The sentence for a code, its %s replaced by name. */
static void
say_plain(xmlParserCtxt *ctxt, int line, const char *what, const char *name)
{
	struct buf b;

	buf_init(&b, 512);
	for (; *what != '\0'; what++) {
		if (what[0] == '%' && what[1] == 's') {
			buf_z(&b, name);
			what++;
		} else {
			buf_c(&b, *what);
		}
	}
	buf_c(&b, '\0');
	job_fail(ctxt, line, "%s", b.failed ? "not well-formed" : b.p);
	buf_release(&b);
}

static void
on_error(void *data, xmlErrorPtr err)
{
	xmlParserCtxt *ctxt = data;
	const char *name = err->str1 == NULL ? "" : err->str1;
	char rest[200];

	if (err->level == XML_ERR_WARNING || job_of(ctxt)->failed)
		return;
	if (err->code == XML_ERR_TAG_NAME_MISMATCH ||
	    err->code == XML_ERR_TAG_NOT_FINISHED) {
		say_tags(ctxt, err);
		return;
	}
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (plain[i].code == err->code) {
			say_plain(ctxt, err->line, plain[i].what, name);
			return;
		}
	}
	snprintf(
	    rest, sizeof(rest), "%s", err->message == NULL ? "" : err->message);
	rest[strcspn(rest, "\n")] = '\0';
	job_fail(ctxt, err->line, "this is not well-formed XML: %s", rest);
}

static void
on_doctype(void *ctx, const xmlChar *name, const xmlChar *public_id,
    const xmlChar *system_id)
{
	xmlParserCtxt *ctxt = ctx;

	if (!job_of(ctx)->html)
		job_fail(ctxt, ctxt->input->line,
		    "<!DOCTYPE> is not allowed here; remove it");
	else if (strcmp((const char *)name, "html") != 0 || public_id != NULL ||
		 system_id != NULL || *ctxt->input->cur == '[')
		job_fail(ctxt, ctxt->input->line,
		    "only <!DOCTYPE html> is allowed here");
	else
		xmlSAX2InternalSubset(ctx, name, public_id, system_id);
}

/*
 * libxml2 notes the line where a start tag ends; people look for where it
 * begins.  A start tag holds no other "<", so going back finds it.
 */
static int
tag_line(const xmlParserCtxt *ctxt)
{
	const xmlChar *p = ctxt->input->cur;
	int line = ctxt->input->line;

	while (p > ctxt->input->base && *p != '<')
		line -= *--p == '\n';
	return line;
}

static void
on_start(void *ctx, const xmlChar *name, const xmlChar *prefix,
    const xmlChar *uri, int ns_n, const xmlChar **ns, int attrs_n,
    int defaulted_n, const xmlChar **attrs)
{
	xmlParserCtxt *ctxt = ctx;
	int line = tag_line(ctxt);

	if (++job_of(ctx)->depth > job_of(ctx)->deepest)
		job_fail(ctxt, line, "elements are nested more than %zu deep",
		    job_of(ctx)->deepest);
	else if (ns_n + attrs_n > ATTRS_MAX)
		job_fail(ctxt, line, "<%s> has more than %d attributes",
		    (const char *)name, ATTRS_MAX);
	if (job_of(ctx)->failed)
		return;
	xmlSAX2StartElementNs(
	    ctx, name, prefix, uri, ns_n, ns, attrs_n, defaulted_n, attrs);
	if (ctxt->node != NULL && line < 65535)
		ctxt->node->line = (unsigned short)line;
}

static void
on_end(
    void *ctx, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	job_of(ctx)->depth--;
	xmlSAX2EndElementNs(ctx, name, prefix, uri);
}

static enum err
doc_parse(struct str bytes, struct job job, xmlDoc **out)
{
	xmlParserCtxt *ctxt;
	xmlDoc *doc;

	if (bytes.n > 64 * 1024 * 1024)
		return ERR_TOOBIG;
	ctxt = xmlCreateMemoryParserCtxt(bytes.p, (int)bytes.n);
	if (ctxt == NULL)
		return ERR_NOMEM;
	xmlCtxtUseOptions(
	    ctxt, XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_IGNORE_ENC);
	ctxt->_private = &job;
	ctxt->sax->serror = on_error;
	ctxt->sax->internalSubset = on_doctype;
	ctxt->sax->externalSubset = NULL;
	ctxt->sax->startElementNs = on_start;
	ctxt->sax->endElementNs = on_end;
	xmlParseDocument(ctxt);
	doc = ctxt->myDoc;
	ctxt->myDoc = NULL;
	if (!job.failed && !(ctxt->wellFormed && ctxt->nsWellFormed))
		job_fail(ctxt, 0, "this is not well-formed XML");
	xmlFreeParserCtxt(ctxt);
	if (job.failed || doc == NULL) {
		xmlFreeDoc(doc);
		return job.failed ? ERR_SYNTAX : ERR_NOMEM;
	}
	*out = doc;
	return ERR_OK;
}

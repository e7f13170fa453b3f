/*
 * This file knows how to spoil a good configuration in one place at a time,
 * and tests that each fault is named by file, line and helpful words.
 */
#include "config.h"

#include <errno.h>
#include <time.h>

#include "tests/tap.h"

#include "tests/conf/good.h"

/*
 * In `file`, the first `old` becomes `new` (NULL: the whole file does).  One
 * fault is then expected, in the line where `old` begins plus `below`, in
 * that same file unless `in` names another; its sentence holds `says`, and
 * `says2` when there is one.
 */
struct fault {
	const char *about;
	const char *file, *old, *new;
	const char *says, *says2;
	int below;
	const char *in;
};

#define ARENA "arena.xml"
#define PROMPTS "prompts.xml"
#define QUESTIONS "questions.xml"
#define ANSWERS "answers.xml"
#define ACTIVITIES "activities.xml"
#define WHOLE NULL

static const struct fault faults[] = {
	/* --- arena.xml: what the schema sees --- */
	{ "unknown element", ARENA, "<lang>en</lang>", "<lagn>en</lagn>",
	    "<lagn> cannot stand in <site>", "did you mean <lang>?", 0, NULL },
	{ "element in the wrong place", ARENA, "<lang>en</lang>",
	    "<elo k=\"3\"/>", "<elo> cannot stand in <site>", NULL, 0, NULL },
	{ "element twice", ARENA, "<lang>en</lang>",
	    "<lang>en</lang>\n<lang>fa</lang>", "<lang>", NULL, 1, NULL },
	{ "unknown attribute", ARENA, "workers=", "wokers=", "\"wokers\"",
	    "did you mean \"workers\"?", -1, NULL },
	{ "number expected", ARENA, "k=\"24\"", "k=\"many\"",
	    "the attribute \"k\" of <elo> is \"many\"",
	    "a number from 1 to 200", 0, NULL },
	{ "number out of range", ARENA, "k=\"24\"", "k=\"201\"", "\"201\"",
	    "a number from 1 to 200", 0, NULL },
	{ "negative number", ARENA, "minimum=\"20\"", "minimum=\"-1\"",
	    "\"-1\"", "a whole number from 1 to 100000", 0, NULL },
	{ "fraction where a whole number is due", ARENA, "views=\"2\"",
	    "views=\"2.5\"", "\"2.5\"", "whole number", 0, NULL },
	{ "a number beyond every integer", ARENA, "views=\"2\"",
	    "views=\"99999999999999999999999\"", "a whole number from 1", NULL,
	    0, NULL },
	{ "number that only mathematicians write", ARENA, "k=\"24\"",
	    "k=\"24.\"", "\"24.\"", "plain number", 0, NULL },
	{ "empty attribute", ARENA, "k=\"24\"", "k=\"\"", "\"k\" of <elo>",
	    "a number from 1 to 200", 0, NULL },
	{ "policy unknown", ARENA, "policy=\"random\"", "policy=\"rndom\"",
	    "\"rndom\"", "did you mean \"random\"?", 0, NULL },
	{ "role unknown", ARENA, "role=\"teacher\"", "role=\"teachers\"",
	    "\"teachers\"", "did you mean \"teacher\"?", 0, NULL },
	{ "page unknown", ARENA, "name=\"metrics\"", "name=\"metric\"",
	    "\"metric\"", "did you mean \"metrics\"?", 0, NULL },
	{ "who unknown", ARENA, "who=\"anyone\"", "who=\"everyone\"",
	    "\"everyone\"", "\"anyone\"", 0, NULL },
	{ "neither yes nor no", ARENA, "guests=\"no\"", "guests=\"false\"",
	    "\"false\"", "\"yes\" or \"no\"", 0, NULL },
	{ "mode that is no mode", ARENA, "0640", "0690", "\"0690\"",
	    "four octal digits", 0, NULL },
	{ "contact that is neither mail nor web", ARENA, "arena@example.edu",
	    "room 12", "<contact>", "a mail address", 0, NULL },
	{ "origin with a path", ARENA, "https://arena.example.edu",
	    "https://arena.example.edu/arena", "<origin>", "without a path", 0,
	    NULL },
	{ "id with capitals", ARENA, "id=\"course\"", "id=\"Course\"",
	    "\"Course\"", "small letters", 0, NULL },
	{ "required attribute missing", ARENA, " model=\"tiny\"", "",
	    "\"model\"", "<setup>", 0, NULL },
	{ "required element missing", ARENA,
	    "<contact>arena@example.edu"
	    "</contact>\n",
	    "", "<site> lacks <contact>", NULL, -3, NULL },
	{ "name of white space only", ARENA, "Test Arena", "  ", "<name>",
	    "one visible line", 0, NULL },
	{ "name that nobody sees", ARENA, "Test Arena",
	    "\xe2\x80\x8f\xe2\x81\xa0", "<name>", "visible", 0, NULL },
	{ "text where none belongs", ARENA, "<roles>", "<roles>teachers",
	    "<roles>", NULL, 0, NULL },
	{ "wrong root", ARENA, WHOLE,
	    "<arenas xmlns=\"urn:prompt-arena:config:1\"/>", "<arenas>",
	    "<arena>", 1, NULL },
	{ "wrong namespace", ARENA, "urn:prompt-arena:config:1",
	    "urn:prompt-arena:config:2", "urn:prompt-arena:config:1", NULL, 0,
	    NULL },
	{ "no namespace", ARENA, " xmlns=\"urn:prompt-arena:config:1\"", "",
	    "urn:prompt-arena:config:1", NULL, 0, NULL },
	{ "the catalog in place of the configuration", ARENA, WHOLE,
	    "<prompts xmlns=\"urn:prompt-arena:catalog:1\"/>", "<prompts>",
	    "<arena>", 1, NULL },

	/* --- arena.xml: not even XML --- */
	{ "empty file", ARENA, WHOLE, "", "the file is empty", NULL, 0, NULL },
	{ "not XML at all", ARENA, WHOLE, "name = Test Arena\nk = 24\n",
	    "does not begin with an element", NULL, 1, NULL },
	{ "JSON", ARENA, WHOLE, "{ \"arena\": {} }",
	    "does not begin with an element", NULL, 1, NULL },
	{ "element not closed", ARENA, "</site>", "", "<site> of line 4",
	    "write </site>", 31, NULL },
	{ "attribute without quotation marks", ARENA, "k=\"24\"", "k=24",
	    "quotation marks", NULL, 0, NULL },
	{ "attribute twice", ARENA, "k=\"24\"", "k=\"24\" k=\"25\"", "\"k\"",
	    "twice", 0, NULL },
	{ "bare ampersand", ARENA, "University of Tests", "Arts & Sciences",
	    "&amp;", NULL, 0, NULL },
	{ "HTML entity", ARENA, "University of Tests", "A&nbsp;B", "&nbsp;",
	    "the character itself", 0, NULL },
	{ "DOCTYPE", ARENA, "<arena xmlns", "<!DOCTYPE arena>\n<arena xmlns",
	    "<!DOCTYPE>", "remove it", 0, NULL },
	{ "external entity", ARENA, "<arena xmlns",
	    "<!DOCTYPE arena [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
	    "\n<arena xmlns",
	    "<!DOCTYPE>", "remove it", 0, NULL },
	{ "external subset", ARENA, "<arena xmlns",
	    "<!DOCTYPE arena SYSTEM \"http://127.0.0.1:9/x.dtd\">"
	    "\n<arena xmlns",
	    "<!DOCTYPE>", "remove it", 0, NULL },
	{ "billion laughs", ARENA, "<arena xmlns",
	    "<!DOCTYPE arena [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">"
	    "<!ENTITY c \"&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;\">]>"
	    "\n<arena xmlns",
	    "<!DOCTYPE>", "remove it", 0, NULL },
	{ "XInclude", ARENA, "<lang>en</lang>",
	    "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" "
	    "href=\"/etc/passwd\"/>",
	    "<include> cannot stand in <site>", NULL, 0, NULL },
	{ "bad UTF-8", ARENA, "University of Tests", "Universit\xe9", "UTF-8",
	    "0xE9", 0, NULL },
	{ "another encoding", ARENA, "UTF-8", "ISO-8859-1", "ISO-8859-1",
	    "only UTF-8", 0, NULL },
	{ "UTF-16 in name alone", ARENA, "UTF-8", "UTF-16", "UTF-16",
	    "only UTF-8 is read", 0, NULL },
	{ "control character", ARENA, "University of Tests", "Uni\x07versity",
	    "U+0007", "remove it", 0, NULL },

	/* --- arena.xml: what only C sees --- */
	{ "time zone misspelt", ARENA, "Asia/Taipei", "Asia/Taipeh",
	    "no time zone \"Asia/Taipeh\"", "\"Asia/Taipei\"", 0, NULL },
	{ "time zone that leads out", ARENA, "Asia/Taipei", "../../etc/passwd",
	    "<timezone>", "the name of a time zone", 0, NULL },
	{ "statement missing", ARENA, "privacy.xhtml", "privacy.html",
	    "the attribute \"file\" of <privacy>", "does not exist", 0, NULL },
	{ "statement not well-formed", "privacy.xhtml", "</p>", "<br></p>",
	    "<br>", "</br>", 0, NULL },
	{ "templates missing", ARENA, "<roles>",
	    "<templates folder=\"nowhere\"/><roles>",
	    "the attribute \"folder\" of <templates>", "does not exist", 0,
	    NULL },
	{ "templates that are a file", ARENA, "<roles>",
	    "<templates folder=\"arena.xml\"/><roles>",
	    "the attribute \"folder\" of <templates>", "is not a folder", 0,
	    NULL },
	{ "socket path too long", ARENA, "\"fcgi.sock\"",
	    "\"/run/prompt-arena/a-very-long-folder-name/another-very-long-"
	    "folder-name/and-one-more-very-long-folder-name/fcgi.sock\"",
	    "the attribute \"socket\" of <listen>", "at most 107", 0, NULL },
	{ "socket as nginx writes it", ARENA, "\"fcgi.sock\"",
	    "\"unix:/run/prompt-arena/fcgi.sock\"",
	    "\"socket\" of <listen> is \"unix:/run/", "such as fcgi.sock", 0,
	    NULL },
	{ "socket as a host and a port", ARENA, "\"fcgi.sock\"",
	    "\"127.0.0.1:9000\"", "never on a network port", "fcgi.sock", 0,
	    NULL },
	{ "socket as a port", ARENA, "\"control.sock\"", "\"9000\"",
	    "\"control\" of <listen> is \"9000\"", "such as control.sock", 0,
	    NULL },
	{ "socket without a file", ARENA, "\"fcgi.sock\"", "\"@arena\"",
	    "\"socket\" of <listen> is \"@arena\"", "unix socket", 0, NULL },
	{ "one path for both sockets", ARENA, "\"control.sock\"",
	    "\"fcgi.sock\"", "\"socket\" and \"control\"", "same path", 0,
	    NULL },
	{ "a socket for everybody", ARENA, "0640", "0777",
	    "\"socket-mode\" of <listen> is 0777", "write 0660", 0, NULL },
	{ "group unknown", ARENA, "socket-mode=",
	    "socket-group=\"no-such-group\" socket-mode=", "\"no-such-group\"",
	    "no such group", 0, NULL },
	{ "identity from a browser's header", ARENA, "\"PA_USER\"",
	    "\"HTTP_X_USER\"", "HTTP_X_USER", "write PA_USER", 0, NULL },
	{ "identity from REMOTE_USER", ARENA, "\"PA_USER\"", "\"REMOTE_USER\"",
	    "REMOTE_USER", "write PA_USER", 0, NULL },
	{ "identity from what a visitor asks for", ARENA, "\"PA_USER\"",
	    "\"QUERY_STRING\"", "QUERY_STRING", "write PA_USER", 0, NULL },
	{ "identity from an address", ARENA, "\"PA_USER\"", "\"REMOTE_ADDR\"",
	    "REMOTE_ADDR", "write PA_USER", 0, NULL },
	{ "posts a minute beyond all reason", ARENA, "<limits",
	    "<forum posts-per-minute=\"1001\"/>\n<limits", "\"1001\"",
	    "a whole number from 0 to 1000", 0, NULL },
	{ "posts that must be too short", ARENA, "<limits",
	    "<forum post-chars=\"10\"/>\n<limits", "\"10\"",
	    "a whole number from 200 to 20000", 0, NULL },
	{ "hooks without a secret", ARENA, "<limits",
	    "<hooks per-minute=\"5\"/>\n<limits", "secret-file", "<hooks>", 0,
	    NULL },
	{ "hooks whose secret is missing", ARENA, "<limits",
	    "<hooks secret-file=\"hook\"/>\n<limits",
	    "the attribute \"secret-file\" of <hooks>", "head -c 32", 0, NULL },
	{ "hooks with the web server's secret", ARENA, "<limits",
	    "<hooks secret-file=\"secret\"/>\n<limits",
	    "could sign in as anybody", "another one", 0, NULL },
	{ "secret missing", ARENA, "secret-file=\"secret\"",
	    "secret-file=\"sekret\"",
	    "the attribute \"secret-file\" of <identity>", "head -c 32", 0,
	    NULL },
	{ "grant for nobody", ARENA, " group=\"staff\"", "", "<grant>",
	    "either a user or a group", 0, NULL },
	{ "grant for a user and a group", ARENA, "user=\"ada\"",
	    "user=\"ada\" group=\"staff\"", "<grant>",
	    "either a user or a group", 0, NULL },
	{ "grant twice", ARENA, "<grant role=\"admin\" user=\"ada\"/>",
	    "<grant role=\"teacher\" group=\"staff\"/>", "<grant>",
	    "remove one of them", 0, NULL },
	{ "two rules for a page", ARENA, "name=\"metrics\"",
	    "name=\"leaderboard\"", "\"leaderboard\"", "remove one of them", 0,
	    NULL },
	{ "setup id twice", ARENA, "id=\"course\"", "id=\"sample\"",
	    "the setup id \"sample\"", "used twice", 0, NULL },
	{ "two setups that are one", ARENA,
	    "<setup id=\"sample\" "
	    "model=\"sample answers\"/>",
	    "<setup id=\"sample\" model=\"tiny\">"
	    "<parameter name=\"max_tokens\" value=\"1024\"/>"
	    "<parameter name=\"temperature\" value=\"0.7\"/></setup>",
	    "\"sample\" and \"course\"", "they are one", 1, NULL },
	{ "parameter twice", ARENA, "name=\"max_tokens\"",
	    "name=\"temperature\"", "the parameter \"temperature\"", "twice", 0,
	    NULL },
	{ "parameter that is the program's", ARENA, "name=\"max_tokens\"",
	    "name=\"model\"", "the parameter \"model\"", "model=\"...\"", 0,
	    NULL },
	{ "own questions that nobody could answer", ARENA,
	    " endpoint=\"campus\"", "", "<own-questions>", "endpoint", -7,
	    NULL },
	{ "endpoint that does not stand in the list", ARENA,
	    "endpoint=\"campus\"", "endpoint=\"capmus\"",
	    "no endpoint has the id \"capmus\"", "did you mean \"campus\"?", 0,
	    NULL },
	{ "endpoint that is an address", ARENA, "endpoint=\"campus\"",
	    "endpoint=\"http://x/v1\"", "\"endpoint\" of <setup>", "an id", 0,
	    NULL },
	{ "endpoint id twice", ARENA, "  </endpoints>",
	    "<endpoint id=\"campus\" url=\"http://x/\"/></endpoints>",
	    "the endpoint id \"campus\" is used twice", NULL, 0, NULL },
	{ "endpoint without an address", ARENA,
	    "url=\"https://llm.example.edu/v1\" ", "", "\"url\"", "<endpoint>",
	    0, NULL },
	{ "endpoint on this machine", ARENA, "https://llm.example.edu/v1",
	    "http://127.0.0.1:11434/v1", "leads to 127.0.0.1, on this machine",
	    "add private-network=\"yes\"", 0, NULL },
	{ "endpoint on this machine by name", ARENA,
	    "https://llm.example.edu/v1", "http://Localhost:11434/v1",
	    "leads to Localhost, on this", "private-network=\"yes\"", 0, NULL },
	{ "endpoint at a private address", ARENA, "https://llm.example.edu/v1",
	    "http://[fd00::7]:8000/v1", "leads to fd00::7",
	    "private-network=\"yes\"", 0, NULL },
	{ "endpoint at the metadata address", ARENA,
	    "https://llm.example.edu/v1", "http://169.254.169.254/v1",
	    "an address that is never asked", "169.254.169.254", 0, NULL },
	{ "endpoint address with a key in it", ARENA,
	    "https://llm.example.edu/v1", "https://me:key@llm.example.edu/v1",
	    "cannot be used", "key-file", 0, NULL },
	{ "endpoint address with a port that is none", ARENA,
	    "https://llm.example.edu/v1", "https://llm.example.edu:99999/v1",
	    "the port", "65535", 0, NULL },
	{ "endpoint address of a file", ARENA, "https://llm.example.edu/v1",
	    "file:///etc/passwd", "\"url\" of <endpoint>", "https://", 0,
	    NULL },
	{ "endpoint key file missing", ARENA, "first-byte=\"2.5\"",
	    "key-file=\"no.key\"", "no.key", "does not exist", 0, NULL },
	{ "endpoint key file that others can read", ARENA, "first-byte=\"2.5\"",
	    "key-file=\"prompts.xml\"", "prompts.xml", "chmod 600", 0, NULL },
	{ "endpoint authority missing", ARENA, "first-byte=\"2.5\"",
	    "ca-file=\"no.pem\"", "no.pem", "cannot be read", 0, NULL },
	{ "endpoint header that is none", ARENA, "first-byte=\"2.5\"",
	    "header=\"X: y\"", "\"header\" of <endpoint>",
	    "the name of a header", 0, NULL },
	{ "endpoint that waits no moment", ARENA, "first-byte=\"2.5\"",
	    "first-byte=\"0\"", "\"first-byte\"", "0.1 to 3600", 0, NULL },
	{ "endpoint whose end comes before its beginning", ARENA,
	    "first-byte=\"2.5\"", "first-byte=\"200\"", "total", "first-byte",
	    0, NULL },
	{ "endpoint with half a price", ARENA, " price-out=\"1.5\"", "",
	    "price-in without price-out", NULL, -1, NULL },
	{ "endpoint with a budget and no price", ARENA,
	    " price-in=\"0.5\" price-out=\"1.5\"", "", "budget-day",
	    "price-call", -1, NULL },
	{ "endpoint with an unknown role", ARENA, "system-as=\"developer\"",
	    "system-as=\"dev\"", "\"system-as\"", "developer", -1, NULL },
	{ "catalog file missing", ARENA, "\"questions.xml\"",
	    "\"question.xml\"", "the attribute \"questions\" of <catalog>",
	    "does not exist", 0, NULL },
	{ "catalog file that is a folder", ARENA, "\"questions.xml\"",
	    "\"texts\"", "the attribute \"questions\" of <catalog>",
	    "is not a file", 0, NULL },

	/* --- prompts.xml --- */
	{ "tag that does not exist", PROMPTS, "<tag>concise</tag>",
	    "<tag>consise</tag>", "\"consise\"", "did you mean \"concise\"?", 0,
	    NULL },
	{ "tag twice", PROMPTS, "beginner_friendly", "concise",
	    "the tag \"concise\"", "twice", 0, NULL },
	{ "prompt id twice", PROMPTS, "id=\"old\"", "id=\"short\"",
	    "the prompt id \"short\"", "line 3", 0, NULL },
	{ "title that nobody sees", PROMPTS, "Short answers", "\xe2\x80\x8b",
	    "<title>", "visible", 0, NULL },
	{ "description of blanks that are no ASCII", PROMPTS,
	    "No longer in use.", "\xe3\x80\x80\xc2\xa0", "<description>",
	    "visible", 0, NULL },
	{ "title missing", PROMPTS, "<title>Short answers</title>\n", "",
	    "<title>", NULL, 0, NULL },
	{ "prompt without a version", PROMPTS,
	    "<version>Answer as people did in 1900.</version>", "",
	    "<prompt> lacks <version>", NULL, -3, NULL },
	{ "prompt text empty", PROMPTS, "Answer as people did in 1900.", "",
	    "<version> is empty", "file=", 0, NULL },
	{ "prompt text of white space only", PROMPTS,
	    "Answer as people did in 1900.", " \n\t \xc2\xa0 ",
	    "<version> is empty", "file=", 0, NULL },
	{ "file and text as well", PROMPTS, "<version number=\"2\">",
	    "<version file=\"texts/short-1.txt\">", "<version>",
	    "remove one of them", 0, NULL },
	{ "text file missing", PROMPTS, "texts/short-1.txt",
	    "texts/short-3.txt", "the attribute \"file\" of <version>",
	    "does not exist", 0, NULL },
	{ "text file that is a folder", PROMPTS, "texts/short-1.txt", "texts",
	    "the attribute \"file\" of <version>", "is not a file", 0, NULL },
	{ "text file outside the folder", PROMPTS, "texts/short-1.txt",
	    "texts/../../short-1.txt", "the attribute \"file\" of <version>",
	    "in the folder", 0, NULL },
	{ "text file from the root", PROMPTS, "texts/short-1.txt",
	    "/etc/passwd", "the attribute \"file\" of <version>",
	    "in the folder", 0, NULL },
	{ "text file empty", "texts/short-1.txt", WHOLE, "",
	    "the file is empty", "line 8 of", 0, NULL },
	{ "text file with bad UTF-8", "texts/short-1.txt", "everyday",
	    "\xc3\x28", "UTF-8", "0xC3", 0, NULL },
	{ "text file in UTF-16", "texts/short-1.txt", WHOLE,
	    "\xff\xfe"
	    "A",
	    "UTF-16", "UTF-8", 1, NULL },
	{ "text file with a control character", "texts/short-1.txt", "everyday",
	    "every\x1b"
	    "day",
	    "U+001B", "remove it", 0, NULL },
	{ "text file with a hidden direction", "texts/short-1.txt", "everyday",
	    "every\xe2\x80\xae"
	    "day",
	    "U+202E", "remove it", 0, NULL },
	{ "text file with a pile of marks", "texts/short-1.txt", "everyday",
	    "e\u0300\u0300\u0300\u0300\u0300\u0300\u0300\u0300\u0300veryday",
	    "combining marks", "remove the rest", 0, NULL },
	{ "version number gap", PROMPTS, "number=\"2\"", "number=\"3\"",
	    "its number is 3", "1, 2, 3", 0, NULL },
	{ "two prompts with the same text", PROMPTS,
	    "Answer as people did in 1900.",
	    "Answer in two sentences, then stop.\n", "version 1 of \"old\"",
	    "version 2 of \"short\"", 0, NULL },

	/* --- questions.xml --- */
	{ "questions without a namespace", QUESTIONS,
	    " xmlns=\"urn:prompt-arena:catalog:1\"", "",
	    "write <questions xmlns=\"urn:prompt-arena:catalog:1\">", NULL, 0,
	    NULL },
	{ "type misspelt", QUESTIONS, "type=\"coding\"", "type=\"codding\"",
	    "\"codding\"", "did you mean \"coding\"?", 0, NULL },
	{ "language that is none", QUESTIONS, "lang=\"en\"", "lang=\"English\"",
	    "\"English\"", "a language tag", 0, NULL },
	{ "question id twice", QUESTIONS, "id=\"loop\"", "id=\"sky\"",
	    "the question id \"sky\"", "line 3", 0, NULL },
	{ "question text empty", QUESTIONS, "Write something dull.", "",
	    "<text> is empty", NULL, 0, NULL },
	{ "reference empty", QUESTIONS, "Short waves are scattered more.", " ",
	    "<reference> is empty", NULL, 0, NULL },
	{ "check of an unknown kind", QUESTIONS, "kind=\"contains\"",
	    "kind=\"contain\"", "\"contain\"", "did you mean \"contains\"?", 0,
	    NULL },
	{ "regular expression broken", QUESTIONS, "(sun|day)light",
	    "(sun|daylight", "not a regular expression", "contains", 0, NULL },
	{ "regular expression that grows without bounds", QUESTIONS,
	    "(sun|day)light", "(((a{1,255}){1,255}){1,255}){1,255}",
	    "repeats too much", "{...}", 0, NULL },
	{ "regular expression of many small repetitions", QUESTIONS,
	    "(sun|day)light", "((((((([b}]{9}){9}){9}){9}){9}){9}){9})",
	    "repeats too much", NULL, 0, NULL },
	{ "number check without a number", QUESTIONS, ">4<", ">four<",
	    "\"four\"", "a number", 0, NULL },
	{ "tolerance of a word", QUESTIONS, "kind=\"contains\"",
	    "kind=\"contains\" tolerance=\"1\"", "\"tolerance\"",
	    "kind=\"number\"", 0, NULL },

	/* --- answers.xml --- */
	{ "answers of another namespace", ANSWERS, "catalog:1", "catalog:2",
	    "write <answers xmlns=\"urn:prompt-arena:catalog:1\">", NULL, 0,
	    NULL },
	{ "answer for an unknown prompt", ANSWERS, "prompt=\"long\"",
	    "prompt=\"lnog\"", "the prompt \"lnog\"", "did you mean \"long\"?",
	    0, NULL },
	{ "answer for an unknown version", ANSWERS, "version=\"2\"",
	    "version=\"3\"", "version 3", "only 2", 0, NULL },
	{ "answer to an unknown question", ANSWERS, "question=\"sky\"",
	    "question=\"sky-blue\"", "the question \"sky-blue\"",
	    "questions.xml", 0, NULL },
	{ "answer by an unknown setup", ANSWERS, "setup=\"sample\"",
	    "setup=\"sampel\"", "the setup \"sampel\"", "setup=\"sample\"", 0,
	    NULL },
	{ "answer twice", ANSWERS, "version=\"2\" question",
	    "version=\"1\" question", "already stands in line 3",
	    "another sample number", 0, NULL },
	{ "answer empty", ANSWERS, "Light scatters.", "", "<answer> is empty",
	    NULL, 0, NULL },
	{ "sample 0", ANSWERS, "sample=\"2\"", "sample=\"0\"", "\"sample\"",
	    "whole number from 1", 0, NULL },

	/* --- activities.xml --- */
	{ "activity id twice", ACTIVITIES, "id=\"course\"", "id=\"everyone\"",
	    "the activity id \"everyone\"", "line 3", 0, NULL },
	{ "activity with an unknown prompt", ACTIVITIES,
	    "<prompt id=\"short\"/>", "<prompt id=\"shrot\"/>",
	    "the prompt \"shrot\"", "did you mean \"short\"?", 0, NULL },
	{ "activity with an unknown question", ACTIVITIES,
	    "<question id=\"sky\"/>", "<question id=\"sun\"/>",
	    "the question \"sun\"", "questions.xml", 0, NULL },
	{ "activity that closes before it opens", ACTIVITIES,
	    "opens=\"2026-09-01\"", "opens=\"2027-09-01\"",
	    "closes before it opens", "exchange", 0, NULL },
	{ "day that does not exist", ACTIVITIES, "2026-09-01", "2026-02-30",
	    "\"2026-02-30\"", "no such day", 0, NULL },
	{ "day in another form", ACTIVITIES, "2026-09-01", "1 Sept 2026",
	    "\"1 Sept 2026\"", "a day (such as 2026-09-01)", 0, NULL },
	{ "results of an activity that never closes", ACTIVITIES,
	    " closes=\"2027-01-15T18:00+08:00\"", "", "never closes",
	    "results=\"always\"", 0, NULL },
	{ "results unknown", ACTIVITIES, "results=\"closed\"",
	    "results=\"close\"", "\"close\"", "did you mean \"closed\"?", 0,
	    NULL },
	{ "tutor without an instruction", ACTIVITIES, "<title>Everyone</title>",
	    "<title>Everyone</title><tutor setup=\"course\"/>",
	    "has no instruction", "file=", 0, NULL },
	{ "tutor that waits for a rating", ACTIVITIES,
	    "<title>Everyone</title>",
	    "<title>Everyone</title><tutor setup=\"course\" best=\"any\"/>",
	    "as long as no prompt is official", NULL, 0, NULL },
	{ "tutor with an unknown setup", ACTIVITIES, "<title>Everyone</title>",
	    "<title>Everyone</title><tutor setup=\"curse\">Help.</tutor>",
	    "names the setup \"curse\"", "<setups>", 0, NULL },
	{ "tutor whose setup cannot answer", ACTIVITIES,
	    "<title>Everyone</title>",
	    "<title>Everyone</title><tutor setup=\"sample\">Help.</tutor>",
	    "has no endpoint", "another setup", 0, NULL },
	{ "tutor with an unknown prompt", ACTIVITIES, "<title>Everyone</title>",
	    "<title>Everyone</title>"
	    "<tutor setup=\"course\" prompt=\"shot\"/>",
	    "\"shot\"", "short", 0, NULL },
	{ "tutor of an unknown type", ACTIVITIES, "<title>Everyone</title>",
	    "<title>Everyone</title>"
	    "<tutor setup=\"course\" best=\"codng\">Help.</tutor>",
	    "\"codng\"", "did you mean \"coding\"?", 0, NULL },
	{ "tutor with a limit below nothing", ACTIVITIES,
	    "<title>Everyone</title>",
	    "<title>Everyone</title><tutor setup=\"course\""
	    " questions-per-day=\"-1\">Help.</tutor>",
	    "\"-1\"", "a whole number from 0 to 10000", 0, NULL },
	{ "activity with one version", ACTIVITIES, "<prompt id=\"short\"/>", "",
	    "could never make a match", "1 version,", -2, NULL },
	{ "activity with retired questions only", ACTIVITIES,
	    "<question id=\"sky\"/>", "<question id=\"dull\"/>",
	    "could never make a match", "retired", -4, NULL },
	{ "prompt twice in an activity", ACTIVITIES, "<prompt id=\"long\"/>",
	    "<prompt id=\"long\"/><prompt id=\"long\"/>",
	    "the prompt \"long\" is named twice", NULL, 0, NULL },
};

/* Replace the first old by new in a file of the copy; the line of old. */
static int
spoil(const char *name, const char *old, const char *new)
{
	static char out[65536];
	size_t n, head;
	const char *bytes = good_read(good_path(name), &n), *at;
	int line = 1;

	if (old == NULL) {
		good_write(name, new, strlen(new), 0644);
		return 0;
	}
	at = strstr(bytes, old);
	if (at == NULL)
		good_die(old);
	head = (size_t)(at - bytes);
	for (size_t i = 0; i < head; i++)
		line += bytes[i] == '\n';
	snprintf(out, sizeof(out), "%.*s%s%s", (int)head, bytes, new,
	    at + strlen(old));
	good_write(name, out, strlen(out), 0644);
	return line;
}

/* A sentence for people: no namespaces in braces, no schema words. */
static bool
is_plain(const char *what)
{
	return strstr(what, "{urn") == NULL && strstr(what, "xs:") == NULL &&
	       strstr(what, "facet") == NULL && strstr(what, "cvc") == NULL;
}

static bool
ends_with(const char *z, const char *end)
{
	size_t n = strlen(z), k = strlen(end);

	return n >= k && strcmp(z + n - k, end) == 0;
}

/* Exactly one problem, in that file and line, with those words. */
static void
expect(const char *about, const char *file, int line, const char *says,
    const char *says2)
{
	struct problems ps;
	struct conf *conf;
	struct catalog *catalog;
	enum err e = good_load(good_path(ARENA), &ps, &conf, &catalog);
	const struct problem *p = ps.first;
	bool good;

	good = e != ERR_OK && catalog == NULL && ps.count == 1 && p != NULL &&
	       ends_with(p->file.p, file) && p->line == line &&
	       strstr(p->what.p, says) != NULL &&
	       (says2 == NULL || strstr(p->what.p, says2) != NULL) &&
	       is_plain(p->what.p);
	ok(good, "%s", about);
	if (!good)
		diag("  want %s:%d: %s ... %s", file, line, says,
		    says2 == NULL ? "" : says2);
	for (; (!good || getenv("V") != NULL) && p != NULL; p = p->next)
		diag("  got %s:%d: %s", p->file.p, p->line, p->what.p);
	if (catalog != NULL)
		catalog_close(catalog);
	if (conf != NULL)
		conf_close(conf);
	pool_close(ps.pool);
}

static void
test_table(void)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		const struct fault *f = &faults[i];
		int line;

		good_make();
		line = spoil(f->file, f->old, f->new) + f->below;
		expect(f->about, f->in == NULL ? f->file : f->in, line, f->says,
		    f->says2);
		good_remove();
	}
}

/* --- what no substitution can do ---------------------------------------- */

static void
test_huge(void)
{
	clock_t start;

	good_make();
	if (truncate(good_path(PROMPTS), 100 * 1000 * 1000) != 0)
		good_die("truncate");
	start = clock();
	expect("a catalog file of 100 MB", PROMPTS, 0,
	    "too long: it has 100000000 bytes",
	    "files of their own, named by file=");
	ok((double)(clock() - start) / CLOCKS_PER_SEC < 0.5,
	    "... is refused before it is read");
	good_remove();
	good_make();
	if (truncate(good_path("texts/short-1.txt"), 100 * 1000 * 1000) != 0)
		good_die("truncate");
	start = clock();
	expect("a text file of 100 MB", "texts/short-1.txt", 0,
	    "100000000 bytes", "at most 262144");
	ok((double)(clock() - start) / CLOCKS_PER_SEC < 0.5,
	    "... is refused before it is read");
	good_remove();
}

static void
test_deep(void)
{
	static char out[120000];
	size_t n = 0;

	good_make();
	for (int i = 0; i < 10000; i++)
		n += (size_t)snprintf(out + n, sizeof(out) - n, "<a>");
	good_write(ARENA, out, n, 0644);
	expect("elements nested 10 000 deep", ARENA, 1, "nested", "64 deep");
	good_remove();
}

static void
test_special_files(void)
{
	good_make();
	if (unlink(good_path("secret")) != 0 ||
	    mkfifo(good_path("secret"), 0600) != 0)
		good_die("mkfifo");
	expect("a pipe does not make the program wait", ARENA, 17,
	    "secret-file", "is not a file");
	good_remove();
	good_make();
	if (unlink(good_path(PROMPTS)) != 0 ||
	    mkdir(good_path(PROMPTS), 0755) != 0)
		good_die("mkdir");
	expect("a folder in place of a file", ARENA, 35,
	    "the attribute \"prompts\" of <catalog>", "is not a file");
	good_remove();
	good_make();
	if (unlink(good_path(ARENA)) != 0)
		good_die("unlink");
	expect("no configuration at all", ARENA, 0, "there is no such file",
	    "--conf");
	good_remove();
}

static void
test_secret(void)
{
	good_make();
	if (chmod(good_path("secret"), 0644) != 0)
		good_die("chmod");
	expect("a secret that everybody may read", "secret", 0, "others",
	    "chmod 600");
	if (chmod(good_path("secret"), 0660) != 0)
		good_die("chmod");
	expect("a secret that a group may change", "secret", 0, "0660",
	    "chmod 600");
	good_write("secret", "short\n", 6, 0600);
	expect(
	    "a secret of five letters", "secret", 1, "16 to 256", "head -c 32");
	good_write("secret", "0123456789 abcdef\n", 18, 0600);
	expect("a secret with a blank", "secret", 1, "16 to 256", NULL);
	good_remove();
}

/* As the service's own account sees it: root may read everything. */
static void
test_unreadable(void)
{
	bool root = geteuid() == 0;

	good_make();
	if (chmod(good_path(PROMPTS), 0000) != 0 ||
	    (root && chown(good_path("secret"), 65534, 65534) != 0) ||
	    (root && seteuid(65534) != 0))
		good_die("cannot become another user");
	expect("a catalog file that may not be read", PROMPTS, 0,
	    "may not read", "permissions");
	if (root && seteuid(0) != 0)
		good_die("seteuid");
	if (chmod(good_path(PROMPTS), 0644) != 0 ||
	    chmod(good_path("texts/loop.txt"), 0000) != 0 ||
	    (root && seteuid(65534) != 0))
		good_die("chmod");
	expect("a text file that may not be read", QUESTIONS, 11,
	    "may not be read", "permissions");
	if (root && seteuid(0) != 0)
		good_die("seteuid");
	good_remove();
}

static void
test_contradictions(void)
{
	good_make();
	spoil(ARENA, " secret-file=\"secret\"", "");
	spoil(ARENA, "<grant role=\"teacher\" group=\"staff\"/>", "");
	spoil(ARENA, "<grant role=\"admin\" user=\"ada\"/>", "");
	expect("nobody could ever vote", ARENA, 17, "nobody could vote",
	    "guests=\"yes\"");
	good_remove();
	good_make();
	spoil(
	    ARENA, " secret-file=\"secret\" guests=\"no\"", " guests=\"yes\"");
	expect("roles for people who cannot sign in", ARENA, 18,
	    "<roles> gives roles", "secret-file=");
	good_remove();
	good_make();
	spoil(ARENA, "prompts=\"prompts.xml\"", "prompts=\"questions.xml\"");
	expect("questions in place of prompts", QUESTIONS, 2, "<questions>",
	    "it must be <prompts>");
	good_remove();
}

int
main(void)
{
	xml_init();
	test_table();
	test_huge();
	test_deep();
	test_special_files();
	test_secret();
	test_unreadable();
	test_contradictions();
	xml_shutdown();
	return done_testing();
}

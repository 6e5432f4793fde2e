/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "suites/unit/tap.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const xmlNode *element(const xmlNode *node, const char *name)
{
	while (node && (node->type != XML_ELEMENT_NODE ||
			strcmp((const char *)node->name, name) != 0))
		node = node->next;
	return node;
}

static const xmlNode *child(const xmlNode *parent, const char *name)
{
	return parent ? element(parent->children, name) : NULL;
}

/* The text of a leaf; Check's log has no deeper nesting in it. */
static const char *text(const xmlNode *node)
{
	return node && node->children && node->children->content
		       ? (const char *)node->children->content
		       : "";
}

/* A '#' would begin a directive. */
static void put_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == '#' || (unsigned char)*name < ' ' ? '_' : *name, out);
}

/* Each line of the message becomes a comment, so that none is read as TAP. */
static void put_comment(FILE *out, const char *where, const char *message)
{
	fprintf(out, "# %s: ", where);
	for (; *message; message++) {
		fputc(*message, out);
		if (*message == '\n')
			fputs("#   ", out);
	}
	fputc('\n', out);
}

static void put_point(FILE *out, const char *suite, const xmlNode *test,
		      struct lf_tap_totals *totals)
{
	xmlChar *result = xmlGetProp(test, BAD_CAST "result");
	bool passed = result && strcmp((const char *)result, "success") == 0;
	long iteration = strtol(text(child(test, "iteration")), NULL, 10);

	xmlFree(result);
	totals->tests++;
	totals->failed += !passed;
	fprintf(out, "%s %u - ", passed ? "ok" : "not ok", totals->tests);
	put_name(out, suite);
	fputc('/', out);
	put_name(out, text(child(test, "description")));
	fputc('/', out);
	put_name(out, text(child(test, "id")));
	if (iteration > 0)
		fprintf(out, "[%ld]", iteration);
	fputc('\n', out);
	if (!passed)
		put_comment(out, text(child(test, "fn")), text(child(test, "message")));
}

static unsigned for_each_test(const xmlNode *root, FILE *out,
			      struct lf_tap_totals *totals)
{
	unsigned n = 0;

	for (const xmlNode *suite = child(root, "suite"); suite;
	     suite = element(suite->next, "suite")) {
		const char *title = text(child(suite, "title"));

		for (const xmlNode *test = child(suite, "test"); test;
		     test = element(test->next, "test"), n++)
			if (out)
				put_point(out, title, test, totals);
	}
	return n;
}

int lf_tap_from_check_xml(int fd, FILE *out, struct lf_tap_totals *ret_totals)
{
	struct lf_tap_totals totals = { 0 };
	const xmlNode *root;
	xmlDoc *doc;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	doc = xmlReadFd(fd, "check.xml", NULL,
			XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	root = doc ? element(xmlDocGetRootElement(doc), "testsuites") : NULL;
	if (!root) {
		xmlFreeDoc(doc);
		return -1;
	}
	fprintf(out, "TAP version 13\n1..%u\n", for_each_test(root, NULL, NULL));
	for_each_test(root, out, &totals);
	fflush(out);
	xmlFreeDoc(doc);
	*ret_totals = totals;
	return 0;
}

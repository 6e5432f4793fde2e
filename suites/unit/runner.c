/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs the framework's own unit tests with Check and reports them as TAP 13
 * on standard output: the plan first, one point a test, named
 * suite/case/test, with the iteration of a loop test in brackets.
 *
 * Check's own TAP names the source file, which changes with the build
 * directory, and lets a newline in a message through. Its XML log carries
 * everything and is well-formed, so the points are made from that.
 *
 * Check's environment variables keep working: CK_RUN_SUITE, CK_RUN_CASE,
 * CK_FORK, CK_VERBOSITY, … Exit: 0 all passed, 1 some did not, 99 nothing was
 * selected or the results could not be read. Never a count, which make would
 * take for "skipped" at 77 and for success at 256.
 */
#include "suites/unit/suites.h"
#include "suites/unit/tap.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static SRunner *runner_create(void)
{
	SRunner *runner = srunner_create(NULL);

#define X(name) srunner_add_suite(runner, lf_test_##name());
	LF_TEST_MAP(X)
#undef X
	return runner;
}

/* Check opens its log by name, and CK_XML_LOG_FILE_NAME stays the user's: his
 * file is written from ours afterwards. */
static int copy_xml(int fd, const char *path)
{
	char buffer[4096];
	FILE *file = fopen(path, "w");
	ssize_t n;
	off_t at = 0;

	if (!file)
		return -1;
	while ((n = pread(fd, buffer, sizeof(buffer), at)) > 0) {
		fwrite(buffer, 1, (size_t)n, file);
		at += n;
	}
	return fclose(file) || n < 0 ? -1 : 0;
}

static int bail_out(const char *reason)
{
	printf("Bail out! %s\n", reason);
	return 99;
}

int main(void)
{
	const char *wanted = getenv("CK_XML_LOG_FILE_NAME");
	int fd = memfd_create("results.xml", MFD_CLOEXEC);
	struct lf_tap_totals totals;
	SRunner *runner;
	char path[64];

	/* A forked test inherits what is not yet written, and writes it again. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (fd < 0)
		return bail_out("no memory file for the results");
	snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)getpid(), fd);
	runner = runner_create();
	srunner_set_xml(runner, path);
	srunner_run_all(runner, getenv("CK_VERBOSITY") ? CK_ENV : CK_SILENT);
	if (srunner_ntests_run(runner) == 0)
		return bail_out("no test was selected: see CK_RUN_SUITE, CK_RUN_CASE");
	srunner_free(runner);
	if (wanted && copy_xml(fd, wanted))
		return bail_out("cannot write to CK_XML_LOG_FILE_NAME");
	if (lf_tap_from_check_xml(fd, stdout, &totals))
		return bail_out("Check's results could not be read");
	return totals.failed ? 1 : 0;
}

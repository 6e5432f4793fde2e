/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records: writing and reading them, and what one comes to. */
#include "report/record.h"
#include "suites/unit/records.h"
#include "suites/unit/suites.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static json_t *all;

static void setup(void)
{
	all = json_array();
}

static void teardown(void)
{
	json_decref(all);
}

static json_t *record(void)
{
	return lf_stand_record(all, "order", "mcs", "fifo");
}

/* --- Files --- */

static char path[64];

static int open_file(void)
{
	strcpy(path, "/tmp/lockfair-record-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static void put(int fd, const char *text)
{
	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
}

static void append(int fd, const json_t *r)
{
	struct lf_error error;
	ck_assert_int_eq(lf_record_append(fd, path, r, &error), 0);
}

/* Reads the file and removes it; *records have to be given back. */
static int read_back(int fd, json_t **ret_records, struct lf_error *error)
{
	close(fd);
	*ret_records = json_array();
	int code = lf_records_read(path, *ret_records, error);
	unlink(path);
	return code;
}

START_TEST(what_is_written_is_read)
{
	json_t *r = record(), *records;
	struct lf_error error;
	int fd = open_file();
	append(fd, r);
	append(fd, r);
	ck_assert_int_eq(read_back(fd, &records, &error), 0);
	ck_assert_uint_eq(json_array_size(records), 2);
	ck_assert(json_equal(json_array_get(records, 1), r));
	json_decref(records);
}
END_TEST

struct bad_line {
	const char *text;
	int code;
	const char *says;
};

static const struct bad_line bad_lines[] = {
	{ "{\"schema\":1,\"scen", -ENODATA, ":2: the line is torn" },
	{ "{\"schema\":1,\n", -EBADMSG, ":2: not JSON" },
	{ "\n", -EBADMSG, ":2: not JSON" },
	{ "[1]\n", -EBADMSG, ":2: not a record: it has no schema number" },
	{ "{\"schema\":2}\n", -EPROTO, ":2: a record of schema 2" },
	{ "{\"schema\":1}\n", -EBADMSG, ":2: not a record: \"scenario\"" },
	{ "{\"schema\":1,\"schema\":1}\n", -EBADMSG, ":2: not JSON: duplicate" },
};

START_TEST(a_bad_line_is_named_and_what_was_before_it_is_kept)
{
	json_t *r = record(), *records;
	struct lf_error error;
	int fd = open_file();
	append(fd, r);
	put(fd, bad_lines[_i].text);
	ck_assert_int_eq(read_back(fd, &records, &error), bad_lines[_i].code);
	ck_assert_msg(strstr(error.text, bad_lines[_i].says), "%s", error.text);
	ck_assert_uint_eq(json_array_size(records), 1);
	json_decref(records);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_an_error)
{
	json_t *records = json_array();
	struct lf_error error;
	ck_assert_int_eq(lf_records_read("/nowhere/x", records, &error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/x: cannot read"));
	json_decref(records);
}
END_TEST

START_TEST(a_line_that_does_not_fit_is_taken_back)
{
	json_t *r = record(), *records;
	struct lf_error error;
	int fd = open_file();
	append(fd, r);
	off_t size = lseek(fd, 0, SEEK_END);
	struct rlimit limit = { (rlim_t)size + 100, RLIM_INFINITY };
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	int code = lf_record_append(fd, path, r, &error);
	limit.rlim_cur = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(code, -EFBIG);
	ck_assert_msg(strstr(error.text, "cannot write a record"), "%s", error.text);
	ck_assert_int_eq(read_back(fd, &records, &error), 0);
	ck_assert_uint_eq(json_array_size(records), 1);
	json_decref(records);
}
END_TEST

START_TEST(a_full_disk_is_told)
{
	json_t *r = record();
	struct lf_error error;
	int fd = open("/dev/full", O_WRONLY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(lf_record_append(fd, "x.jsonl", r, &error), -ENOSPC);
	ck_assert_msg(strstr(error.text, "x.jsonl: cannot write a record: No space left"),
		      "%s", error.text);
	close(fd);
}
END_TEST

/* --- What it comes to --- */

START_TEST(a_record_comes_to_its_row)
{
	json_t *r = record();
	ck_assert_str_eq(lf_record_shown(r)->word, "PASS");
	lf_stand_verdict(r, "fail", "");
	lf_stand_expect(r, "fail", "known");
	ck_assert_str_eq(lf_record_shown(r)->word, "fail");
	lf_stand_assert(r, "exclusion", "violations", "safety", 1, 0);
	ck_assert_str_eq(lf_record_shown(r)->word, "FAIL");
	lf_stand_control(r, "unfair", "");
	ck_assert_str_eq(lf_record_shown(r)->word, "convicted");
	lf_stand_assert(r, "survives", "ends", "safety", 1, 0);
	ck_assert_str_eq(lf_record_shown(r)->word, "NOT CONVICTED");
	lf_stand_verdict(r, "splendid", "");
	ck_assert_str_eq(lf_record_shown(r)->word, "ERROR");
}
END_TEST

START_TEST(the_exit_code_is_the_worst)
{
	ck_assert_int_eq(lf_records_exit(all), LF_EXIT_USAGE);
	lf_stand_record(all, "order", "mcs", "fifo");
	ck_assert_int_eq(lf_records_exit(all), LF_EXIT_OK);
	lf_stand_verdict(lf_stand_record(all, "order", "tas", NULL), "inconclusive", "");
	ck_assert_int_eq(lf_records_exit(all), LF_EXIT_INCONCLUSIVE);
	lf_stand_verdict(lf_stand_record(all, "order", "tas", NULL), "fail", "");
	ck_assert_int_eq(lf_records_exit(all), LF_EXIT_FAIL);
	lf_stand_control(lf_stand_verdict(lf_stand_record(all, "order", "ticket", "fifo"),
					  "fail", ""),
			 "fair", "");
	ck_assert_int_eq(lf_records_exit(all), LF_EXIT_HARNESS);
}
END_TEST

Suite *lf_test_record_file(void)
{
	Suite *suite = suite_create("record_file");
	TCase *files = tcase_create("files"), *outcome = tcase_create("outcome");

	tcase_add_checked_fixture(files, setup, teardown);
	tcase_add_test(files, what_is_written_is_read);
	tcase_add_loop_test(files, a_bad_line_is_named_and_what_was_before_it_is_kept, 0,
			    (int)(sizeof bad_lines / sizeof bad_lines[0]));
	tcase_add_test(files, a_file_that_is_not_there_is_an_error);
	tcase_add_test(files, a_line_that_does_not_fit_is_taken_back);
	tcase_add_test(files, a_full_disk_is_told);
	suite_add_tcase(suite, files);
	tcase_add_checked_fixture(outcome, setup, teardown);
	tcase_add_test(outcome, a_record_comes_to_its_row);
	tcase_add_test(outcome, the_exit_code_is_the_worst);
	suite_add_tcase(suite, outcome);
	return suite;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/worker.h"

#include "judge/sensitivity.h"
#include "run/tree.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* How long the run waits for the supervisor to take its stacks. */
#define STACKS_WAIT_MS 10000

/* A test function of Check takes no argument; a worker has one cell. */
static const struct lf_cell *the_cell;
static struct lf_worker_memory *the_memory;
static pid_t the_worker;

/* A copy of the run that decides so far, while others are executed. */
struct kept {
	unsigned variant;
	struct lf_observation observation;
	struct lf_judgement judgement;
};

static void nap_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* From now on we end with our parent, which may have ended already. */
static void die_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

/* Called by the engine when nothing moves any more. */
static void ask_for_stacks(void *context)
{
	struct lf_result *r = context;
	int unasked = LF_STACKS_UNASKED;

	if (!atomic_compare_exchange_strong(&r->stacks, &unasked, LF_STACKS_WANTED))
		return;
	for (long waited = 0; waited < STACKS_WAIT_MS; waited += 5) {
		if (atomic_load(&r->stacks) == LF_STACKS_TAKEN)
			return;
		nap_ms(5);
	}
}

/* How much a run says about the cell when there are several. */
static int weight(const struct lf_judgement *j)
{
	const struct lf_assertion *a = lf_judgement_decisive(j);

	if (j->verdict == LF_VERDICT_FAIL)
		return a && a->origin == LF_ORIGIN_SAFETY ? 3 : 2;
	return j->verdict == LF_VERDICT_INCONCLUSIVE;
}

/* The one that failed, or else the first that nearly did, or that could have. */
static const struct lf_assertion *deciding_assertion(const struct lf_judgement *j)
{
	const struct lf_assertion *failed = lf_judgement_decisive(j);

	if (failed)
		return failed;
	for (unsigned i = 0; i < j->n; i++)
		if (lf_assertion_is_near(&j->assertion[i]))
			return &j->assertion[i];
	for (unsigned i = 0; i < j->n; i++)
		if (j->assertion[i].origin == LF_ORIGIN_CLAIM ||
		    j->assertion[i].origin == LF_ORIGIN_REQUIREMENT)
			return &j->assertion[i];
	return j->n ? &j->assertion[0] : NULL;
}

static void store_variant(struct lf_variant_result *v, const struct lf_judgement *j)
{
	const struct lf_assertion *a = deciding_assertion(j);

	v->verdict = j->verdict;
	if (a) {
		v->metric = a->metric;
		v->origin = a->origin;
		v->value = a->value;
		v->bound = a->bound;
		v->near = j->verdict == LF_VERDICT_PASS && lf_assertion_is_near(a);
	}
}

static bool run_variant(struct lf_run *run, unsigned i,
			struct lf_judgement *ret_judgement)
{
	struct lf_result *r = &the_memory->result;
	struct lf_variant_result *v = &r->variant[i];
	struct lf_error error = { "" };

	memset(run, 0, sizeof *run);
	memset(&r->observation, 0, sizeof r->observation);
	run->cell = the_cell;
	run->observation = &r->observation;
	run->on_stall = ask_for_stacks;
	run->context = r;
	the_cell->engine->variants(the_cell, i, &v->variant);
	r->decisive = i;
	if (the_cell->engine->execute(run, &v->variant, &error) < 0) {
		snprintf(r->error, sizeof r->error, "%s", error.text[0] ? error.text :
			 "the engine failed and gave no reason");
		return false;
	}
	lf_judge(the_cell, &r->observation, ret_judgement);
	store_variant(v, ret_judgement);
	v->cut_off = r->observation.cut_off;
	r->variants = i + 1;
	return true;
}

/* Runs all variants and leaves in the result what decides. */
static bool run_variants(struct lf_run *run, struct kept *kept)
{
	struct lf_result *r = &the_memory->result;
	struct lf_variant unused;
	unsigned n = the_cell->engine->variants(the_cell, 0, &unused);

	if (n > LF_MAX_VARIANTS)
		n = LF_MAX_VARIANTS;
	for (unsigned i = 0; i < n; i++) {
		struct lf_judgement j;
		if (!run_variant(run, i, &j))
			return false;
		if (i > 0 && weight(&j) <= weight(&kept->judgement))
			continue;
		kept->judgement = j;
		kept->variant = i;
		if (n > 1)
			memcpy(&kept->observation, &r->observation,
			       sizeof kept->observation);
	}
	if (n > 1)
		memcpy(&r->observation, &kept->observation, sizeof r->observation);
	r->judgement = kept->judgement;
	r->decisive = kept->variant;
	if (n > 1)
		lf_combine_variants(r->variant, n, &r->judgement);
	return true;
}

static bool some_thread_is_left(const struct lf_observation *o)
{
	for (unsigned i = 0; i < o->threads; i++)
		if (o->thread[i].censored)
			return true;
	return false;
}

START_TEST(cell)
{
	struct lf_result *r = &the_memory->result;
	struct lf_run *run = lf_shared_new(sizeof *run);
	struct kept *kept = calloc(1, sizeof *kept);

	die_with(the_worker);
	/* eu-stack may look at us. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	atomic_store(&the_memory->tester, (int)getpid());
	if (!run || !kept)
		snprintf(r->error, sizeof r->error, "out of memory");
	else if (run_variants(run, kept))
		atomic_store(&r->state, LF_RESULT_JUDGED);
	if (atomic_load(&r->state) != LF_RESULT_JUDGED)
		_ck_assert_failed(__FILE__, __LINE__, "the cell is judged", "%s",
				  r->error);
	if (r->judgement.verdict == LF_VERDICT_FAIL)
		_ck_assert_failed(__FILE__, __LINE__, "the lock is fair", "%s",
				  r->judgement.reason);
	/* exit() would pull the ground from under a thread that is still running. */
	if (some_thread_is_left(&r->observation))
		_exit(0);
	lf_shared_free(run, sizeof *run);
	free(kept);
}
END_TEST

/* Our environment's choice of tests is not about this one, and its log files
 * would be written once by every worker. */
static void forget_environment(void)
{
	static const char *const variable[] = {
		"CK_RUN_SUITE", "CK_RUN_CASE", "CK_INCLUDE_TAGS", "CK_EXCLUDE_TAGS",
		"CK_LOG_FILE_NAME", "CK_XML_LOG_FILE_NAME", "CK_TAP_LOG_FILE_NAME",
		"CK_FORK", "CK_VERBOSITY",
	};

	for (size_t i = 0; i < sizeof variable / sizeof variable[0]; i++)
		unsetenv(variable[i]);
}

static void settle_in(void)
{
	sigset_t none;

	/* A group of its own: the terminal's ^C goes to the supervisor alone. */
	setpgid(0, 0);
	die_with((pid_t)the_memory->supervisor);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	/* Check's time-outs need SIGALRM. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Standard output may carry a report; what a lock prints is not part of it. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	forget_environment();
}

/* Check keeps the wait status to itself and tells it in words. */
static void note_end(SRunner *runner)
{
	TestResult **result = srunner_results(runner);
	const char *message = tr_msg(result[0]);
	enum lf_end end = LF_END_RETURNED;
	int code = 0;

	if (tr_rtype(result[0]) == CK_ERROR) {
		if (sscanf(message, "Received signal %d", &code) == 1)
			end = LF_END_SIGNAL;
		else if (sscanf(message, "Early exit with return value %d", &code) == 1)
			end = LF_END_STATUS;
		else
			end = LF_END_TIMEOUT;
	}
	free(result);
	the_memory->end_code = code;
	atomic_store(&the_memory->end, end);
}

_Noreturn void lf_worker_main(const struct lf_cell *cell_to_run,
			      struct lf_worker_memory *memory, double timeout_s)
{
	Suite *suite = suite_create("lockfair");
	TCase *tcase = tcase_create("cell");
	SRunner *runner = srunner_create(suite);

	the_cell = cell_to_run;
	the_memory = memory;
	the_worker = getpid();
	settle_in();
	tcase_set_timeout(tcase, timeout_s);
	tcase_add_test(tcase, cell);
	suite_add_tcase(suite, tcase);
	srunner_set_fork_status(runner, CK_FORK);
	atomic_store(&memory->result.state, LF_RESULT_RUNNING);
	srunner_run_all(runner, CK_SILENT);
	if (srunner_ntests_run(runner) == 1)
		note_end(runner);
	srunner_free(runner);
	/* What the run forked and left behind ends with it. */
	lf_tree_kill_below(getpid(), 0);
	_exit(0);
}

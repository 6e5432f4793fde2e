/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lockfair doctor: what this machine can judge, and what it cannot, and why. */
#include "cli/cli.h"
#include "engine/engine.h"
#include "gate/child.h"
#include "gate/realtime.h"
#include "observe/host.h"

#include <argp.h>
#include <stdio.h>

/* From there on a comparison takes seconds, and then ends without an answer. */
#define BUSY 0.15
#define TOO_BUSY 0.60

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	return key == ARGP_KEY_ARG ? EINVAL : ARGP_ERR_UNKNOWN;
}

static void say_facts(const struct lf_host *h)
{
	printf("This machine (fingerprint %s)\n", h->fingerprint);
#define X(name, text) printf("  %-50s %s\n", text, h->name);
	LF_FACT_MAP(X)
#undef X
}

static void say_noise(const struct lf_host_noise *n)
{
	printf("\nHow it is now\n");
	printf("  %-50s %llu ns\n", "smallest step of the clock",
	       (unsigned long long)n->clock_step_ns);
	printf("  a spinning thread is interrupted %.0f times a second, for %.0f us as a "
	       "rule and %.1f ms at most;\n  that takes %.1f %% of its time\n",
	       n->gaps_per_s, (double)n->gap_p50_ns / 1e3, (double)n->gap_max_ns / 1e6,
	       n->lost * 100);
	printf("  a sleep of 100 us lasts %.0f us longer as a rule, %.1f ms at most\n",
	       (double)n->overshoot_p50_ns / 1e3, (double)n->overshoot_max_ns / 1e6);
	if (n->delay >= 0)
		printf("  it waited %.0f %% of the time for a CPU; ", n->delay * 100);
	else
		printf("  how long it waits for a CPU, the kernel does not tell; ");
	printf("load average %.1f\n", n->load);
}

static void say(const char *word, const char *what, const char *why)
{
	printf("  %-8s %s%s%s\n", word, what, why ? ": " : "", why ? why : "");
}

static void say_counts(const struct lf_host_means *m)
{
#if defined(LF_HAVE_SIM) && LF_HAVE_SIM
	say("yes", "claims on sim, whatever else the machine does", NULL);
#else
	say("no", "claims on sim", "this lockfair was built without the simulator");
#endif
	say("yes", "claims on threads by counts, under any load", NULL);
	say(m->futex ? "yes" : "partly", "who is queued for a lock that sleeps", m->futex ?
	    "by the futex that a thread sleeps on" :
	    "/proc/self/task/TID/syscall cannot be read, so two looks at a sleeping thread "
	    "must do");
}

static void say_waits(const struct lf_host *h, const struct lf_host_means *m)
{
	if (h->cpus_allowed < 2)
		say("no", "latency bounds", "a waiting thread and a holder need a CPU each, "
		    "and this process may use one");
	else if (!m->schedstat)
		say("partly", "latency bounds", "/proc/thread-self/schedstat is not there, so "
		    "nothing excuses a wait; build the kernel with CONFIG_SCHED_INFO");
	else
		say("yes", "latency bounds, by quantiles; no maximum below 1 ms", NULL);
}

static void say_speed(const struct lf_host *h, const struct lf_host_noise *n, bool first)
{
	unsigned most = h->cpus_allowed < LF_MAX_THREADS ? h->cpus_allowed : LF_MAX_THREADS;
	char what[96];

	snprintf(what, sizeof what, most > 2 ? "speed against base, with 2 to %u threads" :
		 "speed against base, with %u threads", most);
	if (h->cpus_allowed < 2)
		say("no", "speed against base", "two threads need a CPU each, and this "
		    "process may use one; see taskset(1) and the limits of the container");
	else if (first)
		say("yes", what, "before everything else here, so that no load matters");
	else if (n->delay > TOO_BUSY)
		say("not now", what, "the machine is too busy; claims can be judged all the "
		    "same");
	else if (n->delay > BUSY)
		say("slowly", what, "the machine is busy: seconds instead of tenths, and "
		    "some comparisons end inconclusive");
	else
		say("yes", what, NULL);
}

static void say_rest(const struct lf_host_means *m)
{
	printf("\nNothing here needs these; they would tell more\n");
	say(m->realtime ? "yes" : "no", "real-time classes", m->realtime ?
	    "the gate compares speeds in one, and suite handoff has cells for them" :
	    "no CAP_SYS_NICE and no RLIMIT_RTPRIO");
	say(m->pressure ? "yes" : "no", "pressure", m->pressure ? "/proc/pressure/cpu" :
	    "boot with psi=1");
	say(m->steal ? "yes" : "no", "stolen time", m->steal ? "/proc/stat" :
	    "0 since boot: nothing was stolen, or the host does not say");
	say(m->counter ? "yes" : "no", "cycle counter", m->counter ? "stamps cost about 10 ns" :
	    "stamps come from the kernel's clock and cost more");
}

int lf_cli_doctor(int argc, char **argv)
{
	static const struct argp argp = {
		NULL, parse, "",
		"Says what this machine can judge and what it cannot, and why. Takes half a "
		"second.", NULL, NULL, NULL,
	};
	struct lf_host host;
	struct lf_host_means means;
	struct lf_host_noise noise;

	argp_err_exit_status = LF_EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, NULL) != 0)
		return lf_cli_error(argv[0], "it takes no argument");
	lf_host_read(&host);
	lf_host_probe(&means);
	lf_host_listen(&noise);
	say_facts(&host);
	say_noise(&noise);
	printf("\nWhat it can judge\n");
	say_counts(&means);
	say_waits(&host, &means);
	say_speed(&host, &noise, means.realtime && lf_realtime_is_safe());
	say_rest(&means);
	return LF_EXIT_OK;
}

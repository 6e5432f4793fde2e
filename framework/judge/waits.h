/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether waits stay below a limit, on a machine that is not alone. A wait above the
 * limit is excused by what the thread itself was kept from running, and by what the
 * holder of the lock was, and by nothing else.
 *
 * Pure functions; any thread.
 */
#ifndef LF_JUDGE_WAITS_H
#define LF_JUDGE_WAITS_H

#include "judge/judge.h"

struct lf_wait {
	uint64_t ns;            /* from the request to the grant */
	uint64_t own_delay_ns;  /* of it: ready to run, but without a CPU */
	uint64_t holder_off_ns; /* of it: the holder took so much longer than its work */
};

struct lf_waits {
	uint64_t limit_ns;
	double part;            /* of the waits that must keep it: 0.99 */
	uint64_t samples, above, excused;
	uint64_t own_delay_ns, holder_off_ns; /* of those above, in all */
	uint64_t worst_net_ns;  /* longest wait less what excuses it */
};

void lf_waits_add(struct lf_waits *w, const struct lf_wait *wait);

/*
 * PASS: no more waits than allowed were above the limit for no other reason than the
 * lock. FAIL: so many more that chance would give them once in a thousand runs of a
 * lock that just keeps the limit. INCONCLUSIVE: between these; or more than a fifth
 * of all waits excused; or too few waits. Fills `reason`.
 */
enum lf_verdict lf_waits_verdict(const struct lf_waits *w, char *reason, size_t size);

#endif

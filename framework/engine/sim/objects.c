/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/sim/objects.h"

#include <errno.h>

int lf_sim_exchange_if(int *p, int expected, int value)
{
	if (lf_sim.self)
		lf_sim_touch(p, LF_SIM_RMW);
	int old = *p;
	if (old == expected)
		*p = value;
	return old;
}

int lf_sim_exchange(int *p, int value)
{
	if (lf_sim.self)
		lf_sim_touch(p, LF_SIM_RMW);
	int old = *p;
	*p = value;
	return old;
}

void lf_sim_system_call(void)
{
	if (lf_sim.self)
		lf_sim_advance(lf_sim_jitter(lf_sim.machine.cost_syscall_ns));
}

long lf_sim_result(long rc)
{
	if (rc >= 0)
		return rc;
	errno = (int)-rc;
	return -1;
}

bool lf_sim_can_wait(const char *what)
{
	if (!lf_sim.self)
		lf_sim_abort("the lock waits for %s in init() or destroy(), where there is "
			     "no other thread that could end the wait", what);
	return lf_sim.self;
}

int lf_sim_unknown(const char *what, int result)
{
	lf_sim_abort("%s is not simulated; declare the lock for engine threads only "
		     "(.engines = LF_ON_THREADS)", what);
	return result;
}

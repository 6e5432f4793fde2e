/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shared object, but not one of ours. */
int lf_nothing_of_interest(void);

int lf_nothing_of_interest(void)
{
	return 0;
}

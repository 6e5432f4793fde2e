/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef LF_HAVE_SIM
#include "engine/sim/rename.h"
#define ORDERS lf_orders_sim
#include "suites/unit/orders_roles.h"
#endif

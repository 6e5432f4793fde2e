/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All of lockfair but the assertions, which need Check: see assert.h. */
#ifndef LOCKFAIR_LOCKFAIR_H
#define LOCKFAIR_LOCKFAIR_H

#include <lockfair/backend.h>
#include <lockfair/observation.h>
#include <lockfair/outcome.h>
#include <lockfair/scenario.h>
#include <lockfair/workload.h>

#endif

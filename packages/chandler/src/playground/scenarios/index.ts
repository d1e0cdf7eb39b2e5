/** All scenarios, in the order in which `--scenario list` prints them. */

import { BUDGET_WINDOW } from './budget-window.ts';
import { BURST } from './burst.ts';
import { BYOK } from './byok.ts';
import { CONSOLIDATION } from './consolidation.ts';
import { CSE_FAILURE } from './cse-failure.ts';
import { DRIFT_ROLLOUT } from './drift-rollout.ts';
import { QUOTA_CUT } from './quota-cut.ts';
import type { Scenario } from './scenario.ts';
import { SLOW_REGISTRATION } from './slow-registration.ts';
import { SPOT_TO_SPOT } from './spot-to-spot.ts';
import { ZONE_OUTAGE } from './zone-outage.ts';

export type { Scenario } from './scenario.ts';

export const SCENARIOS: readonly Scenario[] = [
  BURST,
  CONSOLIDATION,
  DRIFT_ROLLOUT,
  BUDGET_WINDOW,
  SPOT_TO_SPOT,
  ZONE_OUTAGE,
  QUOTA_CUT,
  CSE_FAILURE,
  BYOK,
  SLOW_REGISTRATION,
];

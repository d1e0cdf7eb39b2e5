/** All scenarios, in the order in which `--scenario list` prints them. */
import { BURST } from './burst.ts';
import { BYOK } from './byok.ts';
import { CSE_FAILURE } from './cse-failure.ts';
import { QUOTA_CUT } from './quota-cut.ts';
import type { Scenario } from './scenario.ts';
import { SLOW_REGISTRATION } from './slow-registration.ts';

import { ZONE_OUTAGE } from './zone-outage.ts';

export type { Scenario } from './scenario.ts';

export const SCENARIOS: readonly Scenario[] = [
  BURST,
  ZONE_OUTAGE,
  QUOTA_CUT,
  CSE_FAILURE,
  BYOK,
  SLOW_REGISTRATION,
];

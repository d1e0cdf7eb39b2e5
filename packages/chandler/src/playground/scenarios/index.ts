/** All scenarios, in the order in which `--scenario list` prints them. */

import type { PlaygroundCloudName } from '../clouds/cloud-names.table.ts';
import { AMI_ROLLOUT } from './ami-rollout.ts';
import { BAD_USER_DATA } from './bad-user-data.ts';
import { BUDGET_WINDOW } from './budget-window.ts';
import { BURST } from './burst.ts';
import { BYOK } from './byok.ts';
import { CONSOLIDATION } from './consolidation.ts';
import { CSE_FAILURE } from './cse-failure.ts';
import { DRIFT_ROLLOUT } from './drift-rollout.ts';
import { ICE_STORM } from './ice-storm.ts';
import { MISSING_ACCESS_ENTRY } from './missing-access-entry.ts';
import { QUOTA_CUT } from './quota-cut.ts';
import type { Scenario } from './scenario.ts';
import { SLOW_REGISTRATION } from './slow-registration.ts';
import { SPOT_INTERRUPTION } from './spot-interruption.ts';
import { SPOT_TO_SPOT } from './spot-to-spot.ts';
import { ZONE_OUTAGE } from './zone-outage.ts';

export { cloudRow, PLAYGROUND_CLOUDS, type PlaygroundCloudName } from '../clouds/cloud-names.table.ts';
export type { Scenario } from './scenario.ts';

export const SCENARIOS: readonly Scenario[] = [
  BURST,
  CONSOLIDATION,
  DRIFT_ROLLOUT,
  BUDGET_WINDOW,
  SPOT_TO_SPOT,
  ZONE_OUTAGE,
  SLOW_REGISTRATION,
  QUOTA_CUT,
  CSE_FAILURE,
  BYOK,
  SPOT_INTERRUPTION,
  ICE_STORM,
  AMI_ROLLOUT,
  BAD_USER_DATA,
  MISSING_ACCESS_ENTRY,
];

export function scenariosOf(cloud: PlaygroundCloudName): readonly Scenario[] {
  return SCENARIOS.filter(({ clouds }) => clouds === undefined || clouds.includes(cloud));
}

/** The stories that there are. */
import { BURST } from './burst.ts';
import { BYOK } from './byok.ts';
import { CSE_FAILURE } from './cse-failure.ts';
import { QUOTA_CUT } from './quota-cut.ts';
import { SLOW_REGISTRATION } from './slow-registration.ts';
import type { Story } from './story.ts';

import { ZONE_OUTAGE } from './zone-outage.ts';

export type { Story } from './story.ts';

export const STORIES: readonly Story[] = [
  BURST,
  ZONE_OUTAGE,
  QUOTA_CUT,
  CSE_FAILURE,
  BYOK,
  SLOW_REGISTRATION,
];

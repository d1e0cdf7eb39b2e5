/** The guard against runaway launches: options of our own, off unless set. */
import { optionGroup } from './option-row.ts';

export const LAUNCH_LIMITS = optionGroup(
  { group: 'Launch limits', settingsPrefix: '' },
  {
    maxLaunchesPerMinute: {
      flag: 'max-launches-per-minute',
      env: 'MAX_LAUNCHES_PER_MINUTE',
      type: 'integer',
      minimum: 0,
      default: 0,
      runtime: true,
      doc: 'How many NodeClaims may be created in a minute, those that the process before this one made and that still exist included; 0 is no limit',
    },
    maxFailingLaunches: {
      flag: 'max-failing-launches',
      env: 'MAX_FAILING_LAUNCHES',
      type: 'integer',
      minimum: 0,
      default: 0,
      runtime: true,
      doc: 'No NodeClaim is created while so many fail: refused by the cloud and tried again, broken in bootstrap, or not joined five minutes after their launch. Those given up at once do not count: back-off, and the memory of what is sold out, bound them; 0 is no limit',
    },
  },
);

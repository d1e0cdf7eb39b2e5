/** The options of `launch-guard.ts`, which limit runaway launches. Karpenter does not have them; they are off by default. */
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
      doc: 'The maximum number of NodeClaims created per minute. This includes NodeClaims that a previous process created in the last minute, if they still exist. 0 means no limit',
    },
    maxFailingLaunches: {
      flag: 'max-failing-launches',
      env: 'MAX_FAILING_LAUNCHES',
      type: 'integer',
      minimum: 0,
      default: 0,
      runtime: true,
      doc: 'Stop creating NodeClaims while this many launches are failing. A launch is failing if the cloud rejects it and it is retried, if the bootstrap of the node fails, or if the node does not register within five minutes. A NodeClaim does not count if the controller deletes it as soon as its launch fails. 0 means no limit',
    },
  },
);

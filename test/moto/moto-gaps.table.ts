/** Cases of the contract of clouds that moto cannot show, and why. Each of them fails on moto, or the suite does. */
import type { Gaps } from '../contract/gaps.ts';

const NO_TOKENS = 'its CreateFleet does not know client tokens, and launches again';

export const MOTO_GAPS: Gaps = {
  'an instance that was launched a moment ago has not drifted': {
    why: 'instances of its CreateFleet do not get the security groups of the launch template',
    failure: /SecurityGroup/,
  },
  'two processes that launch the same claim at once create one instance': {
    why: NO_TOKENS,
    failure: /expected 2 to be 1/,
  },
  'answerLost is reported as Unreachable, and the launch continues when it is over, with one instance': {
    why: NO_TOKENS,
    failure: /expected 2 to be 1/,
  },
  'the prices of overlays decide between the types that a claim allows': {
    why: 'its CreateFleet launches the first override, whatever the priorities are',
    failure: /expected 'm5.large' not to be 'm5.large'/,
  },
  'an instance and all its parts are deleted, and deletion reports when it is gone': {
    why: 'its TerminateInstances says of a terminated instance, too, that it is shutting down',
    failure: /expected \{ state: 'deleting', .* \} to deeply equal \{ state: 'gone' \}/,
  },
  'throttled calls are waited out, not reported as a failure': {
    why: 'it has no limits of call rates',
    failure: /moto cannot throttle/,
  },
  'when nothing is available it ends in no capacity, with what failed no longer offered': {
    why: 'its CreateFleet launches everything that is asked for, and returns no errors',
    failure: /moto cannot lack capacity/,
  },
};

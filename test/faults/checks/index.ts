/** Every checker there is. */
import { nobodyWritesOverAndOver, nothingGrowsWithoutEnd } from './bounds.ts';
import type { MakeCheck } from './check.ts';
import { conditionsMoveByTheTable } from './conditions.ts';
import { podsGoByTheRules } from './drains.ts';
import { everybodyRunsOrKnowsWhy } from './explanations.ts';
import { finalizersGoLast } from './finalizers.ts';
import { launchesAreBounded } from './launches.ts';
import { limitsHold } from './limits.ts';
import { noClaimWithoutMachine, nothingLeaks, oneMachinePerClaim } from './machines.ts';
import { nothingFailsInQuiet, nothingIsWrittenInQuiet } from './quiet.ts';
import { callRatesHold } from './rates.ts';
import { secretsAppearNowhere } from './secrets.ts';
import { oneWriter, writesAreConditional } from './writers.ts';

export const CHECKS: readonly MakeCheck[] = [
  oneMachinePerClaim,
  nothingLeaks,
  noClaimWithoutMachine,
  podsGoByTheRules,
  limitsHold,
  finalizersGoLast,
  launchesAreBounded,
  nothingIsWrittenInQuiet,
  nothingFailsInQuiet,
  conditionsMoveByTheTable,
  nothingGrowsWithoutEnd,
  nobodyWritesOverAndOver,
  callRatesHold,
  secretsAppearNowhere,
  oneWriter,
  writesAreConditional,
  everybodyRunsOrKnowsWhy,
];

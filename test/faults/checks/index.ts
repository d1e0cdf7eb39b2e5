/** The checkers of every cloud. Each cloud adds its own. */
import { boundedResources, noWriteLoops } from './bounds.ts';
import type { MakeCheck } from './check.ts';
import { conditionTransitions } from './conditions.ts';
import { nothingBlockedIsDisrupted } from './disruption/blocks.ts';
import { disruptionBudgets } from './disruption/budgets.ts';
import { noDisruptionInCircles } from './disruption/circles.ts';
import { commandsAreFinished, replacementBeforeRemoval } from './disruption/commands.ts';
import { consolidatedPodsFit } from './disruption/placement.ts';
import { consolidationCostsLess } from './disruption/prices.ts';
import { surgingPodsHaveSuccessors } from './disruption/surges.ts';
import { drainRules } from './drains.ts';
import { podsRunOrAreExplained } from './explanations.ts';
import { finalizerOrder } from './finalizers.ts';
import { boundedLaunches } from './launches.ts';
import { nodePoolLimits } from './limits.ts';
import { noClaimWithoutVm, noLeakedResources } from './machines.ts';
import { othersAreLeftAlone } from './others.ts';
import { noErrorsWhenStable, noWritesWhenStable } from './quiet.ts';
import { rateLimits } from './rates.ts';
import { noLeakedSecrets } from './secrets.ts';
import { cutWatchesReopen } from './watches.ts';
import { conditionalWrites, singleWriter } from './writers.ts';

export const CHECKS: readonly MakeCheck[] = [
  noLeakedResources,
  noClaimWithoutVm,
  drainRules,
  nodePoolLimits,
  finalizerOrder,
  boundedLaunches,
  noWritesWhenStable,
  noErrorsWhenStable,
  conditionTransitions,
  boundedResources,
  noWriteLoops,
  rateLimits,
  noLeakedSecrets,
  singleWriter,
  conditionalWrites,
  podsRunOrAreExplained,
  cutWatchesReopen,
  disruptionBudgets,
  nothingBlockedIsDisrupted,
  surgingPodsHaveSuccessors,
  replacementBeforeRemoval,
  commandsAreFinished,
  consolidatedPodsFit,
  consolidationCostsLess,
  noDisruptionInCircles,
  othersAreLeftAlone,
];

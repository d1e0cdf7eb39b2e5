/** The timeline: what happened when, from the stages of the claim and the conditions of claim, node and pod. */
import {
  type Conditioned,
  conditionOf,
  type EvidenceSet,
  isTrue,
  type JourneyStage,
} from '../causes/index.ts';

export interface JourneyStep {
  readonly atMs: number;
  /** `claim default-x7k2p`, `pod shop/web-1`. */
  readonly who: string;
  readonly what: string;
  readonly outcome: 'ok' | 'waiting' | 'failed';
  readonly detail: string;
}

const MAX_STEPS = 60;

/** The steps of the named claim, otherwise of the claim of the object, in chronological order. */
export function journeyOf(evidence: EvidenceSet, claimName?: string): readonly JourneyStep[] {
  const node = evidence.all('node').find(({ claim }) => claim !== undefined);
  const claims = evidence.all('nodeClaim');
  const claim =
    claims.find(({ name }) => name === claimName) ??
    claims.find(({ name }) => name === node?.claim) ??
    claims.find((each) => !isTrue(each, 'Initialized')) ??
    claims[0];
  const steps: JourneyStep[] = [];
  if (claim !== undefined) {
    const who = `claim ${claim.name}`;
    steps.push(step(claim.createdAtMs, who, 'created'));
    const journey = evidence.all('journey').find((each) => each.claim === claim.name);
    for (const stage of journey?.stages ?? []) steps.push(stageStep(stage, who));
    steps.push(...conditionSteps(claim, who, ['Launched', 'Registered', 'Initialized']));
    if (claim.deletingSinceMs !== undefined) steps.push(step(claim.deletingSinceMs, who, 'deleted'));
  }
  const pod = evidence.first('pod');
  if (pod !== undefined) {
    const who = `pod ${pod.name}`;
    steps.push(step(pod.createdAtMs, who, 'created'));
    steps.push(...conditionSteps(pod, who, ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready']));
  }
  return steps
    .filter(({ atMs }) => Number.isFinite(atMs))
    .sort((one, other) => one.atMs - other.atMs)
    .slice(0, MAX_STEPS);
}

// ---------------------------------------------------------------------------------------------------

function step(atMs: number, who: string, what: string, detail = ''): JourneyStep {
  return { atMs, who, what, outcome: 'ok', detail };
}

function stageStep({ name, atMs, outcome, facts = {}, message }: JourneyStage, who: string): JourneyStep {
  const words = Object.entries(facts).map(([fact, value]) =>
    typeof value === 'object' ? `${fact} ${value.value} (${value.source})` : `${fact} ${value}`,
  );
  return { atMs, who, what: name, outcome, detail: message ?? words.join(', ') };
}

/** Times at which conditions became True; other conditions give no step. */
function conditionSteps(object: Conditioned, who: string, types: readonly string[]): readonly JourneyStep[] {
  return types.flatMap((type) => {
    const condition = conditionOf(object, type);
    if (condition?.status !== 'True') return [];
    return [step(Date.parse(condition.lastTransitionTime), who, type)];
  });
}

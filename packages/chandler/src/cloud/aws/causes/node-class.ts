/**
 * Layer 1, the EC2NodeClass: reasons of its conditions, and what to do about each. A condition that is Unknown blocks launches
 * as one that is False does. What the controller may not do is in `denied.ts`.
 */
import { type Cause, type EvidenceSet, type Match, problemOf, seen } from '../../../causes/index.ts';

import { ERROR_CLASSIFIER } from '../evidence/classify-error.ts';
import { classProblems, controllerFacts, errorText, SHOW_CLASS } from './aws-row.ts';
import { fitsText, LAUNCH_ROWS } from './launch-failures.ts';
import { ACCESS_ROWS } from './launch-rows.table.ts';
import { CLASS_ROWS } from './node-class-rows.table.ts';

export const NODE_CLASS: readonly Cause[] = [
  ...CLASS_ROWS.map(
    (row): Cause => ({
      id: `ec2nodeclass.${row.name}`,
      layer: 'configuration',
      specificity: row.specificity ?? 'exact',
      title: row.title,
      symptom: `The EC2NodeClass is not Ready (${row.reasons.join(', ')}).`,
      summary: 'EC2NodeClass {nodeClass}: {problem}.',
      fix: row.fix,
      confirm: [SHOW_CLASS, ...(row.confirm ?? [])],
      explains: ['aws.class-readiness-unknown'],
      recognise: (evidence) =>
        problemFor(evidence, ({ reason = '' }) => row.reasons.includes(reason)) ??
        refusedLaunch(evidence, row.reasons),
    }),
  ),
  // AWS does not answer, or not to these credentials: the same for a class as for a launch.
  ...ACCESS_ROWS.map(
    (row): Cause => ({
      id: `ec2nodeclass.${row.name}`,
      layer: 'configuration',
      specificity: 'exact',
      title: row.title,
      symptom: 'A condition of the EC2NodeClass is not True, and its message has the error of AWS.',
      summary: 'EC2NodeClass {nodeClass}: {problem}.',
      fix: row.fix,
      confirm: [SHOW_CLASS, ...(row.confirm ?? [])],
      explains: [
        'configuration.node-class-not-ready',
        'aws.class-readiness-unknown',
        'ec2nodeclass.resolution-failed',
        'ec2nodeclass.dry-run-failed',
        'ec2nodeclass.placement-group-unreadable',
        'ec2nodeclass.cluster-cidr',
      ],
      recognise: (evidence) =>
        problemFor(evidence, ({ message = '' }) => {
          const classified = ERROR_CLASSIFIER.classify(message);
          return classified !== undefined && fitsText(row, classified.reason, message);
        }),
    }),
  ),
  {
    id: 'ec2nodeclass.warning',
    layer: 'configuration',
    specificity: 'particular',
    title: 'The EC2NodeClass is valid, with a warning',
    symptom: 'A condition of the EC2NodeClass is True and has a message.',
    summary: 'EC2NodeClass {nodeClass}: {problem}.',
    fix: 'Check the field that the message names: it has no effect, or another one than it seems.',
    confirm: [SHOW_CLASS],
    recognise: warning,
  },
];

/** Whether a reason of a condition has a row here. */
export function isExplainedReason(reason: string): boolean {
  return EXPLAINED.has(reason);
}

// ---------------------------------------------------------------------------------------------------------------

/** Of DependenciesNotReady, the dependencies say more. */
const EXPLAINED: ReadonlySet<string> = new Set([
  'DependenciesNotReady',
  ...CLASS_ROWS.flatMap(({ reasons }) => reasons),
]);

/** Launches fail with some of these reasons, too. */
function refusedLaunch(evidence: EvidenceSet, reasons: readonly string[]): Match | undefined {
  const error = evidence
    .all('cloudError')
    .find(({ reason }) => reasons.includes(reason) && !OF_LAUNCHES.has(reason));
  if (error === undefined) return undefined;
  const claim = evidence.all('nodeClaim').find(({ name }) => name === error.claim);
  return {
    facts: {
      claim: error.claim,
      nodeClass: claim?.nodeClass ?? '',
      problem: error.message.replace(/\.$/, ''),
    },
    seen: [seen(error, errorText(error))],
  };
}

const OF_LAUNCHES: ReadonlySet<string> = new Set(LAUNCH_ROWS.flatMap(({ reasons }) => reasons));

function warning(evidence: EvidenceSet): Match | undefined {
  for (const nodeClass of evidence.all('nodeClass')) {
    const condition = nodeClass.conditions.find(
      ({ type, status, message = '' }) => type !== 'Ready' && status === 'True' && message !== '',
    );
    if (condition === undefined) continue;
    const problem = (condition.message ?? '').replace(/\.$/, '');
    return {
      weight: 'suspicious',
      facts: { nodeClass: nodeClass.name, problem },
      seen: [seen(nodeClass, `${condition.type} is True: ${problem}`)],
    };
  }
  return undefined;
}

type Condition = ReturnType<typeof classProblems>[number]['condition'];

function problemFor(evidence: EvidenceSet, fits: (condition: Condition) => boolean): Match | undefined {
  for (const { nodeClass, condition } of classProblems(evidence)) {
    if (!fits(condition)) continue;
    const { type, status, reason = '', message = '' } = condition;
    return {
      facts: {
        ...controllerFacts(evidence),
        nodeClass: nodeClass.name,
        problem: problemOf(condition).replace(/\.$/, ''),
      },
      seen: [seen(nodeClass, `${type} is ${status}, ${reason}: ${message}`)],
    };
  }
  return undefined;
}

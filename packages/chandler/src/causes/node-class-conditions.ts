/** Causes that are read from the conditions of a node class, which have a closed set of reasons. Shared by every cloud. */
import type { Condition } from '../api/index.ts';
import { type Cause, type Match, seen } from './cause.ts';
import type { NodeClassEvidence } from './evidence.ts';
import type { EvidenceSet } from './evidence-set.ts';

/** A cause for each of these reasons of a condition that is False. */
export function nodeClassRow(name: string, reasons: readonly string[], title: string, fix: string): Cause {
  return {
    id: `configuration.${name}`,
    layer: 'configuration',
    specificity: 'exact',
    title,
    symptom: `The NodeClass is not Ready (${reasons.join(', ')}).`,
    summary: 'NodeClass {nodeClass}: {problem}.',
    fix,
    confirm: ['kubectl describe {nodeClassResource} {nodeClass}'],
    recognise: (evidence) => classProblem(evidence, reasons),
  };
}

/** A condition of the node class that is False for one of these reasons. */
export function classProblem(
  evidence: EvidenceSet,
  reasons: readonly string[],
  accept: (nodeClass: NodeClassEvidence) => boolean = () => true,
): Match | undefined {
  for (const nodeClass of evidence.all('nodeClass')) {
    const condition = nodeClass.conditions.find(
      ({ status, reason }) => status === 'False' && reasons.includes(reason ?? ''),
    );
    if (condition === undefined || !accept(nodeClass)) continue;
    return {
      facts: {
        nodeClass: nodeClass.name,
        set: nodeClass.diskEncryptionSet?.id ?? '',
        problem: problemOf(condition),
      },
      seen: [seen(nodeClass, `${condition.type} is False, ${condition.reason}: ${condition.message ?? ''}`)],
    };
  }
  return undefined;
}

/** The separator between a problem and its remedy in the message of a condition. */
const REMEDY = '; to fix this, ';

/** The message of a condition: the problem, then what to do about it. `problemOf` splits it again. */
export function withRemedy(problem: string, remedy: string): string {
  return `${problem}${REMEDY}${remedy}`;
}

/** The message without its remedy, because the cause has its own. */
export function problemOf({ message = '', reason = '' }: Condition): string {
  const text = message.split(REMEDY)[0]!.trim();
  return text === '' ? reason : text;
}

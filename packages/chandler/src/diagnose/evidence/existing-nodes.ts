/**
 * Nodes that have all labels which a pod requires, where no NodePool could launch one: nodes of node pools that the cloud
 * manages, static ones, or older ones. Then "no node has the labels" would be false.
 */
import { NODES } from '@chandler/kube';
import { listOr, type RefusalFact, wholeFailure } from '../../causes/index.ts';
import { compileSelector, type LabelSelector } from '../../scheduling/index.ts';

import type { ReadEvent } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import { type RequiredLabel, requiredLabels } from './may-take.ts';
import { conditionsOf, type NodeShape, type PodShape, timeMs } from './shapes.ts';

/** Empty: the NodePools do not refuse the pod for its labels, or no node has them, as far as nodes could be read. */
export async function existingNodeFacts(
  { reader, recorder }: GatherContext,
  pod: PodShape,
  events: readonly ReadEvent[],
  refusals: readonly RefusalFact[],
): Promise<readonly RefusalFact[]> {
  if (!refusals.some(({ code }) => OF_LABELS.has(code))) return [];
  const wanted = wantedNodes(pod);
  const all = wanted.map(({ labels }) => labels);
  if (all.length === 0) return [];
  const exact = all.length === 1 ? all[0]!.filter(({ values }) => values.length === 1) : [];
  const labels = Object.fromEntries(exact.map(({ name, values }) => [name, values[0]!]));
  const looked = await reader.list(NODES, exact.length === 0 ? {} : { labels });
  const found = listOr(looked).filter(({ metadata }) =>
    wanted.some(({ matches }) => matches(metadata.labels ?? {})),
  );
  const failure = wholeFailure(looked);
  if (found.length === 0 && failure !== undefined) recorder.addUnread('node', UNREAD_NODES, failure);
  if (found.length === 0) return [];
  const sorted = [...(found as readonly NodeShape[])].sort((one, other) =>
    one.metadata.name < other.metadata.name ? -1 : 1,
  );
  const names = sorted.map(({ metadata }) => metadata.name);
  const shown = sorted.slice(0, MAX_NAMED).map((node) => `${node.metadata.name}${stateOf(node)}`);
  const more = names.length > MAX_NAMED ? `, …` : '';
  const said = schedulerWord(events);
  const selector = all[0]!.map(({ name, values }) => `${name}=${values[0]}`).join(',');
  const why = said === undefined ? '' : `; the scheduler says: ${said.message}`;
  return [
    {
      code: 'ExistingNodes',
      facts: { selector, existing: names.slice(0, MAX_NAMED).join(', ') },
      text: `${names.length} existing node(s) have the labels that it requires (${shown.join(', ')}${more}), and no NodePool launches another one${why}`,
    },
  ];
}

/** It was created a moment ago, and the scheduler has not said why no node takes it. */
export function isBeingScheduled(
  { recorder }: GatherContext,
  { metadata }: PodShape,
  events: readonly ReadEvent[],
): boolean {
  const ageMs = recorder.atMs - (timeMs(metadata.creationTimestamp) ?? 0);
  return ageMs <= SCHEDULED_MS && schedulerWord(events) === undefined;
}

// ---------------------------------------------------------------------------------------------------

const SCHEDULED_MS = 60_000;
const UNREAD_NODES = 'Nodes with the labels that the pod requires';
const MAX_NAMED = 3;
const OF_LABELS: ReadonlySet<string> = new Set([
  'LabelUndefined',
  'RequirementIncompatible',
  'RestrictedLabel',
]);

interface WantedNodes {
  readonly labels: readonly RequiredLabel[];
  readonly matches: (labels: Readonly<Record<string, string>>) => boolean;
}

/** One for each alternative of its affinity that requires some value, and compares no numbers. */
function wantedNodes(pod: PodShape): readonly WantedNodes[] {
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  return requiredLabels(pod).flatMap((labels, index) => {
    if (labels.length === 0) return [];
    const others = (terms[index]?.matchExpressions ?? []).filter(({ operator }) => operator !== 'In');
    const exact = labels.map(({ name: key, values }) => ({ key, operator: 'In', values }));
    const selector = compileSelector({ matchExpressions: [...exact, ...others] } as LabelSelector);
    return 'problem' in selector ? [] : [{ labels, matches: selector.matches }];
  });
}

function schedulerWord(events: readonly ReadEvent[]): ReadEvent | undefined {
  return events.findLast(
    ({ reason, component }) => reason === 'FailedScheduling' && !/karpenter|chandler/.test(component),
  );
}

/** What keeps every pod from it. */
function stateOf(node: NodeShape): string {
  const ready = conditionsOf(node).find(({ type }) => type === 'Ready');
  if (ready !== undefined && ready.status !== 'True') return ', not Ready';
  return node.spec?.unschedulable === true ? ', cordoned' : '';
}

/**
 * Labels of an existing Node. A kubelet sets its labels only when it registers, so the agent sets labels that changed in
 * the config, with the credential of the node. A node is not allowed to change its taints: they take effect when the Node
 * registers again.
 */
import type { NodeFacts } from '../azure/cluster-client.ts';
import type { Facts } from '../step.ts';
import { clusterAddress, type Live, nodeCredential } from './live.ts';
import { wantedLabels } from './unit.ts';

/** The labels that were set last, so that a label removed from the config is removed from the Node. */
const LABELS_FACT = 'node.labels';

/** The label changes of the Node; empty if there are none. */
export function labelChanges(
  live: Pick<Live, 'config' | 'facts'>,
  node: NodeFacts,
): Readonly<Record<string, string | null>> {
  const there = node.labels;
  if (there === undefined) return {};
  const wanted = wantedLabels(live.config.node.labels);
  const changes: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(wanted)) if (there[name] !== value) changes[name] = value;
  for (const name of previousLabels(live.facts)) {
    if (!(name in wanted) && name in there) changes[name] = null;
  }
  return changes;
}

export async function settleLabels(
  live: Live,
  facts: Facts,
  node: NodeFacts,
  say: (message: string, fields?: Readonly<Record<string, string | number>>) => void,
): Promise<void> {
  const changes = labelChanges(live, node);
  const names = Object.keys(changes);
  const credential = names.length === 0 ? undefined : await nodeCredential(live);
  if (credential !== undefined) {
    await live.cluster.labelNode(
      clusterAddress(live.facts),
      credential,
      live.config.agent.nodeName,
      changes,
      live.signal,
    );
    say('set labels on the Node', { labels: names.join(',') });
  }
  const given = Object.keys(wantedLabels(live.config.node.labels)).sort().join(',');
  if (facts.get(LABELS_FACT) !== given) await facts.set(LABELS_FACT, given);
}

// ---------------------------------------------------------------------------------------------------

function previousLabels(facts: Pick<Facts, 'get'>): readonly string[] {
  return (facts.get(LABELS_FACT) ?? '').split(',').filter((name) => name !== '');
}

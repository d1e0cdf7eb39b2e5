/**
 * Which NodePools of an inventory launch nodes for pods, as the controller decides it. Every other pool becomes a note of the
 * report. What only the controller knows, such as its backoff, is not known here.
 */
import { conditionOf } from '@chandler/kube';
import { type NodePool, nodePoolKind, withDefaults } from '../../api/index.ts';
import type { Inventory } from './inventory.ts';

/** @param chosen use only these; empty for all. */
export function usablePools(inventory: Inventory, chosen: readonly string[], notes: string[]): NodePool[] {
  const all = inventory.objects<NodePool>('NodePool');
  if (all.length === 0) {
    notes.push(
      'The input has no NodePool; a NodePool "default" with on-demand Linux nodes (amd64) is assumed.',
    );
    return [DEFAULT_POOL];
  }
  const usable: NodePool[] = [];
  for (const pool of all) {
    const name = pool.metadata.name ?? '';
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const why = whyUnused(inventory, pool);
    if (why === undefined) usable.push({ ...pool, spec: withDefaults(nodePoolKind.spec, pool.spec) });
    else notes.push(`NodePool ${name} ${why}.`);
  }
  return usable;
}

// ---------------------------------------------------------------------------------------------------------------

function whyUnused(inventory: Inventory, pool: NodePool): string | undefined {
  if (pool.metadata.deletionTimestamp) return 'is being deleted and launches no nodes';
  if (pool.spec.replicas !== undefined) return 'is static (replicas) and launches no nodes for pods';
  const ready = whyNotReady(inventory, pool);
  if (ready !== undefined) return `is not Ready and launches no nodes: ${ready}`;
  const nodeClass = whyWithoutClass(inventory, pool);
  return nodeClass && `launches no nodes: ${nodeClass}`;
}

/** A pool of a file without the condition will become Ready when it is applied. */
function whyNotReady(inventory: Inventory, pool: NodePool): string | undefined {
  const ready = conditionOf(pool, 'Ready');
  if (ready?.status === 'True') return undefined;
  if (ready === undefined)
    return inventory.isLive(pool) ? 'no controller has set its condition Ready' : undefined;
  const ofClass = conditionOf(pool, 'NodeClassReady');
  const { reason, message } = ofClass?.status === 'False' ? ofClass : ready;
  const text = [reason, message].filter(Boolean).join(': ');
  return text === '' ? `its condition Ready is ${ready.status}` : text.replace(/\.$/, '');
}

/** Its condition may be older than the deletion of its class. Files often have no node class. */
function whyWithoutClass(inventory: Inventory, pool: NodePool): string | undefined {
  if (!inventory.isLive(pool)) return undefined;
  const { kind, name } = pool.spec.template.spec.nodeClassRef;
  const nodeClass = inventory.objects(kind).find(({ metadata }) => metadata.name === name);
  if (nodeClass === undefined)
    return inventory.isListed(kind) ? `its ${kind} ${name} does not exist` : undefined;
  return nodeClass.metadata.deletionTimestamp ? `its ${kind} ${name} is being deleted` : undefined;
}

const DEFAULT_POOL: NodePool = {
  metadata: { name: 'default' },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'chandler.sh', kind: 'Simulated', name: 'default' },
        requirements: [
          { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
        ],
      },
    },
  },
};

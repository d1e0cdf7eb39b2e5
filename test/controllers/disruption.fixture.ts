/** Clusters for tests of disruption: workloads on nodes of their own, and what happens to nodes over time. */
import { DEPLOYMENTS, type KubeObject, NODES, PODS } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { RepairPolicy } from '../../packages/chandler/src/cloud/index.ts';
import { type FullStage, fullStage } from './all-controllers.ts';
import { NODE_CLASS, pool, type StageOptions } from './stage.ts';

export interface Disruption extends Record<string, unknown> {
  readonly consolidateAfter?: string;
  readonly consolidationPolicy?: string;
  readonly budgets?: readonly object[];
}

/** A class, a pool and workloads that run, each with the CPU that it requests. Budgets are open unless they are given. */
export async function runningWorkloads(
  cpus: Readonly<Record<string, string>>,
  options: {
    readonly disruption?: Disruption;
    readonly pool?: Record<string, unknown>;
    readonly stage?: Omit<StageOptions, 'controllers'>;
  } = {},
): Promise<FullStage> {
  const full = await fullStage(options.stage);
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  const disruption = { budgets: [{ nodes: '100%' }], consolidateAfter: '0s', ...options.disruption };
  await stage.apply(NODE_POOLS, pool('general', { disruption, ...options.pool }));
  await addWorkloads(full, cpus);
  return full;
}

/** Deployments of one pod each, one after the other, so that each may get a node of its own; waits until all run. */
export async function addWorkloads(full: FullStage, cpus: Readonly<Record<string, string>>): Promise<void> {
  const { stage } = full;
  for (const [name, cpu] of Object.entries(cpus)) {
    const labels = { app: name };
    const containers = [{ name: 'main', image: 'i', resources: { requests: { cpu } } }];
    await stage.apply(DEPLOYMENTS, {
      metadata: { name, namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    await stage.until(`${name} runs`, () => runs(full, name));
  }
}

export async function runs(full: FullStage, name: string): Promise<boolean> {
  return (await podOf(full, name)) !== undefined;
}

/** The Node on which the workload runs. */
export async function nodeOf(full: FullStage, name: string): Promise<string> {
  const { nodeName } = ((await podOf(full, name))?.['spec'] ?? {}) as { nodeName?: string };
  if (nodeName === undefined) throw new Error(`${name} does not run`);
  return nodeName;
}

export async function podOf({ stage }: FullStage, name: string): Promise<KubeObject | undefined> {
  return (await stage.list(PODS)).find(
    ({ metadata, ...pod }) =>
      metadata.labels?.['app'] === name &&
      metadata.deletionTimestamp === undefined &&
      (pod['status'] as { phase?: string } | undefined)?.phase === 'Running',
  );
}

/** Its pod goes, and does not return. */
export async function removeWorkload({ stage }: FullStage, name: string): Promise<void> {
  await stage.admin.delete(DEPLOYMENTS, { name, namespace: 'default' });
}

export async function nodeNames({ stage }: FullStage): Promise<readonly string[]> {
  return (await stage.list(NODES)).map(({ metadata }) => metadata.name!).sort();
}

export async function claims({ stage }: FullStage): Promise<readonly KubeObject[]> {
  return stage.list(NODE_CLAIMS);
}

export function hasTaint(node: KubeObject | undefined): boolean {
  const { taints = [] } = (node?.['spec'] ?? {}) as { taints?: readonly { key: string }[] };
  return taints.some(({ key }) => key === 'karpenter.sh/disrupted');
}

export function reasonOf(claim: KubeObject | undefined): string | undefined {
  const { conditions = [] } = (claim?.['status'] ?? {}) as {
    conditions?: readonly { type: string; reason: string }[];
  };
  return conditions.find(({ type }) => type === 'DisruptionReason')?.reason;
}

export function commandOf(claim: KubeObject | undefined): string | undefined {
  return claim?.metadata.annotations?.['chandler.sh/disruption-command'];
}

/** The template changes, so that every node of the pool drifts; new nodes do not. */
export async function driftAll({ stage }: FullStage): Promise<void> {
  const patch = { spec: { template: { metadata: { labels: { version: '2' } } } } };
  await stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
}

/** A fallback, and the policy for the condition `Ill`. */
export function policiesFor(policy: Partial<RepairPolicy>): readonly RepairPolicy[] {
  const ill = { conditionType: 'Ill', conditionStatus: 'True', tolerationMs: 30_000 } as const;
  const fallback = { conditionType: 'Ready', conditionStatus: 'Unknown', tolerationMs: 3_600_000 } as const;
  return [
    { ...fallback, action: 'ReplaceNode', fallback: true },
    { ...ill, action: 'ReplaceNode', ...policy },
  ];
}

/** The node shows the condition `Ill`, or no longer. */
export async function setIll({ stage }: FullStage, node: string, ill = true): Promise<void> {
  const now = new Date(stage.world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const condition = { type: 'Ill', status: ill ? 'True' : 'False', reason: 'Test', message: '', ...times };
  const patch = { status: { conditions: [condition] } };
  await stage.admin.patchStatus(NODES, { name: node }, { type: 'strategic', patch });
}

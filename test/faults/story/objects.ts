/**
 * The objects of a random workload: pools, node classes, deployments, disruption budgets. Few and small on
 * purpose, so that each of them is affected often.
 */
import type { Chance } from '../../scheduling/chance.ts';
import type { CloudStory } from '../cloud-story.ts';

export const LARGEST_CPU = 16;

export function aPool(chance: Chance, story: CloudStory, name: string, className: string): object {
  const dedicated = chance.happens(0.25);
  const capacity = chance.happens(0.3) ? ['spot', 'on-demand'] : ['on-demand'];
  const gracePeriod = chance.happens(0.3) ? { terminationGracePeriod: chance.one(['40s', '2m']) } : {};
  const expiry = chance.happens(0.15) ? chance.one(['4m', '9m']) : 'Never';
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      weight: chance.between(1, 50),
      ...(chance.happens(0.4) ? { limits: { cpu: `${chance.one([4, 6, 8, 16, 24])}` } } : {}),
      disruption: { consolidateAfter: 'Never' },
      template: {
        metadata: { labels: { pool: name, edition: '1' } },
        spec: {
          nodeClassRef: story.nodeClassRef(className),
          expireAfter: expiry,
          ...gracePeriod,
          ...(dedicated ? { taints: [{ key: 'dedicated', value: name, effect: 'NoSchedule' }] } : {}),
          requirements: [
            {
              key: 'karpenter.sh/capacity-type',
              operator: 'In',
              values: story.capacityTypes(capacity),
            },
            story.fewerCores(LARGEST_CPU + 1),
          ],
        },
      },
    },
  };
}

export interface Workload {
  readonly name: string;
  readonly object: object;
}

/** Most can run; some request what no pool has. */
export function aDeployment(
  chance: Chance,
  story: CloudStory,
  name: string,
  pools: readonly string[],
): Workload {
  const annotations = chance.happens(0.12) ? { 'karpenter.sh/do-not-disrupt': 'true' } : {};
  const critical = chance.happens(0.12) ? { priorityClassName: 'system-cluster-critical' } : {};
  const spread = chance.happens(0.15) ? { topologySpreadConstraints: [spreadOver(chance, name)] } : {};
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas: chance.between(1, 6),
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, annotations },
        spec: {
          ...critical,
          ...spread,
          terminationGracePeriodSeconds: chance.one([1, 5, 30]),
          tolerations: chance.happens(0.5) ? [{ key: 'dedicated', operator: 'Exists' }] : [],
          nodeSelector: selectorOf(chance, story, pools),
          containers: [container(chance.one(['250m', '500m', '500m', '1', '1500m', '3']))],
        },
      },
    },
  };
  return { name, object };
}

export function aDaemonSet(chance: Chance): object {
  const critical = chance.happens(0.5) ? { priorityClassName: 'system-node-critical' } : {};
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: {
          ...critical,
          tolerations: [{ key: 'dedicated', operator: 'Exists' }],
          containers: [container('100m')],
        },
      },
    },
  };
}

export function aBudget(name: string, app: string, limit: object): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { ...limit, selector: { matchLabels: { app } } },
  };
}

export function aPod(chance: Chance, name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: 'single' } },
    spec: { containers: [container(chance.one(['100m', '700m', '2']))] },
  };
}

// ---------------------------------------------------------------------------------------------------

function container(cpu: string): object {
  return { name: 'main', image: 'app', resources: { requests: { cpu, memory: '256Mi' } } };
}

function selectorOf(chance: Chance, { zones }: CloudStory, pools: readonly string[]): Record<string, string> {
  const dice = chance.next();
  if (dice < 0.25) return { pool: chance.one(pools) };
  const missing = zones[0]!.replace(/.$/, '9');
  if (dice < 0.3) return { 'topology.kubernetes.io/zone': chance.one([...zones.slice(0, 2), missing]) };
  if (dice < 0.34) return { 'kubernetes.io/arch': 'sparc' };
  return {};
}

function spreadOver(chance: Chance, app: string): object {
  return {
    maxSkew: 1,
    topologyKey: chance.one(['topology.kubernetes.io/zone', 'kubernetes.io/hostname']),
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app } },
  };
}

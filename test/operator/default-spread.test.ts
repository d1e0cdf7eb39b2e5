/** Default topology spread constraints, from the option to the zones of claims: pods of a Deployment that have none of their own. */
import { DEPLOYMENTS, PODS, SERVICES, STATEFUL_SETS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { ZONES } from '../controllers/fake-cloud.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { type OperatorStage, operatorStage } from './operator-stage.ts';

let stage: OperatorStage;
afterEach(() => stage.end());

const ZONE = 'topology.kubernetes.io/zone';
const CONFIG = `podTopologySpread:
  defaultConstraints:
    - maxSkew: 1
      topologyKey: ${ZONE}
      whenUnsatisfiable: DoNotSchedule
`;

async function startWith(args: readonly string[]): Promise<void> {
  stage = await operatorStage();
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '' };
  const patch = { status: { conditions: [{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }] } };
  await stage.inTime(
    stage.admin.patchStatus(AKS_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch }),
  );
  await stage.apply(NODE_POOLS, pool('default'));
  await stage.inTime(stage.operator({ args }).start());
}

function workload(kind: string, replicas: number): object {
  const labels = { app: 'web' };
  const containers = [{ name: 'main', image: 'i', resources: { requests: { cpu: '100m' } } }];
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
      ...(kind === 'StatefulSet' ? { serviceName: 'web', podManagementPolicy: 'Parallel' } : {}),
    },
  };
}

/** The zones that the claims require once all pods run, sorted; `any` for a claim that may be in several zones. */
async function zonesOfClaims(pods: number): Promise<readonly string[]> {
  await stage.until('all pods run', async () => {
    const phases = (await stage.list(PODS)).map((each) => (each['status'] as { phase?: string }).phase);
    return phases.filter((phase) => phase === 'Running').length === pods;
  });
  const claims = await stage.list(NODE_CLAIMS);
  return claims
    .map((claim) => {
      const { requirements } = claim['spec'] as { requirements: { key: string; values?: string[] }[] };
      const values = requirements.find(({ key }) => key === ZONE)?.values ?? [];
      return values.length === 1 ? values[0]! : 'any';
    })
    .sort();
}

describe('--scheduler-config', () => {
  test('spreads the pods of a Deployment without constraints over the zones', async () => {
    await startWith(['--scheduler-config', CONFIG]);
    await stage.apply(DEPLOYMENTS, workload('Deployment', 3));
    expect(await zonesOfClaims(3)).toEqual(ZONES);
  });

  test('spreads the pods of a StatefulSet', async () => {
    await startWith(['--scheduler-config', CONFIG]);
    await stage.apply(STATEFUL_SETS, workload('StatefulSet', 3));
    expect(await zonesOfClaims(3)).toEqual(ZONES);
  });

  test('spreads pods that a Service selects, and no pods that nothing selects', async () => {
    await startWith(['--scheduler-config', CONFIG]);
    await stage.apply(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { app: 'b' }, ports: [{ port: 80 }] },
    });
    const selected = (name: string) => {
      const made = pod(name) as { metadata: { labels: object } };
      return { ...made, metadata: { ...made.metadata, labels: { app: 'b' } } };
    };
    for (const name of ['lone-1', 'lone-2', 'lone-3']) await stage.apply(PODS, pod(name));
    expect(await zonesOfClaims(3)).toEqual(['any']);
    for (const name of ['web-1', 'web-2', 'web-3']) await stage.apply(PODS, selected(name));
    expect(await zonesOfClaims(6)).toEqual(['any', ...ZONES]);
  });

  test('is needed for it: without it, pods share a node, and nothing that selects pods is watched', async () => {
    await startWith([]);
    await stage.apply(DEPLOYMENTS, workload('Deployment', 3));
    expect(await zonesOfClaims(3)).toEqual(['any']);
    const watched = /\/(services|replicasets|statefulsets|replicationcontrollers)\b/;
    expect(stage.requests.filter((request) => watched.test(request))).toEqual([]);
  });
});

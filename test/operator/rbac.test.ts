/** The operator under the roles of deploy/rbac.yaml, from an empty cluster to nodes and back: no request is refused. */
import { fetchTransport, type KubeObject, NODES, PODS } from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  AKS_NODE_CLASSES,
  NODE_CLAIMS,
  NODE_OVERLAYS,
  NODE_POOLS,
} from '../../packages/chandler/src/api/index.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { readRules } from '../e2e/role-rules.ts';
import { recordingFetch } from '../e2e/role-use.ts';
import { type AzureStage, azureStage, FEW_SIZES } from './azure-stage.ts';
import { type Asked, recorded } from './request-log.ts';

let stage: AzureStage;
const asked: Asked[] = [];

beforeAll(async () => {
  stage = await azureStage(FEW_SIZES);
  await story();
}, 120_000);
afterAll(() => stage.end());

describe('deploy/rbac.yaml', () => {
  test('allows every request of the controller', () => {
    expect(asked.filter(({ status }) => status === 403 || status === 401).map(asLine)).toEqual([]);
    expect(asked.length).toBeGreaterThan(100);
  });

  test('has no wildcard', () => {
    const rules = readRules();
    expect(rules.length).toBeGreaterThan(50);
    expect(rules.filter(({ verb, group, resource }) => [verb, group, resource].includes('*'))).toEqual([]);
  });
});

// ---------------------------------------------------------------------------------------------------

async function story(): Promise<void> {
  const operator = stage.operator({
    args: ['--feature-gates=NodeOverlay=true,StaticCapacity=true,NodeRepair=true'],
    transport: recorded(
      fetchTransport(recordingFetch(stage.playground.server, stage.playground.azure!.bootstrapToken)),
      asked,
    ),
  });
  await stage.inTime(operator.start());
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_OVERLAYS, {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: 'dearer' },
    spec: { requirements: [], priceAdjustment: '+10%' },
  });
  await stage.apply(NODE_POOLS, aPool('default', {}));
  await stage.apply(NODE_POOLS, aPool('short', { terminationGracePeriod: '10s' }));
  await stage.apply(PODS, pod('a', { nodeSelector: { 'karpenter.sh/nodepool': 'default' } }));
  const stubborn = pod('b', { nodeSelector: { 'karpenter.sh/nodepool': 'short' } }) as KubeObject;
  stubborn.metadata.annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  await stage.apply(PODS, stubborn);
  await stage.apply(
    PODS,
    pod('huge', { containers: [{ name: 'm', image: 'i', resources: { requests: { cpu: '5000' } } }] }),
  );
  await stage.until('pods run', async () => {
    const phases = (await stage.list(PODS)).map((each) => (each['status'] as { phase?: string }).phase);
    return phases.filter((phase) => phase === 'Running').length === 2;
  });
  // One is deleted by its claim, the other by its Node.
  const [one, other] = await stage.list(NODE_CLAIMS);
  await stage.inTime(stage.admin.delete(NODE_CLAIMS, { name: one!.metadata.name! }));
  await stage.inTime(stage.admin.delete(NODES, { name: `aks-${other!.metadata.name}` }));
  await stage.until('all is gone', async () => {
    const left = [...(await stage.list(NODE_CLAIMS)), ...(await stage.list(NODES))];
    return left.length === 0;
  });
  // Images are looked up again, events are repeated, the class is deleted.
  await stage.world.clock.advance(6 * 60_000);
  await stage.inTime(stage.admin.delete(AKS_NODE_CLASSES, { name: 'default' }));
  await stage.until('the class is gone', async () => (await stage.list(AKS_NODE_CLASSES)).length === 0);
  await stage.inTime(operator.stop());
}

/** With one size, so that a plan is quick. */
function aPool(name: string, spec: object): object {
  const made = pool(name) as { spec: { template: { spec: object } } };
  const requirements = [{ key: 'karpenter.azure.com/sku-name', operator: 'In', values: ['Standard_D2s_v5'] }];
  Object.assign(made.spec.template.spec, spec, { requirements });
  return made;
}

function asLine({ verb, group, resource, namespace, name, status }: Asked): string {
  return `${status} ${verb} ${resource}.${group} ${namespace}/${name}`;
}

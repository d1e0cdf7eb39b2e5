/** Every example of examples/azure/ becomes Running on the playground, as its comment says. In virtual time. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KUBE_YAML, type KubeObject, NODES, type Node, PODS, type Pod, type Stored } from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { everyNth } from '../part.ts';
import { type ScenarioHarness, startScenarioHarness } from './scenario-harness.ts';

const FOLDER = join(import.meta.dirname, '../../examples/azure');
const FILES = readdirSync(FOLDER).sort();
const RUN = everyNth('examples', FILES, 6);
const TIMEOUT_MS = 120_000;

/** What the comment of an example says about its nodes: the distinct values of a label, over the nodes of its pods. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'agent-taints.yaml': { 'karpenter.sh/nodepool': ['agent-taints'] },
  'arm64.yaml': {
    'kubernetes.io/arch': ['amd64', 'arm64'],
    'karpenter.sh/nodepool': ['amd64', 'arm64'],
  },
  'azurelinux.yaml': { 'kubernetes.azure.com/os-sku': ['AzureLinux'] },
  'cross-zone.yaml': { 'topology.kubernetes.io/zone': ['eastus-1', 'eastus-2', 'eastus-3'] },
  'dedicated.yaml': { team: ['a'] },
  'general-purpose.yaml': { 'karpenter.sh/nodepool': ['general-purpose'] },
  'gpu.yaml': { 'karpenter.azure.com/sku-gpu-manufacturer': ['nvidia'] },
  'headroom.yaml': { 'karpenter.sh/nodepool': ['headroom'] },
  'large-instances.yaml': { 'karpenter.azure.com/sku-cpu': ['8'] },
  'node-ttl.yaml': { 'karpenter.sh/nodepool': ['node-ttl'] },
  'one-size.yaml': { 'node.kubernetes.io/instance-type': ['Standard_D2s_v5'] },
  'small-instances.yaml': { 'karpenter.azure.com/sku-cpu': ['2'] },
  'spot-or-on-demand.yaml': { 'karpenter.sh/capacity-type': ['spot'] },
  'spot.yaml': { 'karpenter.sh/capacity-type': ['spot'], 'karpenter.sh/nodepool': ['spot-batch'] },
  // The system nodes belong to no NodePool.
  'system-surge.yaml': { 'karpenter.sh/nodepool': ['', 'system-surge'] },
  'ubuntu2204.yaml': { 'kubernetes.azure.com/os-sku-effective': ['Ubuntu2204'] },
  'ubuntu2404.yaml': { 'kubernetes.azure.com/os-sku-effective': ['Ubuntu2404'] },
};

let harness: ScenarioHarness;
beforeAll(async () => {
  harness = await startScenarioHarness();
}, TIMEOUT_MS);
afterAll(() => harness.stop());

const objectsOf = (file: string) =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8'), KUBE_YAML).map(
    (one) => one.toJS() as KubeObject,
  );

const namesOf = (file: string, kind: string) =>
  objectsOf(file).flatMap((object) => (object['kind'] === kind ? [object.metadata.name ?? ''] : []));

describe('the examples for Azure', () => {
  test('the table names every file, and each file begins with what to do and what to expect', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(FILES);
    for (const file of FILES) {
      const head = readFileSync(join(FOLDER, file), 'utf8').split('\napiVersion')[0]!;
      expect(head, file).toContain(`kubectl apply -f examples/azure/${file}`);
      expect(head, file).toContain('What to expect:');
    }
  });

  test.each(RUN)(
    '%s becomes Running',
    async (file) => {
      const until = objectsOf(file).flatMap((object) => {
        const { replicas } = (object['spec'] ?? {}) as { replicas?: number };
        if (object['kind'] !== 'Deployment' || replicas === undefined) return [];
        return [{ pods: { app: object.metadata.name!, running: replicas } }];
      });
      expect(until).not.toEqual([]);
      const actions = objectsOf(file).map((object) => ({ apply: object }));
      const steps = [{ description: file, actions, until, withinMs: 300_000 }];
      const { result } = await harness.run({ name: file, summary: '', speed: 1, steps });
      expect(result).toEqual({ outcome: 'completed' });

      const nodes = await nodesOf(namesOf(file, 'Deployment'));
      for (const [label, values] of Object.entries(EXPECTED[file]!))
        expect([...new Set(nodes.map(({ metadata }) => metadata.labels?.[label] ?? ''))].sort()).toEqual(
          values,
        );
      // No taint of an agent is left on a node that runs pods.
      const keys = nodes.flatMap(({ spec }) => (spec?.taints ?? []).map(({ key }) => key));
      expect(keys.filter((key) => key.endsWith('not-ready'))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test('all NodeClaims of the examples are initialized', async () => {
    await harness.world.clock.advance(60_000);
    const pools = RUN.flatMap((file) => namesOf(file, 'NodePool'));
    const claims = (await harness.admin.list(NODE_CLAIMS)).items.filter(({ metadata }) =>
      pools.includes(metadata.labels?.['karpenter.sh/nodepool'] ?? ''),
    );
    expect(claims.length).toBeGreaterThanOrEqual(pools.length);
    const waiting = claims.filter(
      ({ status }) =>
        !status?.conditions?.some(({ type, status: is }) => type === 'Initialized' && is === 'True'),
    );
    expect(waiting.map(({ metadata }) => metadata.name)).toEqual([]);
  });
});

/** The nodes that run the pods of these apps. */
async function nodesOf(apps: readonly string[]): Promise<readonly Stored<Node>[]> {
  const pods = (await harness.admin.list<Pod>(PODS)).items;
  const names = pods
    .filter(({ metadata }) => apps.includes(metadata.labels?.['app'] ?? ''))
    .map(({ spec }) => spec.nodeName);
  return (await harness.admin.list<Node>(NODES)).items.filter(({ metadata }) =>
    names.includes(metadata.name),
  );
}

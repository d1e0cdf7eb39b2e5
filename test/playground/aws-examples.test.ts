/** Every example of examples/aws/ becomes Running on the playground, as its comment says, and leaves nothing in EC2. In virtual time. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DEPLOYMENTS,
  KUBE_YAML,
  type KubeObject,
  keyOfObject,
  NODES,
  type Node,
  PODS,
  type Pod,
  type ResourceRef,
  type Stored,
} from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { EC2_NODE_CLASSES, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { everyNth } from '../part.ts';
import { startAwsScenarioHarness } from './aws-scenario-harness.ts';
import type { ScenarioHarness } from './scenario-harness.ts';

const FOLDER = join(import.meta.dirname, '../../examples/aws');
const FILES = readdirSync(FOLDER).sort();
const TIMEOUT_MS = 120_000;

/** What the comment of an example says about its nodes: the distinct values of a label, over the nodes of its pods. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'arm64.yaml': { 'kubernetes.io/arch': ['arm64'], 'karpenter.sh/nodepool': ['graviton'] },
  'bottlerocket.yaml': { 'karpenter.sh/nodepool': ['bottlerocket'] },
  'cross-zone.yaml': { 'topology.kubernetes.io/zone': ['us-west-2a', 'us-west-2b', 'us-west-2c'] },
  'general-purpose.yaml': {
    'karpenter.sh/nodepool': ['general-purpose'],
    'karpenter.sh/capacity-type': ['on-demand'],
  },
  'spot.yaml': { 'karpenter.sh/capacity-type': ['spot'], 'karpenter.sh/nodepool': ['spot'] },
  'user-data.yaml': { 'karpenter.sh/nodepool': ['user-data'] },
};

let harness: ScenarioHarness;
beforeAll(async () => {
  harness = await startAwsScenarioHarness();
}, TIMEOUT_MS);
afterAll(() => harness.stop());

const objectsOf = (file: string) =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8'), KUBE_YAML).map(
    (one) => one.toJS() as KubeObject,
  );

describe('the examples for AWS', () => {
  test('the table names every file, and each file begins with what to do and what to expect', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(FILES);
    for (const file of FILES) {
      const head = readFileSync(join(FOLDER, file), 'utf8').split('\napiVersion')[0]!;
      expect(head, file).toContain(`kubectl apply -f examples/aws/${file}`);
      expect(head, file).toContain('What to expect:');
    }
  });

  test.each(everyNth('examples', FILES, 3))(
    '%s becomes Running',
    async (file) => {
      const objects = objectsOf(file);
      const { metadata, ...deployed } = objects.find((object) => object['kind'] === 'Deployment')!;
      const { replicas } = deployed['spec'] as { replicas: number };
      const app = metadata.name!;
      const actions = objects.map((object) => ({ apply: object }));
      const until = [{ pods: { app, running: replicas } }];
      const steps = [{ description: file, actions, until, withinMs: 300_000 }];
      const { result } = await harness.run({ name: file, summary: '', speed: 1, steps });
      expect(result).toEqual({ outcome: 'completed' });
      const nodes = await nodesOf(app);
      for (const [label, values] of Object.entries(EXPECTED[file]!))
        expect([...new Set(nodes.map(({ metadata: { labels } }) => labels?.[label] ?? ''))].sort()).toEqual(
          values,
        );
    },
    TIMEOUT_MS,
  );

  test(
    'when everything is deleted, no instance, launch template or instance profile is left in the account',
    async () => {
      const { admin, playground, world } = harness;
      const kinds: readonly ResourceRef[] = [
        DEPLOYMENTS,
        NODE_POOLS,
        EC2_NODE_CLASSES,
      ] as unknown as readonly ResourceRef[];
      for (const resource of kinds)
        for (const object of (await admin.list(resource)).items)
          await admin.delete(resource, keyOfObject(object));
      const { account } = playground.aws!.server;
      const left = () => ({
        ...playground.cloud!.leftovers(),
        templates: [...account.launchTemplates.keys()],
        profiles: [...account.instanceProfiles.keys()],
      });
      for (let minute = 0; minute < 60 && JSON.stringify(left()) !== JSON.stringify(NOTHING); minute++)
        await world.clock.advance(60_000);
      expect(left()).toEqual(NOTHING);
    },
    TIMEOUT_MS,
  );
});

const NOTHING = { instances: 0, templates: [], profiles: [] };

/** The nodes that run the pods of the app. */
async function nodesOf(app: string): Promise<readonly Stored<Node>[]> {
  const pods = (await harness.admin.list<Pod>(PODS)).items;
  const names = pods
    .filter(({ metadata }) => metadata.labels?.['app'] === app)
    .map(({ spec }) => spec.nodeName);
  return (await harness.admin.list<Node>(NODES)).items.filter(({ metadata }) =>
    names.includes(metadata.name),
  );
}

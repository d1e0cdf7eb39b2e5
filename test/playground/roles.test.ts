import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CLUSTER_ROLES,
  fetchTransport,
  isApiError,
  KUBE_YAML,
  KubeClient,
  type KubeObject,
  NODES,
  SECRETS,
} from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CONTROLLER_USER } from '../../packages/chandler/src/playground/controller.ts';
import { renderRoles } from '../../packages/chandler/src/playground/testing.ts';

import { startAwsScenarioHarness } from './aws-scenario-harness.ts';
import { type ScenarioHarness, startScenarioHarness } from './scenario-harness.ts';

const ROOT = join(import.meta.dirname, '../..');

const objectsOf = (file: string) =>
  parseAllDocuments(readFileSync(join(ROOT, 'deploy', file), 'utf8'), KUBE_YAML).map(
    (document) => document.toJS() as KubeObject,
  );

test.each([
  ['rbac.yaml', 'roles.gen.ts'],
  ['rbac-aws.yaml', 'roles-aws.gen.ts'],
])('the roles of the playground are those of deploy/%s (npm run generate)', (file, generated) => {
  expect(readFileSync(join(ROOT, 'packages/chandler/src/playground', generated), 'utf8')).toBe(
    renderRoles(objectsOf(file), file),
  );
});

test('on EKS the controller may do what it may on AKS, except for node classes and what only one of them has', () => {
  const rulesOf = (file: string) =>
    objectsOf(file).flatMap((object) => {
      const place = `${object.kind} ${object.metadata.name}`;
      const rules = (object['rules'] ?? [{}]) as readonly object[];
      return rules.map((rule) => `${place} ${JSON.stringify(rule)}`);
    });
  const [aks, eks] = [rulesOf('rbac.yaml'), rulesOf('rbac-aws.yaml')];
  const resources = (rules: readonly string[]) =>
    rules.map((rule) => /"resources":\["([^"]+)"/.exec(rule)?.[1]).sort();
  expect(resources(aks.filter((rule) => !eks.includes(rule)))).toEqual([
    'aksnodeclasses',
    'aksnodeclasses/status',
    'ciliumnetworkpolicies',
    'customresourcedefinitions',
    'daemonsets',
    'networkpolicies',
    'networkpolicies',
    'secrets',
  ]);
  expect(resources(eks.filter((rule) => !aks.includes(rule)))).toEqual([
    'customresourcedefinitions',
    'daemonsets',
    'ec2nodeclasses',
    'ec2nodeclasses/status',
  ]);
});

describe('the controller of the playground', () => {
  let harness: ScenarioHarness;
  beforeAll(async () => {
    harness = await startScenarioHarness();
  }, 120_000);
  afterAll(() => harness.stop());

  test('is not an administrator', async () => {
    const client = new KubeClient({
      transport: fetchTransport(harness.playground.server.fetchAs(CONTROLLER_USER)),
    });
    expect((await client.list(NODES)).items).toHaveLength(3);
    const refused = await client.list(SECRETS).catch((error: unknown) => error);
    expect(isApiError(refused, 'forbidden')).toBe(true);
    const roles = (await harness.admin.list(CLUSTER_ROLES)).items.map(({ metadata }) => metadata.name);
    expect(roles).toContain('chandler');
  });

  test('has all permissions that it needs', () => {
    expect(refusalsOf(harness)).toEqual([]);
  });
});

test('on EKS the controller may read the DaemonSet aws-node, from which it detects prefix delegation', async () => {
  const harness = await startAwsScenarioHarness(['--cni-prefix-delegation=detect']);
  try {
    expect(refusalsOf(harness)).toEqual([]);
  } finally {
    await harness.stop();
  }
}, 120_000);

function refusalsOf({ world }: ScenarioHarness) {
  return world.lines.filter((line) => /forbidden|Forbidden/.test(JSON.stringify(line)));
}

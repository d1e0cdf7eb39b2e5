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

import { type ScenarioHarness, startScenarioHarness } from './scenario-harness.ts';

const ROOT = join(import.meta.dirname, '../..');

test('the roles of the playground are those of deploy/rbac.yaml (npm run generate)', () => {
  const documents = parseAllDocuments(readFileSync(join(ROOT, 'deploy/rbac.yaml'), 'utf8'), KUBE_YAML);
  const objects = documents.map((document) => document.toJS() as KubeObject);
  expect(readFileSync(join(ROOT, 'packages/chandler/src/playground/roles.gen.ts'), 'utf8')).toBe(
    renderRoles(objects),
  );
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
    const refusals = harness.world.lines.filter((line) => /forbidden|Forbidden/.test(JSON.stringify(line)));
    expect(refusals).toEqual([]);
  });
});

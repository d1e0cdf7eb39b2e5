import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { find, textAt } from '../../model/tree.ts';
import { looksLikeTerraform, readTerraformJson, TerraformJsonReader } from './plan-and-state.ts';

const folder = mkdtempSync(join(tmpdir(), 'state-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (value: unknown) => {
  const reader = new TerraformJsonReader('a.json');
  reader.push(JSON.stringify(value));
  return reader.end();
};

describe('a plan', () => {
  const { resources, outputs } = read({
    format_version: '1.2',
    planned_values: { outputs: { cluster_endpoint: { sensitive: false } } },
    resource_changes: [
      {
        address: 'module.eks.aws_eks_cluster.this',
        mode: 'managed',
        type: 'aws_eks_cluster',
        name: 'this',
        change: {
          actions: ['create'],
          after: { name: 'shop', vpc_config: [{ subnet_ids: null }] },
          after_unknown: { endpoint: true, vpc_config: [{ subnet_ids: true }] },
        },
      },
      { address: 'random_id.x', type: 'random_id', name: 'x', change: { actions: ['create'], after: {} } },
    ],
    configuration: { root_module: { resources: [{ type: 'aws_eks_cluster' }] } },
  });

  test('has its changes, and only those of types that checks read', () => {
    expect(resources).toMatchObject([
      { source: 'plan', address: 'module.eks.aws_eks_cluster.this', actions: ['create'] },
    ]);
    expect(textAt(resources[0]!.values, 'name')).toBe('shop');
  });

  test('what is known only after apply is unknown', () => {
    expect(find(resources[0]!.values, 'endpoint')).toMatchObject({ kind: 'unknown' });
    expect(find(resources[0]!.values, 'vpc_config', 0, 'subnet_ids')).toMatchObject({ kind: 'unknown' });
    expect(outputs).toMatchObject([{ source: 'plan', name: 'cluster_endpoint', value: { kind: 'unknown' } }]);
  });
});

describe('a state', () => {
  test('as terraform show prints it, with modules in modules', () => {
    const own = {
      address: 'module.a.module.b.aws_sqs_queue.q',
      mode: 'managed',
      type: 'aws_sqs_queue',
      name: 'q',
      values: { name: 'k' },
    };
    const { resources, outputs } = read({
      format_version: '1.0',
      values: {
        outputs: { secret: { sensitive: true, value: 'hidden' }, key: { sensitive: false, value: 'k' } },
        root_module: { child_modules: [{ child_modules: [{ resources: [own] }] }] },
      },
    });
    expect(resources).toMatchObject([{ source: 'state', address: own.address }]);
    expect(outputs).toMatchObject([
      { name: 'secret', value: { kind: 'unknown' } },
      { name: 'key', value: { value: 'k' } },
    ]);
    expect(JSON.stringify(outputs)).not.toContain('hidden');
  });

  test('as the file has it, with an address for each instance', () => {
    const { resources } = read({
      version: 4,
      terraform_version: '1.9.0',
      resources: [
        {
          module: 'module.net',
          mode: 'managed',
          type: 'aws_subnet',
          name: 'private',
          instances: [
            { index_key: 0, attributes: { id: 'subnet-1' } },
            { index_key: 'b', attributes: { id: 'subnet-2' } },
          ],
        },
      ],
    });
    expect(resources.map(({ address, values }) => [address, textAt(values, 'id')])).toEqual([
      ['module.net.aws_subnet.private[0]', 'subnet-1'],
      ['module.net.aws_subnet.private["b"]', 'subnet-2'],
    ]);
  });

  test('one that is cut is a problem, and none of it is used', async () => {
    const path = join(folder, 'cut.tfstate');
    writeFileSync(
      path,
      '{"version": 4,\n"resources": [{"type": "aws_subnet", "name": "a", "instances": [{}]},\n',
    );
    const { resources, problems } = await readTerraformJson({ name: 'cut.tfstate', path, sizeBytes: 1 });
    expect(resources).toEqual([]);
    expect(problems).toMatchObject([
      { at: { file: 'cut.tfstate', line: 3 }, message: expect.stringContaining('ends too early') },
    ]);
  });
});

test.each([
  ['terraform.tfstate', '{', true],
  ['plan.json', '{"format_version":"1.2","terraform_version":"1.9.0"', true],
  ['package.json', '{"name":"x"}', false],
])('%s is recognized by its name or by how it begins', (name, beginning, expected) => {
  expect(looksLikeTerraform(name, beginning)).toBe(expected);
});

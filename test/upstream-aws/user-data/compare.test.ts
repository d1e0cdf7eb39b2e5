import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderUserData } from '../../../packages/chandler/src/bootstrap/index.ts';
import { blockDeviceMappings } from '../../../packages/chandler/src/cloud/aws/index.ts';
import { compare, unusedRows } from './compare.ts';
import { WANTED } from './differences.table.ts';
import { userDataFields } from './fields.ts';
import { IMAGE_REQUESTS, imageDifferences } from './images.ts';
import { ownInput, REQUESTS, type RenderRequest } from './inputs.ts';

/** Our own user data in the place of upstream's, changed. */
function answerWith(asked: RenderRequest, change: (text: string) => string) {
  const input = ownInput(asked);
  return {
    name: asked.name,
    userData: change(renderUserData(input).text),
    blockDeviceMappings: blockDeviceMappings(input.nodeClass.family, undefined),
  };
}

describe('the comparison with upstream', () => {
  test('covers every image format', () => {
    expect(REQUESTS.length).toBeGreaterThanOrEqual(12);
    const families = new Set(REQUESTS.map(({ name }) => name.split('-')[0]));
    expect([...families]).toEqual(['al2', 'al2023', 'bottlerocket', 'windows2022', 'windows2019', 'custom']);
  });

  test.each(REQUESTS.map((asked) => [asked.name, asked] as const))(
    '%s does not differ from itself',
    (_, asked) => {
      const { differences, fields } = compare(
        asked,
        answerWith(asked, (text) => text),
      );
      expect(differences).toEqual([]);
      expect(fields).toBeGreaterThan(0);
    },
  );

  test.each([
    ['al2-taints', '--max-pods=29', '--max-pods=30', 'part[0].kubelet.--max-pods'],
    ['al2-taints', 'team=research', 'team=other', 'part[0].kubelet.--node-labels.team='],
    [
      'al2-kubelet',
      'memory.available<5%',
      'memory.available<6%',
      'part[0].kubelet.--eviction-hard.memory.available<',
    ],
    ['al2-mime-raid0', '--local-disks raid0', '--local-disks none', 'part[2].--local-disks'],
    ['al2-mime-raid0', 'echo a', 'echo b', 'part[0].body'],
    ['al2023-gpu-taints', '10.100.0.0/16', '10.0.0.0/16', 'part[0].spec.cluster.cidr'],
    ['al2023-gpu-taints', 'team=research', 'team=other', 'part[0].flags.--node-labels.team='],
    ['bottlerocket-old-raid0', 'max-pods = 29', 'max-pods = 30', 'settings.kubernetes.max-pods'],
    ['windows2022-kubelet', '172.20.0.10', '172.20.0.11', 'call.-DNSClusterIP'],
    ['custom-own', 'join.sh', 'leave.sh', 'text'],
  ])('in %s, %s instead of %s is found', (name, from, to, field) => {
    const asked = REQUESTS.find((each) => each.name === name)!;
    const { differences } = compare(
      asked,
      answerWith(asked, (text) => text.replace(from, to)),
    );
    expect(differences.map((each) => each.field)).toEqual([field]);
    expect(differences[0]!.wanted).toBeUndefined();
  });

  test('a row that explains nothing is found, and a failure of upstream is one', () => {
    expect(unusedRows([])).toEqual(WANTED);
    const answer = { ...answerWith(REQUESTS[0]!, (text) => text), error: 'no amis' };
    expect(() => compare(REQUESTS[0]!, answer)).toThrow('no amis');
  });

  test('a MIME message that is not closed is no message', () => {
    expect(() =>
      userDataFields('MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n--//\nA: b\n\nx'),
    ).toThrow();
  });

  test('a parameter that one side alone asks for is found', () => {
    const asked = IMAGE_REQUESTS.find(({ name }) => name === 'windows2022@latest')!;
    const name =
      '/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.33/image_id';
    const requirements = [
      [
        { key: 'node.kubernetes.io/windows-build', operator: 'In', values: ['10.0.20348'] },
        { key: 'kubernetes.io/os', operator: 'In', values: ['windows'] },
      ],
    ];
    expect(imageDifferences(asked, [{ name, mutable: true, requirements }])).toEqual([]);
    expect(imageDifferences(asked, [{ name, mutable: false, requirements }])).toHaveLength(2);
    expect(imageDifferences(asked, [{ name, mutable: true, requirements: null }])).toHaveLength(2);
    expect(imageDifferences(asked, [])).toHaveLength(1);
  });

  test('the documentation lists every wanted difference', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/user-data.md'), 'utf8');
    for (const { name, why } of WANTED) expect(page).toContain(`| ${name} | ${why} |`);
  });
});

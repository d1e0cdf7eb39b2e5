/** Which obstacle stands for a pool whose types fail several requirements. */
import { describe, expect, test } from 'vitest';
import { aPod, aPool, aType, cluster } from '../cluster.fixture.ts';
import { solve } from '../solve.ts';

const ARCH = 'kubernetes.io/arch';
const TYPE = 'node.kubernetes.io/instance-type';

/** Two pools, so that every value is known. */
function refusalOfFirst(nodeSelector: Record<string, string>) {
  const arm = (name: string) => aType(name, { arch: 'arm64' });
  const pools = [
    aPool('first', { types: [aType('a'), arm('b')] }),
    aPool('second', { types: [arm('c')], limits: { nodes: '0' } }),
  ];
  const [refusal] = solve(cluster({ pools, pods: [aPod('x', { nodeSelector })] })).refusals;
  return refusal!.pools.find(({ nodePool }) => nodePool === 'first')!.refusal;
}

describe('of a pool whose types fail several requirements', () => {
  test('the one that no type meets is named', () => {
    expect(refusalOfFirst({ [ARCH]: 'arm64', [TYPE]: 'c' })).toMatchObject({
      code: 'RequirementIncompatible',
      key: TYPE,
      source: 'pod',
    });
  });

  test('all are named where some type meets each', () => {
    expect(refusalOfFirst({ [ARCH]: 'arm64', [TYPE]: 'a' })).toMatchObject({ code: 'NoTypeMeetsAll' });
  });
});

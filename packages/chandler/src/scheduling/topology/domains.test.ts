import { expect, test } from 'vitest';
import { aPool, aType, oneOf, pods, spreadOver } from '../cluster.fixture.ts';
import { solve } from '../solve.ts';

const RACK = 'example.com/rack';

test('a NodePool without a type that it can launch adds no domain to a spread', () => {
  const requirements = (rack: string) => [oneOf(RACK, rack) as never];
  const pools = [
    aPool('usable', { requirements: requirements('r1') }),
    aPool('empty', {
      types: [aType('foreign', { arch: 'arm64' })],
      requirements: [...requirements('r2'), oneOf('kubernetes.io/arch', 'amd64') as never],
    }),
  ];
  const plan = solve({ pools, pods: pods(3, 'web', { cpu: '500m', ...spreadOver(RACK, 'web') }) });
  expect(plan.counts).toMatchObject({ placed: 3, refused: 0 });
});

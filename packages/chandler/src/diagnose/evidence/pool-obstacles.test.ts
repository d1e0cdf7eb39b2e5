import { expect, test } from 'vitest';
import { type PoolStart, rankPools } from './pool-obstacles.ts';

const start = (name: string, first: PoolStart['first'], isReady = true): PoolStart => ({
  attempt: {
    pod: { metadata: { name: 'web' }, spec: { containers: [] } },
    pool: { metadata: { name }, spec: { template: { spec: {} } } },
    types: [],
  } as unknown as PoolStart['attempt'],
  first,
  certain: { labels: [], taints: [] },
  signs: { selected: false, meant: false },
  isReady,
  wellKnown: new Set(),
});

test('the nearest NodePools are among all, so that the others are known', () => {
  const full = {
    nodePool: 'full',
    refusal: { code: 'HostPortTaken', port: 80, protocol: 'TCP' },
  } as unknown as PoolStart['first'];
  const { nearest, all } = rankPools(
    () => undefined,
    [start('full', full), start('broken', undefined, false)],
  );
  const names = (of: typeof all) => of.map(({ pool }) => pool.metadata.name);
  expect(names(nearest)).toEqual(['broken']);
  expect(names(all.filter((each) => !nearest.includes(each)))).toEqual(['full']);
});

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

test('the nearest NodePools are among all, so that the others are known', async () => {
  const full = {
    nodePool: 'full',
    refusal: { code: 'HostPortTaken', port: 80, protocol: 'TCP' },
  } as unknown as PoolStart['first'];
  const { nearest, all } = await rankPools(
    () => undefined,
    [start('full', full), start('broken', undefined, false)],
  );
  const names = (of: typeof all) => of.map(({ pool }) => pool.metadata.name);
  expect(names(nearest)).toEqual(['broken']);
  expect(names(all.filter((each) => !nearest.includes(each)))).toEqual(['full']);
});

test('other work has a turn after each plan', async () => {
  const tainted = { refusal: { code: 'TaintNotTolerated', taint: { key: 'team', effect: 'NoSchedule' } } };
  const starts = ['a', 'b', 'c'].map((name) => start(name, tainted as unknown as PoolStart['first']));
  const done: string[] = [];
  const ask = ({ pool }: PoolStart['attempt']) => void done.push(pool.metadata.name);
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
  setImmediate(() => done.push('other work'));
  await rankPools(ask, starts, pause);
  expect(done).toEqual(['a', 'other work', 'b', 'c']);
});

/**
 * A pending pod where the built-in catalogue and the cluster differ: the events of the controller take precedence, and no plan
 * is made with sizes that the catalogue does not have.
 */
import { describe, expect, test } from 'vitest';
import { dumpReader, encodeDump, openDump } from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { type CorpusCase, dumpOf } from './corpus.ts';

const TYPE = 'node.kubernetes.io/instance-type';
const FAMILY = 'karpenter.azure.com/sku-family';
const VERSION = 'karpenter.azure.com/sku-version';

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}
const isIn = (key: string, ...values: readonly string[]): Requirement => ({ key, operator: 'In', values });

const poolOf = (name: string, requirements: readonly Requirement[], more: object = {}) => ({
  name,
  spec: { template: { spec: { requirements, ...more } } },
});

const told = (message: string) => ({
  on: 'Pod/shop/web',
  reason: 'FailedScheduling',
  message: `Failed to schedule pod, ${message}`,
  by: 'karpenter',
});

async function answer(more: Partial<CorpusCase>) {
  const one: CorpusCase = { file: 'here', title: '', ask: 'pod/shop/web', expect: {}, pods: [{}], ...more };
  const reader = dumpReader(openDump(encodeDump(dumpOf(one), false)));
  return askThrough(reader, one.ask);
}

describe('a NodePool of sizes that the catalogue does not have', () => {
  const limit = told(
    'incompatible with nodepool "default", all available instance types exceed limits for nodepool: "default"',
  );

  test.each<[string, readonly Requirement[], string]>([
    ['a size', [isIn(TYPE, 'Standard_E8bds_v5')], 'scheduling.unexplained'],
    ['a size of a family that nobody knows', [isIn(TYPE, 'Standard_Q8s_v5')], 'scheduling.size-unknown'],
    ['a size of a generation that nobody knows', [isIn(TYPE, 'Standard_D4s_v55')], 'scheduling.size-unknown'],
    ['a version', [isIn(FAMILY, 'D'), isIn(VERSION, '7')], 'scheduling.unexplained'],
    ['a later version', [{ key: VERSION, operator: 'Gt', values: ['90'] }], 'scheduling.unexplained'],
    ['a family', [isIn(FAMILY, 'X')], 'scheduling.unexplained'],
    ['a version of a family', [isIn(FAMILY, 'NV'), isIn(VERSION, '6')], 'scheduling.unexplained'],
  ])(
    '%s: the controller says what is wrong, and without its word it is not known',
    async (_, requirements, unknown) => {
      const pool = poolOf('default', requirements);
      const withEvent = await answer({ pool, events: [limit] });
      expect(withEvent.cause?.id).toBe('scheduling.limit');
      expect(withEvent.cause?.seen[0]?.where).toContain('event FailedScheduling');
      expect((await answer({ pool })).cause?.id).toBe(unknown);
    },
  );

  test('other NodePools are not blamed in its place', async () => {
    const tainted = { taints: [{ key: 'gpu', effect: 'NoSchedule' }] };
    const pools = [poolOf('tainted', [], tainted)];
    const pool = poolOf('default', [isIn(TYPE, 'Standard_E8bds_v5')]);
    const { cause, also } = await answer({ pools, pool });
    expect([cause?.id, also.map(({ id }) => id)]).toEqual([
      'scheduling.unexplained',
      ['scheduling.size-unknown'],
    ]);
    expect(also[0]?.summary).toContain(
      'which the catalogue does not have (the cloud may have it); the nearest name is Standard_E8ads_v5',
    );
    expect((await answer({ pools, pool: poolOf('default', [isIn(FAMILY, 'D')], tainted) })).cause?.id).toBe(
      'L6.2',
    );
  });

  describe('beside a static NodePool', () => {
    const pools = [{ name: 'db', spec: { replicas: 1 }, status: { resources: { nodes: '1' } } }];
    const claims = [{ name: 'db-a1b2c', pool: 'db', age: '24h' }];
    const labels = { 'karpenter.sh/nodepool': 'db' };
    const nodes = [{ name: 'aks-db-a1b2c', claim: 'db-a1b2c', age: '24h', metadata: { labels } }];
    const full = { pools, claims, nodes };
    const pool = poolOf('default', [isIn(TYPE, 'Standard_E8bds_v5')]);

    test.each<[string, Partial<CorpusCase>, string]>([
      [
        'a misspelled size',
        { pool: poolOf('default', [isIn(TYPE, 'Standard_D4s_v55')]) },
        'scheduling.size-unknown',
      ],
      ['a size at its limit', { pool, events: [limit] }, 'scheduling.limit'],
      [
        'a version without offerings',
        {
          pool: poolOf('default', [isIn(FAMILY, 'D'), isIn(VERSION, '7')]),
          events: [told('incompatible with nodepool "default", no instance type has the required offering')],
        },
        'scheduling.no-offering',
      ],
      [
        'a static NodePool that is short of a node',
        { pool, pools: [{ ...pools[0]!, spec: { replicas: 2 } }], events: [limit] },
        'scheduling.limit',
      ],
    ])('%s: the static one is not blamed in its place', async (_, more, cause) => {
      expect((await answer({ ...full, ...more })).cause?.id).toBe(cause);
    });

    test('a pod of a moment ago, for which a node is about to be launched', async () => {
      expect((await answer({ ...full, pool, pods: [{ age: '20s' }] })).verdict).toBe('underWay');
    });
  });

  test('a pod that requires such a size', async () => {
    const pods = [{ spec: { nodeSelector: { [TYPE]: 'Standard_E8bds_v5' } } }];
    expect((await answer({ pods })).cause?.id).toBe('scheduling.unexplained');
    // This NodePool does not allow it, whatever the cloud has.
    expect((await answer({ pods, pool: poolOf('default', [isIn(TYPE, 'Standard_D4s_v5')]) })).cause?.id).toBe(
      'L6.4',
    );
  });

  test('sizes that it has are planned, also beside others', async () => {
    const types = isIn(TYPE, 'Standard_D4s_v5', 'Standard_E8bds_v5');
    expect((await answer({ pool: poolOf('default', [types]) })).verdict).toBe('underWay');
    const contradictory = [isIn(TYPE, 'Standard_D4s_v5'), isIn(FAMILY, 'E')];
    expect((await answer({ pool: poolOf('default', contradictory) })).cause?.id).toBe(
      'scheduling.pool-without-types',
    );
  });
});

describe('the event of the controller takes precedence over a plan that refuses the pod', () => {
  const tooLarge = [
    { spec: { containers: [{ name: 'app', image: 'i', resources: { requests: { cpu: '5000' } } }] } },
  ];

  test('its reason is the cause, and what the plan found behind it is reported as well', async () => {
    const events = [
      told('incompatible with nodepool "default", did not tolerate taint (taint=gpu:NoSchedule)'),
    ];
    expect((await answer({ pods: tooLarge })).cause?.id).toBe('L6.3');
    const { cause, also } = await answer({ pods: tooLarge, events });
    expect([cause?.id, also.map(({ id }) => id)]).toEqual(['L6.2', ['L6.3']]);
  });

  test('of several NodePools, the one that comes closest is named', async () => {
    const message =
      'incompatible with nodepool "gpu", did not tolerate taint (taint=gpu:NoSchedule); incompatible with nodepool "default", no instance type has enough resources';
    const { cause, also } = await answer({
      pods: tooLarge,
      pools: [poolOf('gpu', [])],
      events: [told(message)],
    });
    expect([cause?.id, also]).toEqual(['L6.3', []]);
    expect(cause?.summary).toContain('NodePool default');
    expect(cause?.summary).not.toContain('NodePool gpu');
  });
});

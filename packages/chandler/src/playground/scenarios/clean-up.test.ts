import { expect, test } from 'vitest';
import { cleanUpAfter } from './clean-up.ts';
import { SCENARIOS } from './index.ts';
import type { Scenario, ScenarioAction, Setting } from './scenario.ts';

const DEFAULT_CLASS = { kind: 'AKSNodeClass', metadata: { name: 'default' } };
const SETTING = {
  now: new Date(0),
  cloud: {
    zones: ['a', 'b', 'c'],
    kubernetesVersion: '1.33.0',
    defaultNodeClass: DEFAULT_CLASS,
    defaultPool: (choice?: object) => ({ kind: 'NodePool', metadata: { name: 'default' }, choice }),
  },
} as unknown as Setting;

function undone(...actions: readonly ScenarioAction[]): readonly ScenarioAction[] {
  const scenario: Scenario = { name: 'x', summary: '', speed: 1, steps: [{ description: '', actions }] };
  return cleanUpAfter(scenario, SETTING).steps[0]!.actions!.slice(2, -1);
}

const WEB = { kind: 'Deployment', metadata: { name: 'web', namespace: 'default' } };

test('defaults are applied again, all NodeClaims are deleted, and it waits until nothing is left', () => {
  const { steps } = cleanUpAfter({ name: 'x', summary: '', speed: 1, steps: [] }, SETTING);
  expect(steps).toEqual([
    {
      description: 'what the scenario x left is removed',
      actions: [{ apply: DEFAULT_CLASS }, { apply: SETTING.cloud.defaultPool() }, { deleteClaims: {} }],
      until: [{ nothingProvisioned: true }],
      withinMs: 1_800_000,
    },
  ]);
});

test.each<[string, ScenarioAction, readonly ScenarioAction[]]>([
  ['a Deployment', { apply: WEB }, [{ remove: WEB }]],
  ['one that depends on the cloud', { applyWith: () => WEB }, [{ remove: WEB }]],
  ['a NodePool', { applyWith: ({ cloud }) => cloud.defaultPool({}) }, []],
  ['a fault with conditions', { fault: 'register-late=480000@count=1' }, [{ clearFault: 'register-late' }]],
  [
    'a zone without capacity',
    { capacity: { zone: '2', available: false } },
    [{ capacity: { zone: '2', available: true } }],
  ],
  ['a quota', { quota: { name: 'cores', limit: 2 } }, [{ quota: { name: 'cores', limit: 10_000 } }]],
  ['a key without its role', { byok: 'revokeWrapUnwrap' }, [{ byok: 'grantWrapUnwrap' }]],
  ['an access entry', { accessEntry: 'delete' }, [{ accessEntry: 'create' }]],
  ['a scaled Deployment', { scale: { name: 'web', replicas: 3 } }, []],
])('%s is undone', (_, action, expected) => {
  expect(undone(action)).toEqual(expected);
});

test('every scenario can be undone', () => {
  for (const scenario of SCENARIOS) expect(cleanUpAfter(scenario, SETTING).steps).toHaveLength(1);
});

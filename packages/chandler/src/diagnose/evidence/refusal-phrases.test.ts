/**
 * `why` recognises every refusal that the planner writes into an event. The samples are typed by the refusal codes, so a
 * new code without a sample does not compile.
 */
import { describe, expect, test } from 'vitest';
import {
  type PodProblem,
  type PoolRefusal,
  podRefusalText,
  problemText,
  type Refusal,
  type TypeFilter,
} from '../../scheduling/index.ts';
import type { ReadEvent } from './events.ts';
import { controllerRefusals } from './refusal-phrases.ts';

type Samples<T extends { readonly code: string }> = {
  readonly [Code in T['code']]: readonly [
    Extract<T, { readonly code: Code }>,
    ...Extract<T, { readonly code: Code }>[],
  ];
};

const REFUSALS: Samples<Refusal> = {
  TaintNotTolerated: [
    { code: 'TaintNotTolerated', taint: { key: 'team', value: 'a', effect: 'NoSchedule' } },
  ],
  LabelUndefined: [
    { code: 'LabelUndefined', key: 'team', wanted: 'In [a]', similar: null },
    {
      code: 'LabelUndefined',
      key: 'topology.kubernetes.io/zones',
      wanted: 'In [a]',
      similar: 'topology.kubernetes.io/zone',
    },
  ],
  RequirementIncompatible: [
    { code: 'RequirementIncompatible', key: 'team', wanted: 'In [a]', offered: 'In [b]', source: 'pod' },
    { code: 'RequirementIncompatible', key: 'team', wanted: 'In [a]', offered: 'In [b]', source: 'volume' },
  ],
  ResourceInsufficient: [
    {
      code: 'ResourceInsufficient',
      resource: 'cpu',
      requested: '9',
      available: '8',
      missing: '1',
    },
    {
      code: 'ResourceInsufficient',
      resource: 'nvidia.com/gpu',
      requested: '2',
      available: '1',
      missing: '1',
    },
  ],
  NoOffering: [{ code: 'NoOffering' }],
  NoTypeMeetsAll: [{ code: 'NoTypeMeetsAll', requirements: ['team In [a]'] }],
  MinValuesUnmet: [{ code: 'MinValuesUnmet', key: 'node.kubernetes.io/instance-type', wanted: 3, found: 1 }],
  LimitExceeded: [
    { code: 'LimitExceeded', resource: 'cpu', limit: '10', remaining: '1', needed: '2' },
    { code: 'LimitExceeded', resource: 'nodes', limit: '10', remaining: '0', needed: '1' },
  ],
  PoolWithoutTypes: [{ code: 'PoolWithoutTypes' }],
  ReservedOnly: [{ code: 'ReservedOnly', reservations: ['cr-1'] }],
  HostPortTaken: [{ code: 'HostPortTaken', port: 80, protocol: 'TCP', ip: '0.0.0.0' }],
  TopologyUnsatisfiable: [
    {
      code: 'TopologyUnsatisfiable',
      kind: 'topology spread',
      key: 'topology.kubernetes.io/zone',
      maxSkew: 1,
      minDomains: null,
      selector: 'app=web',
      counts: { 'zone-1': 3 },
      podDomains: 'In [zone-1]',
      nodeDomains: 'In [zone-2]',
    },
  ],
  VolumeLimit: [{ code: 'VolumeLimit', driver: 'disk.csi.azure.com', limit: 4, used: 4, wanted: 1 }],
};

const PROBLEMS: Samples<PodProblem> = {
  InvalidPod: [
    { code: 'InvalidPod', field: 'spec', problem: 'is missing' },
    {
      code: 'InvalidPod',
      field: 'spec.containers[0].resources.requests.cpu',
      problem: '"x" is not a quantity',
    },
  ],
  ResourceClaims: [{ code: 'ResourceClaims', claims: ['gpu'] }],
  VolumeClaimMissing: [{ code: 'VolumeClaimMissing', claim: 'data' }],
  StorageClassMissing: [{ code: 'StorageClassMissing', claim: 'data', storageClass: 'fast' }],
  VolumeMissing: [{ code: 'VolumeMissing', claim: 'data', volume: 'pv-1' }],
  VolumeUnbound: [
    { code: 'VolumeUnbound', claim: 'shop/data', problem: 'binds at once', name: 'fast' },
    { code: 'VolumeUnbound', claim: 'shop/data', problem: 'not yet bound', name: 'pv-1' },
  ],
  NoPools: [{ code: 'NoPools' }],
};

const FILTER: TypeFilter = {
  requirementsMet: true,
  fits: true,
  hasOffering: true,
  requirementsAndFits: false,
  requirementsAndOffering: false,
  fitsAndOffering: false,
  fitsUnsold: false,
  requirements: ['kubernetes.io/arch In [amd64]'],
  resources: { least: { cpu: '1' }, most: { cpu: '1' } },
};

function read(message: string) {
  return controllerRefusals(
    [
      {
        type: 'Warning',
        reason: 'FailedScheduling',
        component: 'karpenter',
        message: `Failed to schedule pod, ${message}`,
        object: 'Pod/web',
        name: 'web',
        count: 1,
        lastMs: 0,
        firstMs: 0,
      },
    ],
    0,
  );
}

function ofPool(refusal: Refusal, filter: TypeFilter | null): string {
  const pool: PoolRefusal = { nodePool: 'general', refusal, types: [], filter };
  return podRefusalText({ pods: ['shop/web'], problem: null, pools: [pool], nodes: [], claims: [] });
}

test.each(
  Object.entries(REFUSALS).flatMap(([code, samples]) => samples.map((sample) => [code, sample] as const)),
)('a pool refusal %s in an event is read with its code and pool', (code, refusal) => {
  expect(read(ofPool(refusal, null))).toMatchObject([{ code, nodePool: 'general' }]);
});

test.each(
  Object.entries(PROBLEMS).flatMap(([code, samples]) => samples.map((sample) => [code, sample] as const)),
)('a pod problem %s in an event is read with its code', (code, problem) => {
  expect(read(problemText(problem))).toMatchObject([{ code }]);
});

test.each<[string, Partial<TypeFilter>, string]>([
  ['nothing met', { requirementsMet: false, fits: false, hasOffering: false }, 'NoOffering'],
  ['no resources', { fits: false }, 'ResourceInsufficient'],
  ['no requirements', { requirementsMet: false }, 'NoTypeMeetsAll'],
  ['no offering', { hasOffering: false }, 'NoOffering'],
  ['requirements and resources', { requirementsAndFits: true }, 'NoOffering'],
  ['resources and offering', { fitsAndOffering: true }, 'NoTypeMeetsAll'],
  ['requirements and offering', { requirementsAndOffering: true }, 'ResourceInsufficient'],
  ['no pair', {}, 'NoTypeMeetsAll'],
])('the filter phrase for %s is recognised', (_name, part, code) => {
  expect(read(ofPool({ code: 'NoTypeMeetsAll', requirements: [] }, { ...FILTER, ...part }))).toMatchObject([
    { code },
  ]);
});

test('each pool of an event is a refusal of its own', () => {
  const pools: readonly PoolRefusal[] = [
    { nodePool: 'a', refusal: REFUSALS.TaintNotTolerated[0], types: [], filter: null },
    { nodePool: 'b', refusal: REFUSALS.LimitExceeded[0], types: [], filter: null },
  ];
  const text = podRefusalText({ pods: ['shop/web'], problem: null, pools, nodes: [], claims: [] });
  expect(read(text)).toMatchObject([
    { code: 'TaintNotTolerated', nodePool: 'a' },
    { code: 'LimitExceeded', nodePool: 'b' },
  ]);
});

test('a NodePool at its limit is named, also where only the limit is said', () => {
  const limit = (name: string) => `all available instance types exceed limits for nodepool: "${name}"`;
  expect(
    read(`${limit('a')}; ${limit('b')}; incompatible with nodepool "c", did not tolerate taint`),
  ).toEqual([
    { code: 'LimitExceeded', facts: {}, nodePool: 'a', text: limit('a') },
    { code: 'LimitExceeded', facts: {}, nodePool: 'b', text: limit('b') },
    { code: 'TaintNotTolerated', facts: {}, nodePool: 'c', text: 'did not tolerate taint' },
  ]);
});

describe('an event Nominated', () => {
  const event = (reason: string, message: string, lastMs: number, component = 'karpenter') =>
    ({ reason, message, lastMs, component }) as ReadEvent;
  const refused = event('FailedScheduling', 'Failed to schedule pod, no dynamic nodepools found', 1);

  test('that is newer ends a refusal, also if it names a node and no claim', () => {
    const nominated = event('Nominated', 'Pod should schedule on: node/x', 2);
    expect(controllerRefusals([refused, nominated], 2)).toEqual([]);
  });

  test('that is older, or of another component, ends none', () => {
    const older = event('Nominated', 'Pod should schedule on: node/x', 0);
    const other = event('Nominated', 'Pod should schedule on: node/x', 2, 'other-scheduler');
    expect(controllerRefusals([older, refused, other], 2)).toMatchObject([{ code: 'NoPools' }]);
  });
});

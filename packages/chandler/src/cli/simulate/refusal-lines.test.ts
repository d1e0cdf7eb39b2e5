import { describe, expect, test } from 'vitest';
import type { PodProblem, PodRefusal, Refusal } from '../../scheduling/index.ts';
import { obstacleText, refusalLines } from './refusal-lines.ts';

const OBSTACLES: readonly (readonly [Refusal, string])[] = [
  [
    { code: 'TaintNotTolerated', taint: { key: 'team', value: 'a', effect: 'NoSchedule' } },
    'the pod does not tolerate the taint team=a:NoSchedule',
  ],
  [
    { code: 'LabelUndefined', key: 'zon', wanted: 'zon In [a]', similar: 'zone' },
    'the label zon is not set, and the pod requires zon In [a] (did you mean zone?)',
  ],
  [
    { code: 'RequirementIncompatible', key: 'k', wanted: 'k In [a]', offered: 'k In [b]', source: 'volume' },
    'the volume requires k In [a], but only k In [b] is offered',
  ],
  [
    { code: 'ResourceInsufficient', resource: 'cpu', requested: '4', available: '3', missing: '1' },
    'not enough cpu: 4 requested in total, 3 available, 1 missing',
  ],
  [{ code: 'NoOffering' }, 'no available offering meets the requirements'],
  [
    { code: 'NoTypeMeetsAll', requirements: ['a In [1]', 'b In [2]'] },
    'no instance type meets all of these requirements: a In [1], b In [2]',
  ],
  [
    { code: 'MinValuesUnmet', key: 'k', wanted: 5, found: 2 },
    'minValues of k is not met: 5 required, 2 left',
  ],
  [
    { code: 'LimitExceeded', resource: 'cpu', limit: '10', remaining: '1', needed: '4' },
    'the limit of 10 cpu would be exceeded: 1 left, at least 4 needed',
  ],
  [{ code: 'PoolWithoutTypes' }, 'the NodePool has no instance type that meets its own requirements'],
  [{ code: 'PoolWithoutTypes', soldOut: true }, 'no instance type that the NodePool allows is available'],
  [{ code: 'ReservedOnly', reservations: ['r-1'] }, 'it is waiting for reserved capacity: r-1'],
  [{ code: 'HostPortTaken', port: 80, protocol: 'TCP', ip: '0.0.0.0' }, 'host port 80/TCP is in use'],
  [
    { code: 'VolumeLimit', driver: 'disk.csi', limit: 4, used: 4, wanted: 1 },
    'disk.csi attaches at most 4 volumes: 4 in use, 1 requested',
  ],
];

const PROBLEMS: readonly (readonly [PodProblem, string])[] = [
  [{ code: 'InvalidPod', field: 'spec.x', problem: 'bad' }, 'the pod is invalid: spec.x: bad'],
  [{ code: 'ResourceClaims', claims: ['gpu'] }, 'the pod uses resource claims, which are not simulated: gpu'],
  [{ code: 'VolumeClaimMissing', claim: 'a/b' }, 'there is no PersistentVolumeClaim a/b'],
  [
    { code: 'StorageClassMissing', claim: 'a/b', storageClass: 'fast' },
    'PersistentVolumeClaim a/b references the StorageClass fast, which does not exist',
  ],
  [
    { code: 'VolumeMissing', claim: 'a/b', volume: 'v' },
    'PersistentVolumeClaim a/b references the PersistentVolume v, which does not exist',
  ],
  [
    { code: 'VolumeUnbound', claim: 'a/b', problem: 'not yet bound', name: 'v' },
    'PersistentVolumeClaim a/b is not ready: it names a volume and is not bound to it (v)',
  ],
  [{ code: 'NoPools' }, 'there is no NodePool that could launch a node'],
];

describe('refusals in words', () => {
  test.each(OBSTACLES)('$code', (refusal, text) => {
    expect(obstacleText(refusal)).toBe(text);
  });

  test.each(PROBLEMS)('$code, wherever the pod would go', (problem, text) => {
    expect(refusalLines({ ...NOTHING, problem })).toEqual([{ depth: 0, text }]);
  });

  test('obstacles that read the same are counted together, three of them by name', () => {
    const refusal: Refusal = { code: 'NoOffering' };
    const nodes = [
      { refusal, count: 3, examples: ['a', 'b', 'c'] },
      { refusal, count: 2, examples: ['d', 'e'] },
    ];
    expect(refusalLines({ ...NOTHING, nodes }).map(({ text }) => text)).toEqual([
      '5 existing nodes (a, b, c, …): no available offering meets the requirements',
    ]);
  });
});

const NOTHING: PodRefusal = { pods: ['default/x'], problem: null, pools: [], nodes: [], claims: [] };

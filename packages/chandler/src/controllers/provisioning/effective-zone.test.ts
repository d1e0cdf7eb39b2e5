import type { Pod, Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { effectiveZone } from './effective-zone.ts';

const ZONE = 'topology.kubernetes.io/zone';
const terms = (...zones: string[][]) => ({
  nodeSelectorTerms: zones.map((values) => ({
    matchExpressions: values.length === 0 ? [] : [{ key: ZONE, operator: 'In', values }],
  })),
});
const affinity = (...zones: string[][]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms(...zones) },
});
const pod = (spec: object): Stored<Pod> =>
  ({ metadata: { name: 'p', namespace: 'n' }, spec: { containers: [], ...spec } }) as unknown as Stored<Pod>;
const stores = (volumeZone?: string) =>
  ({
    volumeClaims: { store: { get: () => ({ spec: { volumeName: 'v' } }) } },
    volumes: {
      store: {
        get: () => ({
          spec: volumeZone === undefined ? {} : { nodeAffinity: { required: terms([volumeZone]) } },
        }),
      },
    },
  }) as unknown as Parameters<typeof effectiveZone>[1];
const volumes = [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }];

describe('the zone of a pending pod', () => {
  test.each<[string, object, string | undefined, string]>([
    ['no allowed', {}, undefined, 'flexible'],
    ['a selector', { nodeSelector: { [ZONE]: 'z1' } }, undefined, 'z1'],
    [
      'an old name of the label',
      { nodeSelector: { 'failure-domain.beta.kubernetes.io/zone': 'z1' } },
      undefined,
      'z1',
    ],
    ['several zones', { affinity: affinity(['z1', 'z2']) }, undefined, 'flexible'],
    ['a term without a zone', { affinity: affinity(['z1'], []) }, undefined, 'flexible'],
    [
      'two terms that agree',
      { nodeSelector: { [ZONE]: 'z1' }, affinity: affinity(['z1', 'z2']) },
      undefined,
      'z1',
    ],
    [
      'two that do not',
      { nodeSelector: { [ZONE]: 'z3' }, affinity: affinity(['z1', 'z2']) },
      undefined,
      'none',
    ],
    ['a volume', { volumes }, 'z2', 'z2'],
    ['a volume elsewhere', { volumes, nodeSelector: { [ZONE]: 'z1' } }, 'z2', 'none'],
    ['a volume of no zone', { volumes }, undefined, 'flexible'],
  ])('%s', (_, spec, volumeZone, zone) => {
    expect(effectiveZone(pod(spec), stores(volumeZone))).toBe(zone);
  });
});

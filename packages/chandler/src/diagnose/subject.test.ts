import { expect, test } from 'vitest';
import { parseSubject } from './subject.ts';

test.each(['constructor', 'toString', '__proto__', 'service'])(
  '%s/x is no kind that can be asked about',
  (kind) => {
    expect(parseSubject([`${kind}/x`])).toBe(
      `expects pod/NAME, nodeclaim/NAME, node/NAME, nodepool/NAME, deployment/NAME, statefulset/NAME, daemonset/NAME, job/NAME, cronjob/NAME; "${kind}" is not one of these kinds`,
    );
  },
);

test('kinds are written as for kubectl', () => {
  expect(parseSubject(['po', 'web'], 'shop')).toEqual({ kind: 'pod', name: 'web', namespace: 'shop' });
  expect(parseSubject(['NodePools.karpenter.sh/general'])).toEqual({ kind: 'nodepool', name: 'general' });
});

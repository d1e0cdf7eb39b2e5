import type { PodSpec } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { inNotationOf } from './request-notation.ts';

const spec = (...memory: string[]): PodSpec => ({
  containers: memory.map((amount, index) => ({
    name: `c${index}`,
    resources: { requests: { cpu: '100m', memory: amount } },
  })),
});

describe('the requests of a NodeClaim', () => {
  test.each([
    ['of pods in decimal units are decimal', '750000000', [], [spec('250M')], '750M'],
    ['of pods in binary units are binary', '768Mi', [], [spec('256Mi')], '768Mi'],
    ['of pods in exponents have an exponent', '1000000', [], [spec('1e6')], '1e6'],
    ['have the format of the first pod', '1256Mi', [], [spec('1000M'), spec('256Mi')], '1317011456'],
    ['skip zero', '250M', [], [spec('0', '250M')], '250M'],
    ['have the format of the daemons first', '500Mi', [spec('50Mi')], [spec('250M')], '500Mi'],
    ['skip an invalid amount', '250M', [], [spec('much', '250M')], '250M'],
  ])('%s', (_, memory, daemons, pods, expected) => {
    const requests = { cpu: '300m', memory, pods: '3' };
    const ofDaemons = daemons.length === 0 ? {} : { memory: '50Mi' };
    expect(inNotationOf(requests, ofDaemons, { daemons, pods })).toEqual({
      cpu: '300m',
      memory: expected,
      pods: '3',
    });
  });
});

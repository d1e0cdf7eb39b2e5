import { describe, expect, test } from 'vitest';
import { podRequests } from './resources.ts';

const container = (cpu: string, restartPolicy?: string) => ({
  name: 'c',
  ...(restartPolicy ? { restartPolicy } : {}),
  resources: { requests: { cpu } },
});

describe('the requests of a pod', () => {
  test.each([
    ['containers together', { containers: [container('1'), container('500m')] }, 1500],
    [
      'an init container that needs more than all of them',
      { containers: [container('1')], initContainers: [container('2')] },
      2000,
    ],
    ['a sidecar on top', { containers: [container('1')], initContainers: [container('2', 'Always')] }, 3000],
    [
      'an init container beside the sidecar before it',
      { containers: [container('1')], initContainers: [container('1', 'Always'), container('3')] },
      4000,
    ],
    [
      'an init container before the sidecar, alone',
      { containers: [container('1')], initContainers: [container('3'), container('1', 'Always')] },
      3000,
    ],
    ['overhead', { containers: [container('1')], overhead: { cpu: '250m' } }, 1250],
    [
      'the request of the whole pod instead',
      { containers: [container('1')], resources: { requests: { cpu: '2' } } },
      2000,
    ],
    ['less than a thousandth counts as one', { containers: [container('100u')] }, 1],
  ])('%s', (_, spec, expected) => {
    expect(podRequests(spec).get('cpu')).toBe(expected);
  });
});

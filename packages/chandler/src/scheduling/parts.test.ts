import { describe, expect, test } from 'vitest';
import {
  bitsKey,
  bitsOf,
  countBits,
  fullBits,
  hasBit,
  isEmptyBits,
  members,
  orBits,
  withRoom,
} from './bits.ts';
import { hostPortsOf, takenPort } from './host-ports.ts';
import { podRequests, withLimitsAsRequests } from './pod-requests.ts';
import { ResourceProblem, Resources } from './resources.ts';
import { compileSelector } from './selectors.ts';
import { taintText, toleratesTaint, untoleratedTaint } from './taints.ts';

describe('bits', () => {
  test('hold their members at any length', () => {
    const bits = bitsOf([0, 31, 32, 70]);
    expect(members(bits)).toEqual([0, 31, 32, 70]);
    expect(countBits(bits)).toBe(4);
    expect(hasBit(bits, 500)).toBe(false);
    expect(bitsKey(withRoom(bits, 1000))).toBe(bitsKey(bits));
    expect(members(orBits(bits, bitsOf([5])))).toEqual([0, 5, 31, 32, 70]);
    expect(countBits(fullBits(33))).toBe(33);
    expect(isEmptyBits(bitsOf([]))).toBe(true);
  });
});

describe('resources', () => {
  test('round requests up and capacity down', () => {
    const resources = new Resources();
    expect(resources.wanted({ cpu: '100500u', memory: '1500m' })).toEqual([101, 2]);
    expect(resources.offered({ cpu: '100500u', memory: '1500m' })).toEqual([100, 1]);
  });

  test('print amounts as quantities', () => {
    const resources = new Resources();
    resources.offered({ memory: '1Gi', 'ephemeral-storage': '20Gi', 'example.com/gpu': 4 });
    expect(resources.texts([1500, 2 * 1024 ** 3, 3, 0, 7])).toEqual({
      cpu: '1500m',
      'example.com/gpu': '7',
      memory: '2Gi',
      pods: '3',
    });
    expect(resources.text(0, Number.POSITIVE_INFINITY)).toBe('unlimited');
    expect(resources.findSlot('example.com/gpu')).toBe(4);
  });

  test.each([{ cpu: 'lots' }, { memory: '-1Gi' }, { cpu: Number.NaN }])('refuse %o as a request', (list) => {
    expect(() => new Resources().wanted(list as never)).toThrow(ResourceProblem);
  });

  test('cap absurd amounts', () => {
    expect(new Resources().wanted({ memory: '9999999999999Ei' })[1]).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('are one object for equal requests', () => {
    const resources = new Resources();
    expect(resources.requests([1, 0, 2])).toBe(resources.requests([1, 0, 2, 0]));
  });
});

describe('requests of a pod', () => {
  const requests = (cpu: string) => ({ name: 'app', resources: { requests: { cpu } } });

  test('are those of its containers, or of an init container that needs more, sidecars included', () => {
    const spec = {
      containers: [requests('1'), requests('500m')],
      initContainers: [{ ...requests('200m'), restartPolicy: 'Always' }, requests('2')],
      overhead: { cpu: '50m' },
    };
    expect(podRequests(new Resources(), { spec })).toEqual([2250, 0, 1]);
  });

  test('are the pod-level requests when they are set', () => {
    const spec = {
      containers: [requests('1')],
      resources: { requests: { cpu: '3', 'example.com/gpu': '1' } },
    };
    expect(podRequests(new Resources(), { spec })).toEqual([3000, 0, 1, 1]);
  });

  test('do not shrink before the kubelet has resized the container', () => {
    const spec = { containers: [requests('1')] };
    const status = { containerStatuses: [{ name: 'app', allocatedResources: { cpu: '4' } }] };
    expect(podRequests(new Resources(), { spec, status })[0]).toBe(4000);
  });

  test('of a daemon fall back to its limits', () => {
    const spec = withLimitsAsRequests({
      containers: [
        { name: 'a', resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } } },
      ],
      initContainers: [{ name: 'b', resources: { limits: { cpu: '2' } } }],
    });
    expect(podRequests(new Resources(), { spec })).toEqual([2000, 1024 ** 3, 1]);
  });
});

describe('taints', () => {
  const taint = { key: 'team', value: '7', effect: 'NoSchedule' } as const;

  test.each([
    [{ key: 'team', value: '7' }, true],
    [{ key: 'team', operator: 'Equal', value: '8' }, false],
    [{ operator: 'Exists' }, true],
    [{ operator: 'Equal' }, false],
    [{ key: 'team', operator: 'Exists', effect: 'NoExecute' }, false],
    [{ key: 'team', operator: 'Gt', value: '5' }, true],
    [{ key: 'team', operator: 'Lt', value: '5' }, false],
    [{ key: 'team', operator: 'Lt', value: 'many' }, false],
    [{ key: 'team', operator: 'toString' }, false],
    [{ key: 'crew', operator: 'Exists' }, false],
  ])('%o answers team=7: %s', (toleration, answer) => {
    expect(toleratesTaint(toleration, taint)).toBe(answer);
  });

  test('are printed as kubectl prints them', () => {
    expect(taintText(taint)).toBe('team=7:NoSchedule');
    expect(taintText({ key: 'a', effect: 'NoExecute' })).toBe('a:NoExecute');
    expect(untoleratedTaint([taint], [])).toBe(taint);
  });
});

describe('host ports', () => {
  const port = (hostPort: number, hostIP?: string, protocol?: string) =>
    hostPortsOf({ containers: [{ ports: [{ hostPort, hostIP, protocol }, { containerPort: 9 }] }] as never });

  test.each([
    [port(80), port(80), true],
    [port(80), port(81), false],
    [port(80, '10.0.0.1'), port(80, '10.0.0.2'), false],
    [port(80, '10.0.0.1'), port(80), true],
    [port(80, '::'), port(80, '10.0.0.2'), true],
    [port(80, undefined, 'UDP'), port(80), false],
  ])('%o and %o conflict: %s', (wanted, used, conflict) => {
    expect(takenPort(wanted, used) !== undefined).toBe(conflict);
  });
});

describe('label selectors', () => {
  const matches = (selector: Parameters<typeof compileSelector>[0], labels: Record<string, string>) => {
    const compiled = compileSelector(selector);
    return 'problem' in compiled ? compiled.problem : compiled.matches(labels);
  };

  test.each([
    [undefined, {}, false],
    [{}, {}, true],
    [{ matchLabels: { a: '1' } }, { a: '1' }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, {}, true],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, { a: '' }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, { a: '' }, false],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }, {}, 'operator In requires values'],
    [{ matchExpressions: [{ key: 'a', operator: 'Near' }] }, {}, 'unknown operator "Near"'],
  ])('%o on %o: %s', (selector, labels, result) => {
    expect(matches(selector, labels as Record<string, string>)).toBe(result);
  });

  test('have the same key when they are equivalent', () => {
    const key = (selector: Parameters<typeof compileSelector>[0]) =>
      compileSelector(selector) as { key: string };
    expect(key({ matchLabels: { b: '2', a: '1' } }).key).toBe(
      key({ matchExpressions: [{ key: 'a', operator: 'In', values: ['1'] }], matchLabels: { b: '2' } }).key,
    );
  });
});

import type { Pod, Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { Claim } from '../lifecycle/claim-patch.ts';
import { inScaleDownOrder } from './scale-down.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');

const claim = (name: string, rest: { launched?: boolean; born?: string; expireAfter?: string } = {}): Claim =>
  ({
    metadata: { name, creationTimestamp: rest.born ?? '2026-01-01T00:00:00Z' },
    spec: { expireAfter: rest.expireAfter ?? 'Never' },
    status: rest.launched === false ? {} : { providerID: `id-${name}` },
  }) as unknown as Claim;

const pod = (annotations: Record<string, string> = {}, owner?: string, priority = 0): Stored<Pod> =>
  ({
    metadata: {
      name: 'p',
      annotations,
      ...(owner === undefined
        ? {}
        : {
            ownerReferences: [{ apiVersion: 'apps/v1', kind: owner, name: 'o', uid: 'u', controller: true }],
          }),
    },
    spec: { containers: [], priority },
    status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
  }) as unknown as Stored<Pod>;

const order = (claims: readonly Claim[], pods: Record<string, Stored<Pod>[]>) =>
  inScaleDownOrder(claims, ({ metadata }) => pods[metadata.name] ?? [], NOW).map(
    ({ metadata }) => metadata.name,
  );

describe('the order of scale-down', () => {
  test('is: without an instance, empty, few pods, many pods, protected pods', () => {
    const claims = ['protected', 'many', 'few', 'daemons', 'unlaunched'].map((name) =>
      claim(name, { launched: name !== 'unlaunched' }),
    );
    const pods = {
      protected: [pod({ 'karpenter.sh/do-not-disrupt': 'true' })],
      many: [pod(), pod(), pod()],
      few: [pod()],
      daemons: [pod({}, 'DaemonSet')],
    };
    expect(order(claims, pods)).toEqual(['unlaunched', 'daemons', 'few', 'many', 'protected']);
  });

  test('a do-not-disrupt DaemonSet pod protects its node', () => {
    const pods = { b: [pod({ 'karpenter.sh/do-not-disrupt': 'true' }, 'DaemonSet')], a: [pod(), pod()] };
    expect(order([claim('b'), claim('a')], pods)).toEqual(['a', 'b']);
  });

  test('an expired do-not-disrupt duration no longer protects the node', () => {
    const pods = { b: [pod({ 'karpenter.sh/do-not-disrupt': '1h' })], a: [pod(), pod()] };
    expect(order([claim('a'), claim('b')], pods)).toEqual(['b', 'a']);
  });

  test('a claim that expires soon is deleted before one that expires later; ties are broken by name', () => {
    const old = claim('old', { expireAfter: '25h' });
    const young = claim('young', { expireAfter: '240h' });
    expect(order([young, old], { old: [pod()], young: [pod()] })).toEqual(['old', 'young']);
    expect(order([claim('b'), claim('a')], {})).toEqual(['a', 'b']);
  });

  test('pod priority and deletion cost count', () => {
    const pods = {
      dear: [pod({}, undefined, 2 ** 25)],
      cheap: [pod({ 'controller.kubernetes.io/pod-deletion-cost': '-100000000' })],
    };
    expect(order([claim('dear'), claim('cheap')], pods)).toEqual(['cheap', 'dear']);
  });

  test('karpenter.sh/disruption-cost comes before pod-deletion-cost, and only integers count', () => {
    const deletion = 'controller.kubernetes.io/pod-deletion-cost';
    const pods = {
      a: [pod({ [deletion]: '1000000000' })],
      b: [pod({ [deletion]: '1000000000', 'karpenter.sh/disruption-cost': '-1000000000' })],
      c: [pod({ [deletion]: '-1000000000.5' })],
    };
    expect(order([claim('a'), claim('c'), claim('b')], pods)).toEqual(['b', 'c', 'a']);
  });
});

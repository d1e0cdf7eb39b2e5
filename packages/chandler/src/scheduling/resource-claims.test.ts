import { describe, expect, test } from 'vitest';
import { aPod, aPool, aType, cluster, type PodShape } from './cluster.fixture.ts';
import { problemText } from './refusal-text.ts';
import { solve } from './solve.ts';

describe('dynamic resource allocation', () => {
  const claimsOf = (shape: PodShape) => {
    const problem = solve(cluster({ pods: [aPod('x', shape)] })).refusals[0]?.problem ?? null;
    return problem === null ? null : problemText(problem);
  };
  const using = (...names: string[]) => [
    { name: 'app', resources: { claims: names.map((name) => ({ name })) } },
  ];

  test.each([
    [
      'a claim',
      { resourceClaims: [{ name: 'gpu', resourceClaimName: 'big' }] },
      'gpu from ResourceClaim big',
    ],
    [
      'a template',
      { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one-gpu' }] },
      'gpu from ResourceClaimTemplate one-gpu',
    ],
    ['a container', { containers: using('gpu') }, '(gpu)'],
    ['an init container', { initContainers: using('nic') }, '(nic)'],
    [
      'a claim and a container that uses it',
      { resourceClaims: [{ name: 'gpu', resourceClaimName: 'big' }], containers: using('gpu') },
      '(gpu from ResourceClaim big)',
    ],
  ])('by %s of a pod is refused with its source', (_, shape, text) => {
    expect(claimsOf(shape)).toContain('Dynamic Resource Allocation');
    expect(claimsOf(shape)).toContain(text);
  });

  test('of pods that differ only in their template are different', () => {
    const pods = ['one', 'two'].map((name) =>
      aPod(name, { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: name }] }),
    );
    expect(solve(cluster({ pods })).refusals.map(({ problem }) => problem)).toEqual([
      { code: 'ResourceClaims', claims: ['gpu from ResourceClaimTemplate one'] },
      { code: 'ResourceClaims', claims: ['gpu from ResourceClaimTemplate two'] },
    ]);
  });

  test('by a daemon is reported, and the daemon is not counted', () => {
    const daemonSets = [
      {
        metadata: { name: 'driver', namespace: 'kube-system' },
        spec: {
          template: {
            spec: {
              containers: [
                { ...using('gpu')[0]!, resources: { requests: { cpu: '4' }, claims: [{ name: 'gpu' }] } },
              ],
            },
          },
        },
      },
    ];
    const plan = solve({
      pools: [aPool('p', { types: [aType('t', { cpu: 4 })] })],
      daemonSets,
      pods: [aPod('x', { cpu: '3' })],
    });
    expect(plan.counts.placed).toBe(1);
    expect(plan.inputErrors).toEqual([
      {
        object: 'DaemonSet/kube-system/driver',
        field: 'spec.template.spec',
        problem:
          'has Dynamic Resource Allocation requirements that are not yet supported (gpu): its requests are not counted',
      },
    ]);
  });
});

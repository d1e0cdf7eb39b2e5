import { describe, expect, test } from 'vitest';
import type { EC2NodeClassSpec, EC2NodeClassStatus } from '../../../api/index.ts';
import { aNodeClass } from '../aws.fixture.ts';
import { classWarnings, vpcProblem, type WarningInput } from './class-warnings.ts';

function warnings(
  spec: Partial<EC2NodeClassSpec> = {},
  rest: Partial<WarningInput> = {},
  status: EC2NodeClassStatus = {},
) {
  return classWarnings({
    nodeClass: aNodeClass(spec, status),
    family: 'AL2023',
    subnets: [],
    securityGroups: [],
    pools: [],
    ...rest,
  });
}

const subnet = (id: string, vpcId: string) => ({ id, vpcId, zone: 'a', zoneId: 'a1', freeAddresses: 1 });
const group = (id: string, vpcId: string) => ({ id, vpcId, name: id, tagKeys: [] });

test('a sound class has none', () => {
  expect(
    warnings({}, { subnets: [subnet('subnet-1', 'vpc-1')], securityGroups: [group('sg-1', 'vpc-1')] }),
  ).toEqual([]);
});

describe('values that are accepted, and ignored', () => {
  test.each([
    [
      { subnetSelectorTerms: [{ id: 'subnet-1', tags: { a: 'b' } }, { id: 'subnet-2' }] },
      /subnetSelectorTerms\[0\].*'tags' is ignored/,
    ],
    [
      { securityGroupSelectorTerms: [{ id: 'sg-1' }, { name: 'x', tags: { a: 'b' } }] },
      /securityGroupSelectorTerms\[1\].*'tags' is ignored/,
    ],
    [
      { amiFamily: 'Custom' as const, amiSelectorTerms: [{ id: 'ami-1', ssmParameter: '/x' }] },
      /amiSelectorTerms\[0\].*'ssmParameter' is ignored/,
    ],
    [{ subnetSelectorTerms: [{ tags: {} }] }, /subnetSelectorTerms\[0\]: the term is empty.*every subnet/],
    [
      { securityGroupSelectorTerms: [{ tags: {} }] },
      /securityGroupSelectorTerms\[0\]: the term is empty.*every security group/,
    ],
  ] satisfies readonly [Partial<EC2NodeClassSpec>, RegExp][])('%j', (spec, text) => {
    expect(warnings(spec)).toEqual([expect.stringMatching(text)]);
  });

  test('kubelet settings of custom images', () => {
    expect(warnings({ kubelet: { maxPods: 20 } }, { family: 'Custom' })).toEqual([
      expect.stringContaining('spec.kubelet (maxPods)'),
    ]);
  });
});

test('more security groups than the quota of a new account', () => {
  const securityGroups = [1, 2, 3, 4, 5, 6].map((index) => group(`sg-${index}`, 'vpc-1'));
  expect(warnings({}, { securityGroups })).toEqual([
    expect.stringMatching(/matches 6 security groups.*quota of 5/),
  ]);
  expect(warnings({}, { securityGroups: securityGroups.slice(1) })).toEqual([]);
});

test('subnets outside of the VPC of the security groups', () => {
  const subnets = [subnet('subnet-1', 'vpc-1'), subnet('subnet-2', 'vpc-2')];
  const securityGroups = [group('sg-1', 'vpc-1')];
  expect(vpcProblem(subnets, securityGroups)).toBeUndefined();
  expect(warnings({}, { subnets, securityGroups })).toEqual([
    expect.stringMatching(/subnet-2 is outside of vpc-1.*launches there fail/),
  ]);
});

describe('networks in which no launch can succeed', () => {
  test('security groups of two VPCs', () => {
    expect(vpcProblem([], [group('sg-1', 'vpc-1'), group('sg-2', 'vpc-2')])).toMatch(
      /vpc-1, vpc-2.*those of one VPC/,
    );
  });

  test('subnets of another VPC', () => {
    expect(vpcProblem([subnet('subnet-1', 'vpc-2')], [group('sg-1', 'vpc-1')])).toMatch(/in vpc-1.*in vpc-2/);
  });
});

test('a NodePool that asks for an architecture for which there is no image', () => {
  const arm = { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] };
  const status = { amis: [{ id: 'ami-1', requirements: [arm] }] } as EC2NodeClassStatus;
  const pools = [
    {
      name: 'intel',
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In' as const, values: ['amd64'] }],
    },
    {
      name: 'both',
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In' as const, values: ['amd64', 'arm64'] }],
    },
    { name: 'any', requirements: [] },
  ];
  expect(warnings({}, { pools }, status)).toEqual([
    expect.stringMatching(/NodePool intel asks for kubernetes.io\/arch amd64.*are for arm64 only/),
  ]);
});

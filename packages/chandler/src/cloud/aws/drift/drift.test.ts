import { stored } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { type EC2NodeClass, ec2NodeClassHash, type NodeClaim } from '../../../api/index.ts';

import {
  awsDrift,
  type DescribedInstance,
  type DriftQuestion,
  type DriftValues,
  lastDriftOfInstance,
  reservationOf,
} from './drift.ts';
import { nodeClassHashing, restampedAnnotations } from './node-class-hash.ts';

const HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
const VERSION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
const GROUP_LABEL = 'karpenter.k8s.aws/placement-group-id';
const RECOMMENDED = 'chandler.sh/rebalance-recommended-at';
const CA = 'Y2E=';

function claimOf(metadata: object = {}, imageID = 'ami-1') {
  return stored<NodeClaim>({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'general-1', ...metadata },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [],
    },
    status: { imageID },
  });
}

const SPEC: EC2NodeClass['spec'] = {
  role: 'node',
  amiFamily: 'AL2023',
  amiSelectorTerms: [{ alias: 'al2023@latest' }],
  subnetSelectorTerms: [{ id: 'subnet-1' }],
  securityGroupSelectorTerms: [{ id: 'sg-1' }],
  kubelet: { maxPods: 30 },
};
const STATUS: NonNullable<EC2NodeClass['status']> = {
  amis: [{ id: 'ami-1', requirements: [] }],
  securityGroups: [{ id: 'sg-1' }, { id: 'sg-2' }],
  subnets: [
    { id: 'subnet-1', zone: 'us-west-2a' },
    { id: 'subnet-2', zone: 'us-west-2b' },
  ],
  capacityReservations: [
    {
      id: 'cr-1',
      availabilityZone: 'us-west-2a',
      instanceType: 'm5.large',
      instanceMatchCriteria: 'targeted',
      ownerID: '123456789012',
    },
  ],
  conditions: [
    {
      type: 'CapacityReservationsReady',
      status: 'True',
      reason: 'CapacityReservationsReady',
      message: '',
      lastTransitionTime: '2026-08-21T00:00:00Z',
    },
  ],
};

function classOf(
  change: { annotations?: Record<string, string>; spec?: object; status?: object; deleting?: boolean } = {},
): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: {
      name: 'default',
      annotations: change.annotations ?? {},
      ...(change.deleting === true ? { deletionTimestamp: '2026-08-21T00:00:00Z' } : {}),
    },
    spec: { ...SPEC, ...change.spec },
    status: { ...STATUS, ...change.status },
  };
}

const INSTANCE: DescribedInstance = {
  SecurityGroups: [{ GroupId: 'sg-2' }, { GroupId: 'sg-1' }],
  SubnetId: 'subnet-2',
};
const reservedIn = (id: string): DescribedInstance => ({
  ...INSTANCE,
  CapacityReservationId: id,
  CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
});
const VALUES: DriftValues = {
  caBundle: CA,
  image: { id: 'ami-1' },
  instance: INSTANCE,
  placementGroup: { id: undefined },
  reservedCapacity: true,
};
const drift = (question: Partial<DriftQuestion> = {}, values: Partial<DriftValues> = {}) =>
  awsDrift({ claim: claimOf(), nodeClass: classOf(), ...question }, { ...VALUES, ...values });
const hashed = (hash: string, version = 'v6') => ({ [HASH]: hash, [VERSION]: version });

describe('a node on AWS', () => {
  test('that is what would be launched today has not drifted', () => {
    expect(drift()).toBeUndefined();
    expect(drift({}, { instance: reservedIn('cr-1') })).toBeUndefined();
  });

  test.each<[string, string, Partial<DriftQuestion>, Partial<DriftValues>]>([
    [
      'NodeClassDrift',
      'EC2NodeClass default changed: its hash was 1 and is 2 now',
      { claim: claimOf({ annotations: hashed('1') }), nodeClass: classOf({ annotations: hashed('2') }) },
      {},
    ],
    ['AMIDrift', 'the node uses image ami-1, and new nodes get ami-2', {}, { image: { id: 'ami-2' } }],
    [
      'AMIDrift',
      'the node uses image ami-1, and no image of the class suits its instance type',
      {},
      { image: { id: undefined } },
    ],
    [
      'SecurityGroupDrift',
      'the instance has the security groups sg-1, and new instances get sg-1, sg-2',
      {},
      { instance: { ...INSTANCE, SecurityGroups: [{ GroupId: 'sg-1' }] } },
    ],
    [
      'SecurityGroupDrift',
      'the instance has the security groups sg-1, sg-2, sg-3, and new instances get sg-1, sg-2',
      {},
      { instance: { ...INSTANCE, SecurityGroups: [...INSTANCE.SecurityGroups!, { GroupId: 'sg-3' }] } },
    ],
    [
      'SubnetDrift',
      'the instance is in subnet-9, and the subnets of the class are subnet-1, subnet-2',
      {},
      { instance: { ...INSTANCE, SubnetId: 'subnet-9' } },
    ],
    [
      'CapacityReservationDrift',
      'the instance runs in cr-9, and the capacity reservations of the class are cr-1',
      {},
      { instance: reservedIn('cr-9') },
    ],
    [
      'CapacityReservationDrift',
      'the instance runs in cr-1, and the capacity reservations of the class are none',
      { nodeClass: classOf({ status: { capacityReservations: [] } }) },
      { instance: reservedIn('cr-1') },
    ],
    [
      'PlacementGroupDrift',
      'the node is in no placement group, and new nodes are launched in placement group pg-1',
      {},
      { placementGroup: { id: 'pg-1' } },
    ],
    [
      'PlacementGroupDrift',
      'the node is in placement group pg-1, and new nodes are launched in no placement group',
      { claim: claimOf({ labels: { [GROUP_LABEL]: 'pg-1' } }) },
      {},
    ],
    [
      'SpotRebalanceRecommended',
      'EC2 recommended to replace the spot instance at 2026-08-21T10:00:00Z, since it may be interrupted soon',
      { claim: claimOf({ annotations: { [RECOMMENDED]: '2026-08-21T10:00:00Z' } }) },
      {},
    ],
  ])('drifts by %s: %s', (reason, message, question, values) => {
    expect(drift(question, values)).toEqual({ reason, message });
  });

  test('has the first reason in the order of Karpenter', () => {
    const everything: DriftValues = {
      ...VALUES,
      image: { id: 'ami-2' },
      placementGroup: { id: 'pg-1' },
      instance: { ...reservedIn('cr-9'), SecurityGroups: [], SubnetId: 'subnet-9' },
    };
    const wrong = {
      claim: claimOf({ annotations: hashed('1') }),
      nodeClass: classOf({ annotations: hashed('2') }),
    };
    const cured: readonly ((values: DriftValues) => DriftValues)[] = [
      (values) => values,
      (values) => ({ ...values, image: VALUES.image }),
      (values) => ({ ...values, instance: { ...values.instance!, SecurityGroups: INSTANCE.SecurityGroups } }),
      (values) => ({ ...values, instance: { ...values.instance!, SubnetId: 'subnet-1' } }),
      (values) => ({ ...values, instance: INSTANCE }),
      (values) => ({ ...values, placementGroup: VALUES.placementGroup }),
    ];
    const reasons = [awsDrift(wrong, everything)?.reason];
    let values = everything;
    for (const cure of cured) {
      values = cure(values);
      reasons.push(drift({}, values)?.reason);
    }
    expect(reasons).toEqual([
      'NodeClassDrift',
      'AMIDrift',
      'SecurityGroupDrift',
      'SubnetDrift',
      'CapacityReservationDrift',
      'PlacementGroupDrift',
      undefined,
    ]);
  });

  test('does not drift by what is not known', () => {
    const unknown: Partial<DriftValues> = {
      image: undefined,
      instance: undefined,
      placementGroup: undefined,
    };
    expect(drift({}, unknown)).toBeUndefined();
    const unresolved = classOf({
      status: { amis: [], securityGroups: [], subnets: [], capacityReservations: [], conditions: [] },
    });
    const other = { ...reservedIn('cr-9'), SubnetId: 'subnet-9', SecurityGroups: [{ GroupId: 'sg-9' }] };
    expect(drift({ nodeClass: unresolved }, { instance: other, image: { id: 'ami-2' } })).toBeUndefined();
    expect(drift({ claim: claimOf({}, '') }, { image: { id: 'ami-2' } })).toBeUndefined();
    expect(drift({}, { instance: {} })).toBeUndefined();
  });

  test('does not drift while its class or pool is deleted', () => {
    expect(drift({ nodeClass: classOf({ deleting: true }) }, { image: { id: 'ami-2' } })).toBeUndefined();
  });

  test('stays drifted while EC2 cannot be asked, for reasons that only EC2 tells', () => {
    const last = (reason: string, nodeClass = classOf()) => {
      const drifted = { type: 'Drifted', status: 'True', reason, message: 'why' } as const;
      const conditions = [{ ...drifted, lastTransitionTime: '2026-08-21T00:00:00Z' }];
      return lastDriftOfInstance({ claim: { ...claimOf(), status: { conditions } }, nodeClass });
    };
    for (const reason of ['SubnetDrift', 'SecurityGroupDrift', 'CapacityReservationDrift'])
      expect(last(reason)).toEqual({ reason, message: 'why' });
    expect(last('AMIDrift')).toBeUndefined();
    expect(last('SubnetDrift', classOf({ deleting: true }))).toBeUndefined();
    expect(lastDriftOfInstance({ claim: claimOf(), nodeClass: classOf() })).toBeUndefined();
  });

  test('is in a reservation only when it was launched into it', () => {
    expect(reservationOf(reservedIn('cr-1'))).toBe('cr-1');
    expect(reservationOf({ CapacityReservationId: 'cr-1' })).toBeUndefined();
    expect(reservationOf({ ...reservedIn('cr-1'), SpotInstanceRequestId: 'sir-1' })).toBeUndefined();
    expect(drift({}, { instance: reservedIn('cr-9'), reservedCapacity: false })).toBeUndefined();
  });
});

describe('a cluster that changes hands', () => {
  const v5 = (spec: object = {}) =>
    ec2NodeClassHash({ spec: { ...SPEC, ...spec } }, { caBundle: CA, version: 'v5' });
  const v6 = ec2NodeClassHash({ spec: SPEC }, { caBundle: CA });
  const ofRelease = claimOf({ annotations: hashed(v5(), 'v5') });

  test('has no drifted node, whichever version of Karpenter wrote the hash', () => {
    expect(
      drift({ claim: ofRelease, nodeClass: classOf({ annotations: hashed(v5(), 'v5') }) }),
    ).toBeUndefined();
    expect(drift({ claim: ofRelease, nodeClass: classOf({ annotations: hashed(v6) }) })).toBeUndefined();
    expect(nodeClassHashing(CA)).toMatchObject({ hashKey: HASH, versionKey: VERSION, version: 'v6' });
    expect(nodeClassHashing(CA).hash({ metadata: { name: 'default' }, spec: SPEC })).toBe(v6);
    expect(nodeClassHashing(undefined).hash({ metadata: { name: 'default' }, spec: SPEC })).not.toBe(v6);
  });

  test('does not forget a change of the class that comes with it', () => {
    const changed = classOf({ annotations: hashed('any'), spec: { userData: 'echo' } });
    expect(drift({ claim: ofRelease, nodeClass: changed })).toMatchObject({ reason: 'NodeClassDrift' });
    const ofOld = claimOf({ annotations: hashed('1', 'v4') });
    expect(drift({ claim: ofOld, nodeClass: changed })).toBeUndefined();
    expect(drift({ claim: ofRelease, nodeClass: classOf() })).toBeUndefined();
    expect(drift({ nodeClass: changed })).toBeUndefined();
  });

  test('gets the hashes of today, and a drifted node stays drifted', () => {
    const restamped = (annotations: Record<string, string>, isDrifted = false, spec: object = SPEC) =>
      restampedAnnotations(annotations, { spec: spec as EC2NodeClass['spec'] }, { caBundle: CA, isDrifted });
    expect(restamped(hashed(v5(), 'v5'))).toEqual(hashed(v6));
    expect(restamped(hashed('1', 'v4'))).toEqual(hashed(v6));
    expect(restamped({})).toEqual(hashed(v6));
    expect(restamped(hashed(v5(), 'v5'), true)).toEqual({ [VERSION]: 'v6' });
    expect(restamped(hashed(v5({ userData: 'echo' }), 'v5'))).toEqual({ [VERSION]: 'v6' });
    expect(restamped(hashed('x'))).toBeUndefined();
  });
});

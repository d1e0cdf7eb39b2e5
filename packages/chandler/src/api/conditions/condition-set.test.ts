import { describe, expect, test } from 'vitest';
import { type Condition, type ConditionedObject, ConditionSet, conditionTypesOf } from './condition-set.ts';

const CREATED = '2026-08-21T10:00:00Z';
const LATER_MS = Date.parse('2026-08-21T10:05:00.700Z');
const LATER = '2026-08-21T10:05:00Z';

function claim(
  conditions: Condition[] = [],
  metadata: Partial<ConditionedObject['metadata']> = {},
): ConditionedObject {
  return { metadata: { generation: 1, creationTimestamp: CREATED, ...metadata }, status: { conditions } };
}

function open(object: ConditionedObject): ConditionSet {
  return ConditionSet.of('NodeClaim', object, LATER_MS);
}

/** A claim: all its dependents were True once. */
function readyClaim(): Condition[] {
  const set = open(claim());
  for (const type of ['Launched', 'Registered', 'Initialized']) set.setTrue(type);
  return set.list();
}

describe('at the first look', () => {
  test('root and dependents appear, Unknown and as old as the object', () => {
    const set = open(claim());
    expect(set.modified).toBe(true);
    expect(set.list().map((condition) => condition.type)).toEqual([
      'Launched',
      'Registered',
      'Initialized',
      'Ready',
    ]);
    expect(set.get('Launched')).toEqual({
      type: 'Launched',
      status: 'Unknown',
      observedGeneration: 1,
      lastTransitionTime: CREATED,
      reason: 'AwaitingReconciliation',
      message: 'object is awaiting reconciliation',
    });
    expect(set.root()).toMatchObject({
      status: 'Unknown',
      reason: 'ReconcilingDependents',
      message: 'Launched=Unknown, Registered=Unknown, Initialized=Unknown',
      lastTransitionTime: CREATED,
    });
  });

  test('the object given is left alone', () => {
    const object = claim(readyClaim());
    const before = structuredClone(object);
    open(object).setFalse('Launched', 'No', 'no');
    expect(object).toEqual(before);
    expect(open(object).modified).toBe(false);
  });

  test('an object that was never stored is as old as now, and has no generation', () => {
    const set = open({ metadata: {} });
    expect(set.get('Launched')).toMatchObject({ lastTransitionTime: LATER });
    expect(set.get('Launched')).not.toHaveProperty('observedGeneration');
  });
});

describe('setting a condition', () => {
  test('moves the time only when the status changes', () => {
    const set = open(claim());
    expect(set.setUnknown('Launched', 'LaunchFailed', 'no quota')).toBe(true);
    expect(set.get('Launched')).toMatchObject({ reason: 'LaunchFailed', lastTransitionTime: CREATED });
    expect(set.setTrue('Launched')).toBe(true);
    expect(set.get('Launched')).toMatchObject({ reason: 'Launched', message: '', lastTransitionTime: LATER });
    expect(set.setTrue('Launched')).toBe(false);
  });

  test('makes the root True when the last dependent is', () => {
    const set = new ConditionSet(conditionTypesOf('NodeClaim'), claim(readyClaim()), LATER_MS);
    expect(set.root()).toMatchObject({
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: LATER,
    });
    expect(set.isTrue('Launched', 'Ready')).toBe(true);
    expect(set.isTrue('Launched', 'Drifted')).toBe(false);
  });

  test('makes the root False when a dependent is, newest move first in the message', () => {
    const set = open(claim());
    set.setTrue('Launched');
    set.setFalse('Registered', 'MultipleNodesFound', 'two');
    expect(set.root()).toMatchObject({
      status: 'False',
      reason: 'UnhealthyDependents',
      message: 'Registered=False, Initialized=Unknown',
    });
  });

  test('does not count what was True for an older generation', () => {
    const set = open(claim(readyClaim(), { generation: 2 }));
    set.setTrue('Launched');
    expect(set.root()).toMatchObject({ status: 'Unknown', message: 'Registered=True, Initialized=True' });
    expect(set.get('Registered')).toMatchObject({ observedGeneration: 1 });
  });

  test('bumps every generation while the object is being deleted', () => {
    const set = open(claim(readyClaim(), { generation: 2, deletionTimestamp: LATER }));
    set.setUnknown('Drained', 'Draining', 'Draining');
    expect(set.list().map((condition) => condition.observedGeneration)).toEqual([2, 2, 2, 2, 2]);
    expect(set.root()).toMatchObject({ status: 'True' });
  });

  test('keeps the list sorted by time, root last; a condition nothing depends on starts now', () => {
    const set = open(claim());
    set.setTrue('Drifted', 'NodePoolDrifted', 'NodePoolDrifted');
    expect(set.list().map((condition) => condition.type)).toEqual([
      'Launched',
      'Registered',
      'Initialized',
      'Drifted',
      'Ready',
    ]);
    expect(set.get('Drifted')).toMatchObject({ lastTransitionTime: LATER });
  });

  test('accepts old conditions without a reason, a message or a valid time', () => {
    const old = { type: 'Launched', status: 'Unknown', lastTransitionTime: '' } as Condition;
    expect(open(claim([old])).setTrue('Launched')).toBe(true);
  });
});

describe('clearing a condition', () => {
  test('removes it and puts the rest in alphabetical order', () => {
    const set = open(claim(readyClaim()));
    set.setTrue('Drifted');
    expect(set.clear('Drifted')).toBe(true);
    expect(set.list().map((condition) => condition.type)).toEqual([
      'Initialized',
      'Launched',
      'Ready',
      'Registered',
    ]);
  });

  test('does nothing when it is not there, and is refused for root and dependents', () => {
    const set = open(claim(readyClaim()));
    expect(set.clear('Drifted')).toBe(false);
    expect(set.modified).toBe(false);
    expect(() => set.clear('Launched')).toThrow(/cannot be cleared/);
    expect(() => set.clear('Ready')).toThrow(/cannot be cleared/);
  });
});

describe('kinds', () => {
  test('depend on what their tables say', () => {
    expect(conditionTypesOf('NodePool').dependents).toEqual(['ValidationSucceeded', 'NodeClassReady']);
    expect(conditionTypesOf('AKSNodeClass').dependents).toEqual([
      'ImagesReady',
      'KubernetesVersionReady',
      'SubnetsReady',
      'ValidationSucceeded',
      'LocalDNSReady',
    ]);
    expect(conditionTypesOf('EC2NodeClass').dependents).toContain('CapacityReservationsReady');
  });

  test('leave a dependent out while its feature gate is off', () => {
    const set = ConditionSet.of('EC2NodeClass', claim(), LATER_MS, ['CapacityReservationsReady']);
    expect(set.get('CapacityReservationsReady')).toBeUndefined();
  });

  test('keep plain conditions in the order of their creation when there is no root', () => {
    const set = ConditionSet.of('CapacityBuffer', claim(), LATER_MS);
    expect(set.list()).toEqual([]);
    expect(set.root()).toBeUndefined();
    set.setFalse('ReadyForProvisioning', 'PodTemplateNotFound', 'gone');
    set.setTrue('Provisioning', 'FitsExistingCapacity', '');
    set.setTrue('ReadyForProvisioning', 'Resolved', 'found');
    expect(set.list().map(({ type, status }) => [type, status])).toEqual([
      ['ReadyForProvisioning', 'True'],
      ['Provisioning', 'True'],
    ]);
  });
});

/** What keeps NodePools from launching nodes, and pods that no NodePool would launch a node for. */
import { describe, expect, test } from 'vitest';
import { aPool, aWaitingPod, condition, events, plan, refusal } from '../../causes/testing.ts';

import { broken } from './verdict.fixture.ts';

const told = (reason: string) => events({ object: 'NodePool/default', reason, message: 'the words' });
const doNotJoin = aPool({
  conditions: [
    condition('Ready', 'True'),
    condition('NodeRegistrationHealthy', 'False', 'RegistrationFailed', 'the words'),
  ],
});

describe('a NodePool that launches nothing now', () => {
  const EVENTS = [
    ['LaunchesStopped', 'planning.launches-stopped'],
    ['LaunchesLimited', 'planning.launches-limited'],
    ['NodeLimitReached', 'planning.node-limit'],
  ] as const;

  test.each(EVENTS)('does not explain a pod that it would refuse anyway: %s', (reason) => {
    expect(broken(aWaitingPod(), plan(refusal('TaintNotTolerated')), told(reason))).toEqual(['L6.2']);
  });

  test.each(EVENTS)('explains a pod that it would take, as the controller says: %s', (reason, id) => {
    const held = plan(refusal('TaintNotTolerated'), refusal('ToldByController', 'its claim is held up'));
    expect(broken(aWaitingPod(), held, told(reason))).toContain(id);
    expect(broken(aWaitingPod(), { ...plan(), outcome: 'newClaim' }, told(reason))).toEqual([id]);
  });

  test.each([
    ['InstanceTypesUnknown', 'planning.types-unknown'],
    ['NoCompatibleInstanceTypes', 'planning.no-compatible-types'],
  ])('for want of instance types explains the refusal itself: %s', (reason, id) => {
    expect(broken(aWaitingPod(), plan(refusal('NoTypeMeetsAll')), told(reason))).toContain(id);
  });
});

describe('a NodePool whose nodes do not join', () => {
  test('does not explain a pod that it would refuse anyway', () => {
    expect(broken(aWaitingPod(), plan(refusal('ResourceInsufficient')), doNotJoin)).toEqual(['L6.3']);
  });

  test('explains that its limit is used up, and a pod that it would take', () => {
    const [first] = broken(aWaitingPod(), plan(refusal('LimitExceeded')), doNotJoin);
    expect(first).toBe('planning.nodes-do-not-join');
    expect(broken(aWaitingPod(), { ...plan(), outcome: 'newClaim' }, doNotJoin)).toEqual([
      'planning.nodes-do-not-join',
    ]);
  });
});

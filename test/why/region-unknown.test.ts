/** A NodePool on EKS that names a zone, in a cluster that shows no region with nodes: it was scaled to zero. */
import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { awsDiagnosis } from '../../packages/chandler/src/cloud/aws/diagnosis.ts';
import {
  dumpReader,
  encodeDump,
  explain,
  gather,
  openDump,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';

import { awsClass, awsPool } from './aws-objects.ts';
import { dumpWith } from './corpus.ts';
import { anEvent, aPod, merged, NOW_MS } from './objects.ts';

const POOL = awsPool({
  spec: {
    template: {
      spec: {
        requirements: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['eu-west-1a'] }],
      },
    },
  },
});

async function explained(status: object, pod: object = {}, told: Parameters<typeof anEvent>[0][] = []) {
  const cloud = awsDiagnosis();
  const nodeClass = merged(awsClass(), { status: { subnets: [], ...status } });
  const pending = merged(aPod({ age: '1h' }), pod);
  const reader = dumpReader(
    openDump(encodeDump(dumpWith([nodeClass, POOL, pending, ...told.map(anEvent)], {}, []), false)),
  );
  const subject = parseSubject(['pod/shop/web']);
  if (typeof subject === 'string') throw new Error(subject);
  const planner = cataloguePlanner(virtualWorld({ startMs: NOW_MS }), reader, cloud);
  const gathered = await gather(subject, { reader, cloud, planner });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  return { ...explain(gathered.subject, gathered.evidence, cloud), unread: gathered.evidence.unread };
}

async function answer(status: object, pod: object = {}) {
  const { cause, also } = await explained(status, pod);
  return [cause?.id, ...also.map(({ id }) => id)];
}

const LABELLED = { spec: { nodeSelector: { 'example.com/disk': 'fast' } } };

test('its zone does not exclude every instance type where nothing shows the region', async () => {
  expect(await answer({})).toEqual(['scheduling.unexplained']);
});

test.each([[[]], [['no nodes available to schedule pods']]])(
  'and that the region is not known is said, after the events %j',
  async (messages) => {
    const by = 'default-scheduler';
    const events = messages.map((message) => ({
      on: 'Pod/shop/web',
      reason: 'FailedScheduling',
      message,
      by,
    }));
    const { cause, unread } = await explained({}, {}, events);
    expect(cause?.title).toBe('The pod is pending, and what a plan for it needs could not be read');
    expect(cause?.summary).toContain('region of the cluster');
    expect(unread).toContainEqual({
      kind: 'plan',
      what: 'region of the cluster',
      why: 'notShown',
      message: 'by no node, NodeClaim, node class or option of the controller',
    });
  },
);

test('and what no region changes is said', async () => {
  expect(await answer({}, LABELLED)).toEqual(['L6.4']);
});

test.each([
  ['subnets', { subnets: [{ id: 'subnet-1', zone: 'eu-west-1a' }] }],
  ['capacity reservations', { capacityReservations: [reservationIn('eu-west-1a')] }],
])('the %s of its node class show the region', async (_, status) => {
  expect(await answer(status)).toEqual([undefined, 'scheduling.not-launched']);
});

// ---------------------------------------------------------------------------------------------------------------

function reservationIn(availabilityZone: string): object {
  return {
    id: 'cr-0123456789abcdef0',
    availabilityZone,
    instanceType: 'm5.large',
    instanceMatchCriteria: 'targeted',
    ownerID: '123456789012',
    reservationType: 'default',
    interruptible: false,
    state: 'active',
  };
}

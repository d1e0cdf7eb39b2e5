/** What happens in AWS beside the actions of every workload: to instances, by AWS and by people, and to what the controller made. */
import type { AwsServer } from '@chandler/cloudsim/aws';
import type { InstanceRecord } from '@chandler/cloudsim/aws/testing';
import type { Action } from '../story/action.ts';
import type { Scene } from '../story/step.ts';
import { awsOf, type SimulatedAws } from './aws-cloud.ts';

export const AWS_ACTIONS: readonly Action[] = [
  toInstance('spot interruption', 6, ({ instances }, { id }) => instances.interruptSpot(id), isSpot),
  toInstance('rebalance recommended', 3, ({ instances }, { id }) => instances.recommendRebalance(id), isSpot),
  toInstance('instance stopped behind our back', 3, ({ instances }, { id }) => instances.stop(id)),
  toInstance('instance retires', 2, ({ instances }, { id }) => instances.scheduleRetirement(id)),
  toInstance('instance impaired', 2, ({ instances }, { id }) => instances.impair(id, 'system')),
  toAccount('launch templates deleted by somebody', 3, ({ account }) => account.launchTemplates.clear()),
  toAccount('reservation used up by others', 1, ({ account }) => {
    for (const reservation of account.capacityReservations.values()) reservation.AvailableInstanceCount = 0;
  }),
  toAccount('foreign messages', 2, ({ queue }) => {
    queue.send('hello');
    queue.send(JSON.stringify({ version: '0', source: 'aws.ec2', 'detail-type': 'Unheard Of', detail: {} }));
    queue.send(JSON.stringify(foreignInterruption()));
  }),
  {
    name: 'sessions revoked',
    weight: 2,
    prepare:
      () =>
      async ({ servers }) =>
        (servers.cloud as SimulatedAws).revokeSessions(),
  },
];

// ---------------------------------------------------------------------------------------------------

function toAccount(name: string, weight: number, act: (server: AwsServer) => void): Action {
  return { name, weight, prepare: () => async (scene) => act(awsOf(scene.servers)) };
}

function toInstance(
  name: string,
  weight: number,
  act: (server: AwsServer, instance: InstanceRecord) => void,
  fits: (instance: InstanceRecord) => boolean = () => true,
): Action {
  return {
    name,
    weight,
    prepare: () => async (scene) => {
      const instance = pickRunning(scene, fits);
      if (instance === undefined) return;
      scene.note(instance.id);
      act(awsOf(scene.servers), instance);
    },
  };
}

function pickRunning(
  { servers, chance }: Scene,
  fits: (instance: InstanceRecord) => boolean,
): InstanceRecord | undefined {
  const running = awsOf(servers)
    .instances.list()
    .filter((each) => (each.state === 'running' || each.state === 'pending') && fits(each))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  return running.length === 0 ? undefined : chance.one(running);
}

function isSpot({ spot }: InstanceRecord): boolean {
  return spot;
}

function foreignInterruption(): object {
  return {
    version: '0',
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    detail: { 'instance-id': 'i-00000000000000bad', 'instance-action': 'terminate' },
  };
}

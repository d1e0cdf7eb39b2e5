/** DescribeInstances, DescribeInstanceStatus, TerminateInstances, RebootInstances, GetConsoleOutput. */
import type { Instance } from '@aws-sdk/client-ec2';
import { type AwsContext, ec2Arn } from '../context.ts';
import { resourceTags } from '../iam/rights.ts';
import type { InstanceRecord, InstanceState } from '../store/records.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { dryRun, ec2Error } from '../wire/errors.ts';
import { type DescribeRow, select } from './describe.ts';
import {
  INSTANCE_SELECTOR,
  idsOf,
  isImpaired,
  isVisible,
  requireInstances,
  STATE_CODES,
} from './instance-lookup.ts';
import type { InstanceStates } from './instance-states.ts';
import { statusOperation } from './instance-status.ts';

export function instanceOperations(context: AwsContext, states: InstanceStates): readonly Operation[] {
  return [
    describeInstances(context),
    statusOperation(context),
    terminateInstances(context, states),
    rebootInstances(context, states),
    consoleOutput(context),
  ];
}

/** As the API shows it now. */
export function shownInstance(record: InstanceRecord): Instance {
  const { launched, state, tags, stateReason, stateTransition } = record;
  // A terminated instance has lost its network.
  const { PrivateIpAddress, PrivateDnsName, SubnetId, VpcId, NetworkInterfaces, SecurityGroups, ...rest } =
    launched;
  const network = { PrivateIpAddress, PrivateDnsName, SubnetId, VpcId, NetworkInterfaces, SecurityGroups };
  return {
    ...rest,
    ...(state === 'terminated' ? { PrivateDnsName: '', NetworkInterfaces: [], SecurityGroups: [] } : network),
    State: { Code: STATE_CODES[state], Name: state },
    StateTransitionReason: stateTransition,
    ...(stateReason === undefined ? {} : { StateReason: stateReason }),
    Tags: [...tags],
  };
}

// ---------------------------------------------------------------------------------------------------

const INSTANCES: DescribeRow<InstanceRecord> = {
  action: 'DescribeInstances',
  member: 'Reservations',
  items: (context) =>
    [...context.account.instances.values()].filter(
      (each) => isVisible(context, each) && !isImpaired(context, each),
    ),
  key: ({ id }) => id,
  selectors: [INSTANCE_SELECTOR],
  filters: {
    'instance-id': ({ id }) => id,
    'instance-type': ({ type }) => type,
    'instance-state-name': ({ state }) => state,
    'instance-state-code': ({ state }) => STATE_CODES[state],
    'availability-zone': ({ zone }) => zone,
    'subnet-id': ({ subnetId }) => subnetId,
    'vpc-id': ({ launched }) => launched.VpcId,
    'image-id': ({ imageId }) => imageId,
    'private-ip-address': ({ privateIp }) => privateIp,
    'private-dns-name': ({ nodeName }) => nodeName,
    'instance-lifecycle': ({ launched }) => launched.InstanceLifecycle,
    'client-token': ({ launched }) => launched.ClientToken,
    'reservation-id': ({ reservationId }) => reservationId,
    'capacity-reservation-id': ({ reservedBy }) => reservedBy,
    'iam-instance-profile.arn': ({ profileArn }) => profileArn,
    'iam-instance-profile.name': ({ profileArn }) => profileArn?.split('/').at(-1),
    'instance.group-id': ({ launched }) => launched.SecurityGroups?.map(({ GroupId }) => GroupId) ?? [],
    'instance.group-name': ({ launched }) => launched.SecurityGroups?.map(({ GroupName }) => GroupName) ?? [],
    'launch-time': ({ launched }) => launched.LaunchTime,
    'placement-group-name': ({ launched }) => launched.Placement?.GroupName,
    architecture: ({ launched }) => launched.Architecture,
    platform: ({ launched }) => launched.Platform,
    tenancy: ({ launched }) => launched.Placement?.Tenancy,
    'metadata-options.http-tokens': ({ launched }) => launched.MetadataOptions?.HttpTokens,
  },
  tags: ({ tags }) => tags,
  page: { min: 5, max: 1000, usual: 1000 },
};

function describeInstances(context: AwsContext): Operation {
  return {
    service: 'ec2',
    action: 'DescribeInstances',
    handle(request) {
      const { items, NextToken } = select(context, INSTANCES, request);
      const reservations = new Map<string, Instance[]>();
      for (const record of items) {
        const members = reservations.get(record.reservationId) ?? [];
        members.push(shownInstance(record));
        reservations.set(record.reservationId, members);
      }
      return {
        Reservations: [...reservations].map(([ReservationId, Instances]) => ({
          ReservationId,
          OwnerId: context.settings.accountId,
          Groups: [],
          Instances,
        })),
        NextToken,
      };
    },
  };
}

function rightsOn(context: AwsContext, action: string) {
  return (request: AwsRequest) =>
    requireInstances(context, idsOf(request)).map(({ id, tags }) => ({
      action,
      resource: ec2Arn(context.settings, 'instance', id),
      context: resourceTags(tags, 'ec2'),
    }));
}

function subjectOf(request: AwsRequest) {
  return { name: idsOf(request)[0] ?? '' };
}

function terminateInstances(context: AwsContext, states: InstanceStates): Operation {
  const stateOf = (Name: InstanceState) => ({ Code: STATE_CODES[Name], Name });
  return {
    service: 'ec2',
    action: 'TerminateInstances',
    rights: rightsOn(context, 'ec2:TerminateInstances'),
    subject: subjectOf,
    handle(request) {
      const instances = requireInstances(context, idsOf(request));
      if (request.params['DryRun']) throw dryRun();
      if (instances.some((each) => isImpaired(context, each)))
        throw ec2Error('InternalError', 'An internal error has occurred');
      return {
        TerminatingInstances: instances.map(({ id }) => {
          const { previous, current } = states.terminate(id);
          return { InstanceId: id, PreviousState: stateOf(previous), CurrentState: stateOf(current) };
        }),
      };
    },
  };
}

function rebootInstances(context: AwsContext, states: InstanceStates): Operation {
  return {
    service: 'ec2',
    action: 'RebootInstances',
    rights: rightsOn(context, 'ec2:RebootInstances'),
    subject: subjectOf,
    handle(request) {
      const instances = requireInstances(context, idsOf(request));
      const wrong = instances.find(({ state }) => state !== 'running');
      if (wrong !== undefined)
        throw ec2Error(
          'IncorrectInstanceState',
          `The instance '${wrong.id}' is not in a state from which it can be rebooted.`,
        );
      if (request.params['DryRun']) throw dryRun();
      for (const { id } of instances) states.reboot(id);
      return {};
    },
  };
}

/** EC2 keeps the last 64 KB. */
const MAX_CONSOLE_BYTES = 65_536;

function consoleOutput(context: AwsContext): Operation {
  return {
    service: 'ec2',
    action: 'GetConsoleOutput',
    rights: ({ params, ...request }) =>
      rightsOn(
        context,
        'ec2:GetConsoleOutput',
      )({ ...request, params: { InstanceIds: [params['InstanceId']] } }),
    handle(request) {
      const [instance] = requireInstances(context, [String(request.params['InstanceId'])]);
      if (request.params['DryRun']) throw dryRun();
      const nowMs = context.world.clock.now();
      const untilMs = request.params['Latest'] ? nowMs : nowMs - context.latencies.consoleMs;
      const lines = instance!.serialLines.filter(({ atMs }) => atMs <= untilMs);
      const output = Buffer.from(lines.map(({ text }) => text).join('')).subarray(-MAX_CONSOLE_BYTES);
      return {
        InstanceId: instance!.id,
        Timestamp: new Date(lines.at(-1)?.atMs ?? instance!.launchedMs),
        Output: output.toString('base64'),
      };
    },
  };
}

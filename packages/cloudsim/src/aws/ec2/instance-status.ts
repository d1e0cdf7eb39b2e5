/** DescribeInstanceStatus: status checks and scheduled events. */
import type { AwsContext } from '../context.ts';
import type { InstanceRecord } from '../store/records.ts';
import type { Operation } from '../wire/aws-request.ts';
import { ec2Error, invalidParameter } from '../wire/errors.ts';
import { type DescribeRow, select } from './describe.ts';
import { idsOf, isVisible, requireInstances, STATE_CODES } from './instance-lookup.ts';

export function statusOperation(context: AwsContext): Operation {
  const row = statusRow(context);
  return {
    service: 'ec2',
    action: row.action,
    handle(request) {
      const ids = idsOf(request);
      if (ids.length > 100) throw invalidParameter('A request may name up to 100 instances');
      if (ids.length > 0 && request.params['MaxResults'] !== undefined)
        throw ec2Error(
          'InvalidParameterCombination',
          'The parameter instancesSet cannot be used with the parameter maxResults',
        );
      if (ids.length > 0) requireInstances(context, ids);
      const { items, NextToken } = select(context, row, request);
      return { InstanceStatuses: items.map((each) => shown(context, each)), NextToken };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** The checks pass some minutes after the launch. */
const INITIALIZING_MS = 120_000;

function statusRow(context: AwsContext): DescribeRow<InstanceRecord> {
  return {
    action: 'DescribeInstanceStatus',
    member: 'InstanceStatuses',
    // An instance that is named and does not run is left out, and is no error.
    items: (_, request) => {
      const ids = idsOf(request);
      const all = request.params['IncludeAllInstances'] === true;
      return [...context.account.instances.values()].filter(
        (each) =>
          isVisible(context, each) &&
          (ids.length === 0 || ids.includes(each.id)) &&
          (all || each.state === 'running'),
      );
    },
    key: ({ id }) => id,
    filters: {
      'instance-id': ({ id }) => id,
      'availability-zone': ({ zone }) => zone,
      'instance-state-name': ({ state }) => state,
      'instance-state-code': ({ state }) => STATE_CODES[state],
      'instance-status.status': (each) => statusOf(context, each, each.instanceImpairedMs),
      'instance-status.reachability': (each) =>
        reachability(statusOf(context, each, each.instanceImpairedMs)),
      'system-status.status': (each) => statusOf(context, each, each.systemImpairedMs),
      'system-status.reachability': (each) => reachability(statusOf(context, each, each.systemImpairedMs)),
      'event.code': ({ events }) => events.map(({ Code }) => Code),
      'event.instance-event-id': ({ events }) => events.map(({ InstanceEventId }) => InstanceEventId),
    },
    tags: ({ tags }) => tags,
    page: { min: 5, max: 1000, usual: 1000 },
  };
}

function shown(context: AwsContext, instance: InstanceRecord) {
  const summary = (impairedMs: number | undefined) => {
    const status = statusOf(context, instance, impairedMs);
    return {
      Status: status,
      Details: [
        {
          Name: 'reachability' as const,
          Status: reachability(status),
          ...(impairedMs === undefined ? {} : { ImpairedSince: new Date(impairedMs) }),
        },
      ],
    };
  };
  return {
    InstanceId: instance.id,
    AvailabilityZone: instance.zone,
    InstanceState: { Code: STATE_CODES[instance.state], Name: instance.state },
    InstanceStatus: summary(instance.instanceImpairedMs),
    SystemStatus: summary(instance.systemImpairedMs),
    ...(instance.events.length === 0 ? {} : { Events: [...instance.events] }),
  };
}

function statusOf({ world }: AwsContext, instance: InstanceRecord, impairedMs: number | undefined) {
  if (instance.state !== 'running') return 'not-applicable';
  if (impairedMs !== undefined) return 'impaired';
  return world.clock.now() - instance.launchedMs < INITIALIZING_MS ? 'initializing' : 'ok';
}

function reachability(status: string): 'failed' | 'initializing' | 'passed' | 'insufficient-data' {
  if (status === 'impaired') return 'failed';
  if (status === 'initializing') return 'initializing';
  return status === 'ok' ? 'passed' : 'insufficient-data';
}

/** RunInstances: a plan from a launch template and the request, its rights, then the launch of all instances or of none. */
import type { LaunchTemplateSpecification, TagSpecification } from '@aws-sdk/client-ec2';
import type { AwsContext } from '../context.ts';
import type { InstanceRecord } from '../store/records.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { dryRun, ec2Error, invalidParameter } from '../wire/errors.ts';
import type { Idempotency } from './idempotency.ts';
import type { InstanceStates } from './instance-states.ts';
import { shownInstance } from './instances.ts';
import {
  type LaunchData,
  type LaunchPlan,
  launchRights,
  mergedInterfaces,
  planLaunch,
} from './launch-plan.ts';
import { templateOf } from './launch-templates.ts';
import type { Launching } from './launching.ts';

export interface RunInstancesParts {
  readonly context: AwsContext;
  readonly tokens: Idempotency;
  readonly launching: Launching;
  readonly states: InstanceStates;
}

export function runInstancesOperation({ context, tokens, launching, states }: RunInstancesParts): Operation {
  return {
    service: 'ec2',
    action: 'RunInstances',
    rights: (request) => launchRights(context, planOf(context, request)),
    handle(request) {
      const { MinCount = 1, MaxCount = 1, ClientToken, DryRun } = request.params as RunParams;
      if (MinCount < 1 || MaxCount < MinCount)
        throw invalidParameter(`Value (${MinCount}) for parameter minCount is invalid.`);
      const plan = planOf(context, request);
      if (DryRun) throw dryRun();
      return tokens.once('RunInstances', request.params, () => {
        const reservationId = context.account.newId('r');
        const extras = { reservationId, clientToken: ClientToken, systemTags: templateTags(plan) };
        const launched: InstanceRecord[] = [];
        try {
          while (launched.length < MaxCount) launched.push(launching.launch(plan, extras));
        } catch (error) {
          if (launched.length < MinCount) {
            for (const instance of launched) states.discard(instance);
            throw error;
          }
        }
        return {
          ReservationId: reservationId,
          OwnerId: context.settings.accountId,
          Groups: [],
          Instances: launched.map(shownInstance),
        };
      });
    },
  };
}

/** The tags that EC2 puts on what a launch template launched. */
export function templateTags({ template }: Pick<LaunchPlan, 'template'>) {
  if (template === undefined) return [];
  return [
    { Key: 'aws:ec2launchtemplate:id', Value: template.template.LaunchTemplateId! },
    { Key: 'aws:ec2launchtemplate:version', Value: '1' },
  ];
}

// ---------------------------------------------------------------------------------------------------

type RunParams = LaunchData & {
  readonly MinCount?: number;
  readonly MaxCount?: number;
  readonly ClientToken?: string;
  readonly DryRun?: boolean;
  readonly LaunchTemplate?: LaunchTemplateSpecification;
  readonly TagSpecifications?: readonly TagSpecification[];
};

function planOf(context: AwsContext, { params }: AwsRequest): LaunchPlan {
  const {
    MinCount: _min,
    MaxCount: _max,
    ClientToken: _token,
    DryRun: _dry,
    LaunchTemplate,
    TagSpecifications,
    ...own
  } = params as RunParams;
  const template = LaunchTemplate === undefined ? undefined : templateOf(context, LaunchTemplate);
  const interfaces = mergedInterfaces(template?.data.NetworkInterfaces, own.NetworkInterfaces);
  if (interfaces.length > 0 && own.SubnetId !== undefined)
    throw ec2Error(
      'InvalidParameterCombination',
      'Network interfaces and an instance-level subnet ID may not be specified on the same request',
    );
  const data: LaunchData = {
    ...template?.data,
    ...own,
    ...(interfaces.length === 0 ? {} : { NetworkInterfaces: interfaces }),
    // Unlike those of a fleet, these are not added to the template's.
    TagSpecifications: [...(TagSpecifications ?? template?.data.TagSpecifications ?? [])],
  };
  const spot = data.InstanceMarketOptions?.MarketType === 'spot';
  // EC2 asks policies before it reads the template.
  return planLaunch(context, { data, template, spot, httpTokens: own.MetadataOptions?.HttpTokens });
}

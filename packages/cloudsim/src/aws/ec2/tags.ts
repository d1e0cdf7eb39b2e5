/** Tags of EC2 resources: their rules, CreateTags and DeleteTags. */
import type { Tag, TagSpecification } from '@aws-sdk/client-ec2';
import { type AwsContext, ec2Arn } from '../context.ts';
import { type Right, requestTags, resourceTags } from '../iam/rights.ts';
import { mergedTags } from '../store/account.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { type AwsError, dryRun, ec2Error, invalidParameter, missing } from '../wire/errors.ts';

/** Tags for one type of resource in a request that creates several. */
export function tagsFor(
  specifications: readonly TagSpecification[] | undefined,
  resourceType: string,
): readonly Tag[] {
  return (specifications ?? []).flatMap(({ ResourceType, Tags }) =>
    ResourceType === resourceType ? (Tags ?? []) : [],
  );
}

export function checkTags(tags: readonly Tag[]): void {
  const keys = new Set<string>();
  for (const { Key = '', Value = '' } of tags) {
    if (Key === '') throw invalidParameter('Tag key cannot be empty.');
    if (Key.length > 127)
      throw invalidParameter(`Tag key exceeds the maximum length of 127 characters: '${Key}'`);
    if (Value.length > 255)
      throw invalidParameter(`Tag value exceeds the maximum length of 255 characters: '${Value}'`);
    if (/^aws:/i.test(Key))
      throw invalidParameter("Tag keys starting with 'aws:' are reserved for internal use");
    if (keys.has(Key)) throw invalidParameter(`Duplicate tag key '${Key}' specified.`);
    keys.add(Key);
  }
  if (keys.size > 50) throw ec2Error('TagLimitExceeded', 'The maximum number of tags for a resource is 50.');
}

/** A right for every resource that a creating call tags. */
export function taggingRights(
  { settings }: Pick<AwsContext, 'settings'>,
  action: string,
  specifications: readonly TagSpecification[] | undefined,
): readonly Right[] {
  return (specifications ?? []).flatMap(({ ResourceType = '', Tags = [] }) =>
    Tags.length === 0
      ? []
      : [
          {
            action: 'ec2:CreateTags',
            resource: ec2Arn(settings, ResourceType, '*'),
            context: { 'ec2:CreateAction': action, ...requestTags(Tags) },
          },
        ],
  );
}

export function tagOperations(context: AwsContext): readonly Operation[] {
  return [
    {
      service: 'ec2',
      action: 'CreateTags',
      rights: (request) => rightsFor(context, 'ec2:CreateTags', request),
      handle({ params }) {
        const { Resources = [], Tags = [], DryRun } = params as TagParams;
        if (Tags.length === 0) throw missing('Tag');
        checkTags(Tags);
        const targets = Resources.map((id) => taggable(context, id));
        if (DryRun) throw dryRun();
        for (const { tags, set } of targets) {
          const merged = mergedTags(tags, Tags);
          if (merged.filter(({ Key = '' }) => !Key.startsWith('aws:')).length > 50)
            throw ec2Error('TagLimitExceeded', 'The maximum number of tags for a resource is 50.');
          set(merged);
        }
        return {};
      },
    },
    {
      service: 'ec2',
      action: 'DeleteTags',
      rights: (request) => rightsFor(context, 'ec2:DeleteTags', request),
      handle({ params }) {
        const { Resources = [], Tags, DryRun } = params as TagParams;
        const targets = Resources.map((id) => taggable(context, id));
        if (DryRun) throw dryRun();
        // A tag with a value is removed only when it has that value; without tags, all are.
        const goes = (tag: Tag) =>
          Tags === undefined
            ? !tag.Key?.startsWith('aws:')
            : Tags.some(({ Key, Value }) => Key === tag.Key && (Value === undefined || Value === tag.Value));
        for (const { tags, set } of targets) set(tags.filter((tag) => !goes(tag)));
        return {};
      },
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

interface TagParams {
  readonly Resources?: readonly string[];
  readonly Tags?: readonly Tag[];
  readonly DryRun?: boolean;
}

interface Taggable {
  readonly type: string;
  readonly tags: readonly Tag[];
  set(tags: readonly Tag[]): void;
}

function rightsFor(context: AwsContext, action: string, { params }: AwsRequest): readonly Right[] {
  const { Resources = [], Tags = [] } = params as TagParams;
  return Resources.map((id) => {
    const { type, tags } = taggable(context, id);
    return {
      action,
      resource: ec2Arn(context.settings, type, id),
      context: { ...requestTags(Tags), ...resourceTags(tags, 'ec2') },
    };
  });
}

function taggable({ account, world }: AwsContext, id: string): Taggable {
  const instance = account.instances.get(id);
  if (instance !== undefined && instance.visibleMs <= world.clock.now())
    return {
      type: 'instance',
      tags: instance.tags,
      set: (tags) => {
        instance.tags = tags;
      },
    };
  const template = account.launchTemplates.get(id);
  if (template !== undefined)
    return {
      type: 'launch-template',
      tags: template.template.Tags ?? [],
      set: (tags) => {
        template.template.Tags = [...tags];
      },
    };
  const subnet = account.subnets.get(id);
  if (subnet !== undefined)
    return {
      type: 'subnet',
      tags: subnet.tags,
      set: (tags) => {
        subnet.tags = tags;
      },
    };
  for (const [type, map] of [
    ['vpc', account.vpcs],
    ['security-group', account.securityGroups],
    ['image', account.images],
    ['capacity-reservation', account.capacityReservations],
    ['placement-group', account.placementGroups],
  ] as const) {
    const found = map.get(id) as { Tags?: Tag[] | undefined } | undefined;
    if (found !== undefined)
      return {
        type,
        tags: found.Tags ?? [],
        set: (tags) => {
          found.Tags = [...tags];
        },
      };
  }
  throw notFound(id);
}

function notFound(id: string): AwsError {
  if (id.startsWith('i-'))
    return ec2Error('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);
  if (id.startsWith('lt-'))
    return ec2Error('InvalidLaunchTemplateId.NotFound', `The launch template ID '${id}' does not exist`);
  if (id.startsWith('subnet-'))
    return ec2Error('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
  if (id.startsWith('sg-'))
    return ec2Error('InvalidGroup.NotFound', `The security group '${id}' does not exist`);
  return ec2Error('InvalidID', `The ID '${id}' is not valid`);
}

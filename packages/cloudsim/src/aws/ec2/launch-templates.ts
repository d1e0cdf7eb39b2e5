/** CreateLaunchTemplate, DescribeLaunchTemplates, DescribeLaunchTemplateVersions, DeleteLaunchTemplate. Templates have one version. */
import type {
  LaunchTemplate,
  LaunchTemplateSpecification,
  RequestLaunchTemplateData,
  TagSpecification,
} from '@aws-sdk/client-ec2';
import { type AwsContext, ec2Arn } from '../context.ts';
import { requestTags, resourceTags } from '../iam/rights.ts';
import type { LaunchTemplateRecord } from '../store/records.ts';
import type { Operation } from '../wire/aws-request.ts';
import { type AwsError, dryRun, ec2Error, invalidParameter, missing } from '../wire/errors.ts';
import { type DescribeRow, describeOperation } from './describe.ts';
import type { Idempotency } from './idempotency.ts';
import { checkTags, taggingRights, tagsFor } from './tags.ts';
import { checkUserData } from './user-data.ts';

export function templateOperations(context: AwsContext, tokens: Idempotency): readonly Operation[] {
  return [
    createOperation(context, tokens),
    describeOperation(context, TEMPLATES),
    versionsOperation(context),
    deleteOperation(context),
  ];
}

/** The template that a launch names, by id or by name. */
export function templateOf(
  { account }: AwsContext,
  specification: LaunchTemplateSpecification | undefined,
): LaunchTemplateRecord {
  const { LaunchTemplateId: id, LaunchTemplateName: name, Version } = specification ?? {};
  if ((id === undefined) === (name === undefined))
    throw ec2Error(
      'InvalidParameterCombination',
      'You must specify either the launch template ID or the launch template name, but not both.',
    );
  const found = id === undefined ? account.templateNamed(name!) : account.launchTemplates.get(id);
  if (found === undefined) throw id === undefined ? nameNotFound(name!) : idNotFound(id);
  if (Version !== undefined && !['$Latest', '$Default', '1'].includes(Version))
    throw ec2Error(
      'InvalidLaunchTemplateId.VersionNotFound',
      `Could not find the specified version ${Version} for the launch template with ID ${found.template.LaunchTemplateId}.`,
    );
  return found;
}

// ---------------------------------------------------------------------------------------------------

interface CreateParams {
  readonly LaunchTemplateName?: string;
  readonly LaunchTemplateData?: RequestLaunchTemplateData;
  readonly TagSpecifications?: readonly TagSpecification[];
  readonly VersionDescription?: string;
  readonly DryRun?: boolean;
}

function createOperation(context: AwsContext, tokens: Idempotency): Operation {
  const { account, settings, world } = context;
  return {
    service: 'ec2',
    action: 'CreateLaunchTemplate',
    rights({ params }) {
      const { TagSpecifications } = params as CreateParams;
      const tags = tagsFor(TagSpecifications, 'launch-template');
      return [
        {
          action: 'ec2:CreateLaunchTemplate',
          resource: ec2Arn(settings, 'launch-template', '*'),
          context: requestTags(tags),
        },
        ...taggingRights(context, 'CreateLaunchTemplate', TagSpecifications),
      ];
    },
    subject: ({ params }) => ({ name: (params as CreateParams).LaunchTemplateName ?? '' }),
    handle({ params, principal }) {
      const {
        LaunchTemplateName: name = '',
        LaunchTemplateData: data,
        TagSpecifications,
        DryRun,
      } = params as CreateParams;
      const tags = tagsFor(TagSpecifications, 'launch-template');
      checkName(name);
      if (data === undefined) throw missing('LaunchTemplateData');
      checkTags(tags);
      checkUserData(data.UserData);
      for (const specification of data.TagSpecifications ?? []) checkTags(specification.Tags ?? []);
      if (DryRun) throw dryRun();
      return tokens.once('CreateLaunchTemplate', params, () => {
        if (account.templateNamed(name) !== undefined)
          throw ec2Error(
            'InvalidLaunchTemplateName.AlreadyExistsException',
            'Launch template name already in use.',
          );
        const template: LaunchTemplate = {
          LaunchTemplateId: account.newId('lt'),
          LaunchTemplateName: name,
          CreateTime: new Date(Math.floor(world.clock.now() / 1000) * 1000),
          CreatedBy: principal.arn,
          DefaultVersionNumber: 1,
          LatestVersionNumber: 1,
          Tags: [...tags],
        };
        account.launchTemplates.set(template.LaunchTemplateId!, { template, data });
        return { LaunchTemplate: { ...template } };
      });
    },
  };
}

const TEMPLATES: DescribeRow<LaunchTemplateRecord> = {
  action: 'DescribeLaunchTemplates',
  member: 'LaunchTemplates',
  items: ({ account }) => [...account.launchTemplates.values()],
  key: ({ template }) => template.LaunchTemplateId ?? '',
  selectors: [
    {
      param: 'LaunchTemplateIds',
      of: ({ template }) => template.LaunchTemplateId,
      code: 'InvalidLaunchTemplateId.NotFound',
      message: () => 'At least one of the launch templates specified in the request does not exist.',
      form: {
        pattern: /^lt-[0-9a-f]+$/,
        code: 'InvalidLaunchTemplateId.Malformed',
        message: (id) => `Invalid id: "${id}" (expecting "lt-...")`,
      },
    },
    {
      param: 'LaunchTemplateNames',
      of: ({ template }) => template.LaunchTemplateName,
      code: 'InvalidLaunchTemplateName.NotFoundException',
      message: () => 'At least one of the launch templates specified in the request does not exist.',
    },
  ],
  filters: {
    'launch-template-name': ({ template }) => template.LaunchTemplateName,
    'create-time': ({ template }) => template.CreateTime,
  },
  tags: ({ template }) => template.Tags ?? [],
  page: { min: 1, max: 200, usual: 200 },
  idsExcludePages: false,
  shown: ({ template }) => template,
};

function versionsOperation(context: AwsContext): Operation {
  return {
    service: 'ec2',
    action: 'DescribeLaunchTemplateVersions',
    handle({ params }) {
      const { template, data } = templateOf(context, params as LaunchTemplateSpecification);
      return {
        LaunchTemplateVersions: [
          {
            LaunchTemplateId: template.LaunchTemplateId,
            LaunchTemplateName: template.LaunchTemplateName,
            VersionNumber: 1,
            DefaultVersion: true,
            CreateTime: template.CreateTime,
            CreatedBy: template.CreatedBy,
            LaunchTemplateData: data,
          },
        ],
      };
    },
  };
}

function deleteOperation(context: AwsContext): Operation {
  const { account, settings } = context;
  const wanted = (params: object) => templateOf(context, params as LaunchTemplateSpecification);
  return {
    service: 'ec2',
    action: 'DeleteLaunchTemplate',
    rights({ params }) {
      const { template } = wanted(params);
      return [
        {
          action: 'ec2:DeleteLaunchTemplate',
          resource: ec2Arn(settings, 'launch-template', template.LaunchTemplateId!),
          context: resourceTags(template.Tags ?? [], 'ec2'),
        },
      ];
    },
    handle({ params }) {
      const { template } = wanted(params);
      if (params['DryRun']) throw dryRun();
      account.launchTemplates.delete(template.LaunchTemplateId!);
      return { LaunchTemplate: template };
    },
  };
}

function checkName(name: string): void {
  if (name === '') throw missing('LaunchTemplateName');
  if (!/^[a-zA-Z0-9().\-/_]{3,128}$/.test(name))
    throw ec2Error(
      'InvalidLaunchTemplateName.MalformedException',
      'Launch template name must be between 3 and 128 characters, and contain only letters, numbers, and the following characters: - ( ) . / _.',
    );
  if (name.startsWith('aws:')) throw invalidParameter(`The name '${name}' is reserved`);
}

function nameNotFound(name: string): AwsError {
  return ec2Error(
    'InvalidLaunchTemplateName.NotFoundException',
    `The specified launch template, with template name ${name}, does not exist.`,
  );
}

function idNotFound(id: string): AwsError {
  return ec2Error(
    'InvalidLaunchTemplateId.NotFound',
    `The specified launch template, with template ID ${id}, does not exist.`,
  );
}

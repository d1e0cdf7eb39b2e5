/**
 * IAM: instance profiles and roles. A profile has one role at most, and cannot be deleted while it has one. Changes see the
 * account as it is; reads and EC2 learn of a new profile later, and EC2 of its role later still.
 */
import type { AwsContext } from '../context.ts';
import { type Right, requestTags, resourceTags } from '../iam/rights.ts';
import { mergedTags } from '../store/account.ts';
import { trustOf } from '../store/furnish.ts';
import type { InstanceProfileRecord, RoleRecord, Tag } from '../store/records.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { type AwsError, awsError } from '../wire/errors.ts';

export function iamOperations(context: AwsContext): readonly Operation[] {
  return [
    createProfile(context),
    ...profileOperations(context),
    ...readOperations(context),
    {
      service: 'iam',
      action: 'GetRole',
      rights: ({ params }) => [
        { action: 'iam:GetRole', resource: roleArn(context, String(params['RoleName'])) },
      ],
      handle: ({ params }) => ({ Role: shownRole(roleNamed(context, textOf(params, 'RoleName'))) }),
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

const NAME = /^[\w+=,.@-]{1,128}$/;
export const PATH = /^\/(?:[\u0021-\u007e]{1,510}\/)?$/;

function createProfile(context: AwsContext): Operation {
  const { account, world, settings } = context;
  return {
    service: 'iam',
    action: 'CreateInstanceProfile',
    rights: ({ params }) => [
      {
        action: 'iam:CreateInstanceProfile',
        resource: profileArn(context, String(params['Path'] ?? '/'), String(params['InstanceProfileName'])),
        context: requestTags((params['Tags'] ?? []) as readonly Tag[]),
      },
    ],
    subject: ({ params }) => ({ name: String(params['InstanceProfileName']) }),
    handle({ params }) {
      const name = textOf(params, 'InstanceProfileName');
      const path = typeof params['Path'] === 'string' ? params['Path'] : '/';
      if (!NAME.test(name)) throw invalid('instanceProfileName', name, '[\\w+=,.@-]+');
      if (!PATH.test(path)) throw invalid('path', path, '(\\u002F)|(\\u002F[\\u0021-\\u007E]+\\u002F)');
      if (account.instanceProfiles.has(name))
        throw awsError('EntityAlreadyExists', `Instance Profile ${name} already exists.`, 409);
      const tags = (params['Tags'] ?? []) as readonly Tag[];
      if (tags.length > 50)
        throw awsError('LimitExceeded', 'Cannot exceed quota for TagsPerInstanceProfile: 50', 409);
      const profile: InstanceProfileRecord = {
        name,
        path,
        arn: `arn:${settings.partition}:iam::${settings.accountId}:instance-profile${path}${name}`,
        id: account.newUniqueId('AIPA'),
        createdMs: world.clock.now(),
        roleName: undefined,
        usableMs: world.clock.now() + context.latencies.consistencyMs,
        tags: mergedTags(tags),
      };
      account.instanceProfiles.set(name, profile);
      return { InstanceProfile: shownProfile(context, profile) };
    },
  };
}

/** Those that change one profile. */
function profileOperations(context: AwsContext): readonly Operation[] {
  const { account, world, latencies } = context;
  const on = (
    action: string,
    act: (profile: InstanceProfileRecord, request: AwsRequest) => void,
    more: (request: AwsRequest) => object = () => ({}),
    others: (request: AwsRequest) => readonly Right[] = () => [],
  ): Operation => ({
    service: 'iam',
    action,
    rights: (request) => {
      const profile = account.instanceProfiles.get(String(request.params['InstanceProfileName']));
      return [
        {
          action: `iam:${action}`,
          resource: profile?.arn ?? profileArn(context, '/', String(request.params['InstanceProfileName'])),
          context: { ...resourceTags(profile?.tags ?? [], 'iam'), ...more(request) },
        },
        ...others(request),
      ];
    },
    subject: ({ params }) => ({ name: String(params['InstanceProfileName']) }),
    handle(request) {
      act(profileNamed(context, textOf(request.params, 'InstanceProfileName')), request);
      return undefined;
    },
  });
  return [
    on(
      'AddRoleToInstanceProfile',
      (profile, { params }) => {
        const role = roleNamed(context, textOf(params, 'RoleName'));
        if (profile.roleName !== undefined)
          throw awsError(
            'LimitExceeded',
            'Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1',
            409,
          );
        profile.roleName = role.name;
        profile.roleUsableMs = world.clock.now() + 2 * latencies.consistencyMs;
      },
      () => ({}),
      ({ params }) => passRole(context, String(params['RoleName'])),
    ),
    on('RemoveRoleFromInstanceProfile', (profile, { params }) => {
      const name = textOf(params, 'RoleName');
      if (profile.roleName !== name)
        throw noSuchEntity(
          `The role with name ${name} cannot be found in the instance profile ${profile.name}.`,
        );
      profile.roleName = undefined;
    }),
    on('DeleteInstanceProfile', (profile) => {
      if (profile.roleName !== undefined)
        throw awsError(
          'DeleteConflict',
          'Cannot delete entity, must remove roles from instance profile first.',
          409,
        );
      account.instanceProfiles.delete(profile.name);
    }),
    on(
      'TagInstanceProfile',
      (profile, { params }) => {
        profile.tags = mergedTags(profile.tags, (params['Tags'] ?? []) as readonly Tag[]);
      },
      ({ params }) => requestTags((params['Tags'] ?? []) as readonly Tag[]),
    ),
  ];
}

/** Who puts a role into a profile gives it to EC2. */
function passRole({ account }: AwsContext, name: string): readonly Right[] {
  const role = account.roles.get(name);
  if (role === undefined) return [];
  const context = { 'iam:PassedToService': 'ec2.amazonaws.com' };
  return [{ action: 'iam:PassRole', resource: role.arn, context }];
}

function readOperations(context: AwsContext): readonly Operation[] {
  const { account, world } = context;
  const isVisible = ({ usableMs }: InstanceProfileRecord) => usableMs <= world.clock.now();
  return [
    {
      service: 'iam',
      action: 'GetInstanceProfile',
      rights: ({ params }) => {
        const name = String(params['InstanceProfileName']);
        const profile = account.instanceProfiles.get(name);
        return [
          {
            action: 'iam:GetInstanceProfile',
            resource: profile?.arn ?? profileArn(context, '/', name),
            context: resourceTags(profile?.tags ?? [], 'iam'),
          },
        ];
      },
      handle({ params }) {
        const profile = profileNamed(context, textOf(params, 'InstanceProfileName'));
        if (!isVisible(profile)) throw noSuchProfile(profile.name);
        return { InstanceProfile: shownProfile(context, profile) };
      },
    },
    {
      service: 'iam',
      action: 'ListInstanceProfiles',
      rights: () => [{ action: 'iam:ListInstanceProfiles', resource: '*' }],
      handle({ params }) {
        const prefix = typeof params['PathPrefix'] === 'string' ? params['PathPrefix'] : '/';
        const size = Number(params['MaxItems'] ?? 100);
        if (!(size >= 1 && size <= 1000)) throw invalid('maxItems', String(size), '1 to 1000');
        const marker = typeof params['Marker'] === 'string' ? params['Marker'] : '';
        const after = Buffer.from(marker, 'base64url').toString();
        const rest = [...account.instanceProfiles.values()]
          .filter((profile) => isVisible(profile) && profile.path.startsWith(prefix) && profile.name > after)
          .sort((one, other) => (one.name < other.name ? -1 : 1));
        const page = rest.slice(0, size);
        const isTruncated = page.length < rest.length;
        return {
          // Lists have no tags, as IAM documents.
          InstanceProfiles: page.map((profile) => ({ ...shownProfile(context, profile), Tags: undefined })),
          IsTruncated: isTruncated,
          ...(isTruncated ? { Marker: Buffer.from(page.at(-1)!.name).toString('base64url') } : {}),
        };
      },
    },
    {
      service: 'iam',
      action: 'ListInstanceProfilesForRole',
      rights: ({ params }) => [
        { action: 'iam:ListInstanceProfilesForRole', resource: roleArn(context, String(params['RoleName'])) },
      ],
      handle({ params }) {
        const { name } = roleNamed(context, textOf(params, 'RoleName'));
        const profiles = [...account.instanceProfiles.values()].filter(
          (profile) => isVisible(profile) && profile.roleName === name,
        );
        return {
          InstanceProfiles: profiles.map((profile) => ({
            ...shownProfile(context, profile),
            Tags: undefined,
          })),
          IsTruncated: false,
        };
      },
    },
  ];
}

function shownProfile({ account }: AwsContext, profile: InstanceProfileRecord) {
  const role = profile.roleName === undefined ? undefined : account.roles.get(profile.roleName);
  return {
    InstanceProfileName: profile.name,
    InstanceProfileId: profile.id,
    Arn: profile.arn,
    Path: profile.path,
    CreateDate: new Date(profile.createdMs),
    Roles: role === undefined ? [] : [shownRole(role)],
    Tags: [...profile.tags],
  };
}

export function shownRole(role: RoleRecord) {
  const { name, id, arn, path, createdMs, trust, boundaryArn, description, tags } = role;
  return {
    Path: path,
    RoleName: name,
    RoleId: id,
    Arn: arn,
    CreateDate: new Date(createdMs),
    AssumeRolePolicyDocument: encodeURIComponent(JSON.stringify(trust)),
    MaxSessionDuration: 3600,
    Description: description,
    Tags: tags === undefined ? undefined : [...tags],
    ...(boundaryArn === undefined
      ? {}
      : { PermissionsBoundary: { PermissionsBoundaryType: 'Policy', PermissionsBoundaryArn: boundaryArn } }),
  };
}

function profileNamed({ account }: AwsContext, name: string): InstanceProfileRecord {
  const profile = account.instanceProfiles.get(name);
  if (profile === undefined) throw noSuchProfile(name);
  return profile;
}

export function roleNamed({ account, settings }: AwsContext, name: string): RoleRecord {
  if (!/^[\w+=,.@-]{1,64}$/.test(name)) throw invalid('roleName', name, '[\\w+=,.@-]+');
  const role = account.roles.get(name);
  if (role !== undefined) return role;
  if (name === SPOT_ROLE && account.spotServiceRole) return spotRole(settings);
  throw noSuchEntity(`The role with name ${name} cannot be found.`);
}

const SPOT_ROLE = 'AWSServiceRoleForEC2Spot';

/** The role that EC2 itself assumes for spot instances. */
function spotRole({ partition, accountId }: AwsContext['settings']): RoleRecord {
  const path = '/aws-service-role/spot.amazonaws.com/';
  return {
    name: SPOT_ROLE,
    path,
    arn: `arn:${partition}:iam::${accountId}:role${path}${SPOT_ROLE}`,
    id: 'AROASPOT',
    createdMs: 0,
    trust: trustOf('spot.amazonaws.com'),
    attached: [`arn:${partition}:iam::aws:policy/aws-service-role/AWSEC2SpotServiceRolePolicy`],
  };
}

function profileArn({ settings: { partition, accountId } }: AwsContext, path: string, name: string): string {
  return `arn:${partition}:iam::${accountId}:instance-profile${path}${name}`;
}

export function roleArn({ account, settings: { partition, accountId } }: AwsContext, name: string): string {
  return account.roles.get(name)?.arn ?? `arn:${partition}:iam::${accountId}:role/${name}`;
}

export function textOf(params: AwsRequest['params'], name: string): string {
  const value = params[name];
  if (typeof value === 'string' && value !== '') return value;
  throw awsError(
    'ValidationError',
    `1 validation error detected: Value null at '${name[0]!.toLowerCase()}${name.slice(1)}' failed to satisfy constraint: Member must not be null`,
  );
}

export function invalid(name: string, value: string, pattern: string): AwsError {
  return awsError(
    'ValidationError',
    `1 validation error detected: Value '${value}' at '${name}' failed to satisfy constraint: Member must satisfy regular expression pattern: ${pattern}`,
  );
}

function noSuchProfile(name: string): AwsError {
  return noSuchEntity(`Instance Profile ${name} cannot be found.`);
}

export function noSuchEntity(message: string): AwsError {
  return awsError('NoSuchEntity', message, 404);
}

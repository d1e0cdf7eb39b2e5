/** IAM: managed policies with their versions, and which policies a role has. What a role may do is decided in access.ts. */
import type { AwsContext } from '../context.ts';
import type { PolicyDocument } from '../iam/policy.ts';
import { parsePolicy, sizeOf } from '../iam/policy-text.ts';
import { requestTags } from '../iam/rights.ts';
import type { ManagedPolicyRecord, PolicyVersionRecord, Tag } from '../store/records.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { awsError } from '../wire/errors.ts';
import { invalid, noSuchEntity, PATH, roleArn, roleNamed, textOf } from './iam.ts';

export function iamPolicyOperations(context: AwsContext): readonly Operation[] {
  return [...ofRoles(context), createPolicy(context), ...reads(context), ...changes(context)];
}

/** Of policies of AWS only the names are known here. */
export function policyNamed({ account, settings }: AwsContext, arn: string): ManagedPolicyRecord {
  const own = account.policies.get(arn);
  if (own !== undefined) return own;
  if (arn.startsWith(`arn:${settings.partition}:iam::aws:policy/`))
    return { name: nameIn(arn), arn, document: { Version: '2012-10-17', Statement: [] } };
  throw noSuchEntity(`Policy ${arn} does not exist or is not attachable.`);
}

// ---------------------------------------------------------------------------------------------------

const MAX_SIZE = 6144;
const MAX_VERSIONS = 5;

function ofRoles(context: AwsContext): readonly Operation[] {
  const on = (action: string, handle: (role: string, request: AwsRequest) => object): Operation => ({
    service: 'iam',
    action,
    rights: ({ params }) => [
      { action: `iam:${action}`, resource: roleArn(context, String(params['RoleName'])) },
    ],
    handle: (request) => handle(textOf(request.params, 'RoleName'), request),
  });
  return [
    on('ListAttachedRolePolicies', (role) => ({
      AttachedPolicies: roleNamed(context, role).attached.map((PolicyArn) => ({
        PolicyName: nameIn(PolicyArn),
        PolicyArn,
      })),
      IsTruncated: false,
    })),
    on('ListRolePolicies', (role) => ({
      PolicyNames: [...inlineOf(context, role).keys()],
      IsTruncated: false,
    })),
    on('GetRolePolicy', (role, { params }) => {
      const name = textOf(params, 'PolicyName');
      const document = inlineOf(context, role).get(name);
      if (document === undefined) throw noSuchEntity(`The role policy with name ${name} cannot be found.`);
      return { RoleName: role, PolicyName: name, PolicyDocument: encoded(document) };
    }),
  ];
}

function createPolicy(context: AwsContext): Operation {
  const { account, settings, world } = context;
  const arnOf = (params: AwsRequest['params']) =>
    `arn:${settings.partition}:iam::${settings.accountId}:policy${String(params['Path'] ?? '/')}${String(params['PolicyName'])}`;
  return {
    service: 'iam',
    action: 'CreatePolicy',
    rights: ({ params }) => [
      {
        action: 'iam:CreatePolicy',
        resource: arnOf(params),
        context: requestTags((params['Tags'] ?? []) as readonly Tag[]),
      },
    ],
    subject: ({ params }) => ({ name: String(params['PolicyName']) }),
    handle({ params }) {
      const name = textOf(params, 'PolicyName');
      const path = String(params['Path'] ?? '/');
      if (!/^[\w+=,.@-]{1,128}$/.test(name)) throw invalid('policyName', name, '[\\w+=,.@-]+');
      if (!PATH.test(path)) throw invalid('path', path, '(\\u002F)|(\\u002F[\\u0021-\\u007E]+\\u002F)');
      const document = documentIn(params);
      const arn = arnOf(params);
      if (account.policies.has(arn))
        throw awsError(
          'EntityAlreadyExists',
          `A policy called ${name} already exists. Duplicate names are not allowed.`,
          409,
        );
      const createdMs = world.clock.now();
      const policy: ManagedPolicyRecord = {
        name,
        arn,
        document,
        path,
        id: account.newUniqueId('ANPA'),
        createdMs,
        versions: [{ id: 'v1', document, createdMs }],
        defaultVersion: 'v1',
        tags: (params['Tags'] ?? []) as readonly Tag[],
        ...(typeof params['Description'] === 'string' ? { description: params['Description'] } : {}),
      };
      account.policies.set(arn, policy);
      return { Policy: shownPolicy(context, policy) };
    },
  };
}

function on(
  context: AwsContext,
  action: string,
  handle: (policy: ManagedPolicyRecord, request: AwsRequest) => unknown,
): Operation {
  return {
    service: 'iam',
    action,
    rights: ({ params }) => [{ action: `iam:${action}`, resource: String(params['PolicyArn']) }],
    handle: (request) => handle(policyNamed(context, textOf(request.params, 'PolicyArn')), request),
  };
}

function reads(context: AwsContext): readonly Operation[] {
  return [
    on(context, 'GetPolicy', (policy) => ({ Policy: shownPolicy(context, policy) })),
    on(context, 'GetPolicyVersion', (policy, { params }) => {
      const version = versionOf(policy, textOf(params, 'VersionId'));
      return { PolicyVersion: { ...shownVersion(policy, version), Document: encoded(version.document) } };
    }),
    on(context, 'ListPolicyVersions', (policy) => ({
      Versions: versionsOf(policy).map((version) => shownVersion(policy, version)),
      IsTruncated: false,
    })),
    on(context, 'ListEntitiesForPolicy', ({ arn }) => ({
      PolicyGroups: [],
      PolicyUsers: [],
      PolicyRoles: rolesWith(context, arn).map(({ name, id }) => ({ RoleName: name, RoleId: id })),
      IsTruncated: false,
    })),
  ];
}

function changes(context: AwsContext): readonly Operation[] {
  const { account, access, world } = context;
  const setDefault = (policy: ManagedPolicyRecord, version: PolicyVersionRecord) => {
    policy.defaultVersion = version.id;
    policy.document = version.document;
    for (const role of rolesWith(context, policy.arn))
      access.setPolicy(role.arn, policy.arn, version.document);
  };
  const change = (
    action: string,
    act: (policy: ManagedPolicyRecord, request: AwsRequest) => unknown,
  ): Operation =>
    on(context, action, (policy, request) => {
      if (!account.policies.has(policy.arn))
        throw awsError('AccessDenied', 'The policy is managed by AWS and cannot be changed.', 403);
      return act(policy, request);
    });
  return [
    change('CreatePolicyVersion', (policy, { params }) => {
      const document = documentIn(params);
      const versions = versionsOf(policy);
      if (versions.length >= MAX_VERSIONS)
        throw awsError(
          'LimitExceeded',
          `A managed policy can have up to ${MAX_VERSIONS} versions. Before you create a new version, you must delete an existing version.`,
          409,
        );
      const newest = Math.max(...versions.map(({ id }) => Number(id.slice(1))));
      const version = { id: `v${newest + 1}`, document, createdMs: world.clock.now() };
      policy.versions = [version, ...versions];
      if (String(params['SetAsDefault']) === 'true') setDefault(policy, version);
      return { PolicyVersion: shownVersion(policy, version) };
    }),
    change('SetDefaultPolicyVersion', (policy, { params }) => {
      setDefault(policy, versionOf(policy, textOf(params, 'VersionId')));
      return undefined;
    }),
    change('DeletePolicyVersion', (policy, { params }) => {
      const { id } = versionOf(policy, textOf(params, 'VersionId'));
      if (id === defaultOf(policy))
        throw awsError('DeleteConflict', 'Cannot delete the default version of a policy.', 409);
      policy.versions = versionsOf(policy).filter((each) => each.id !== id);
      return undefined;
    }),
    change('DeletePolicy', (policy) => {
      if (rolesWith(context, policy.arn).length > 0)
        throw awsError('DeleteConflict', 'Cannot delete a policy attached to entities.', 409);
      if (versionsOf(policy).length > 1)
        throw awsError(
          'DeleteConflict',
          "This policy has more than one version. Before you delete a policy, you must delete the policy's versions. The default version is deleted with the policy.",
          409,
        );
      account.policies.delete(policy.arn);
      return undefined;
    }),
  ];
}

/** What was put by callers has its name; what the simulator was told to attach has none, and gets one here. */
function inlineOf(context: AwsContext, roleName: string): ReadonlyMap<string, PolicyDocument> {
  const role = roleNamed(context, roleName);
  const attached = context.access.grantsOf(role.arn)?.policies ?? [];
  return new Map([
    ...attached.map((document, index) => [`inline-${index + 1}`, document] as const),
    ...(role.inline ?? []),
  ]);
}

function documentIn(params: AwsRequest['params']): PolicyDocument {
  const text = textOf(params, 'PolicyDocument');
  const document = parsePolicy(text, 'identity');
  if (sizeOf(text) > MAX_SIZE)
    throw awsError('LimitExceeded', `Cannot exceed quota for PolicySize: ${MAX_SIZE}`, 409);
  return document;
}

function rolesWith({ account }: AwsContext, policyArn: string) {
  return [...account.roles.values()].filter(({ attached }) => attached.includes(policyArn));
}

function versionsOf({
  versions,
  document,
  createdMs = 0,
}: ManagedPolicyRecord): readonly PolicyVersionRecord[] {
  return versions ?? [{ id: 'v1', document, createdMs }];
}

function versionOf(policy: ManagedPolicyRecord, id: string): PolicyVersionRecord {
  const found = versionsOf(policy).find((each) => each.id === id);
  if (found === undefined)
    throw noSuchEntity(`Policy ${policy.arn} version ${id} does not exist or is not attachable.`);
  return found;
}

function defaultOf({ defaultVersion = 'v1' }: ManagedPolicyRecord): string {
  return defaultVersion;
}

function shownVersion(policy: ManagedPolicyRecord, { id, createdMs }: PolicyVersionRecord) {
  return { VersionId: id, IsDefaultVersion: id === defaultOf(policy), CreateDate: new Date(createdMs) };
}

function shownPolicy(context: AwsContext, policy: ManagedPolicyRecord) {
  return {
    PolicyName: policy.name,
    PolicyId: policy.id,
    Arn: policy.arn,
    Path: policy.path ?? '/',
    DefaultVersionId: defaultOf(policy),
    AttachmentCount: rolesWith(context, policy.arn).length,
    IsAttachable: true,
    Description: policy.description,
    CreateDate: new Date(policy.createdMs ?? 0),
    Tags: policy.tags === undefined ? undefined : [...policy.tags],
  };
}

function nameIn(arn: string): string {
  return arn.split('/').at(-1)!;
}

function encoded(document: PolicyDocument): string {
  return encodeURIComponent(JSON.stringify(document));
}

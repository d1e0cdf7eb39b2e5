/**
 * IAM: roles that callers create, with their trust, tags, inline and attached policies. Other services learn of a new role a
 * little later. What the policies of a role allow is decided in access.ts.
 */
import type { AwsContext } from '../context.ts';
import { listOf, type PolicyDocument } from '../iam/policy.ts';
import { malformed, parsePolicy, sizeOf } from '../iam/policy-text.ts';
import { type Right, requestTags, resourceTags } from '../iam/rights.ts';
import { mergedTags } from '../store/account.ts';
import { addRole } from '../store/furnish.ts';
import type { RoleRecord, Tag } from '../store/records.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { awsError } from '../wire/errors.ts';
import { invalid, noSuchEntity, PATH, roleArn, roleNamed, shownRole, textOf } from './iam.ts';
import { policyNamed } from './iam-policies.ts';

export function roleOperations(context: AwsContext): readonly Operation[] {
  return [createRole(context), ...changes(context), ...policyChanges(context)];
}

// ---------------------------------------------------------------------------------------------------

const MAX_TRUST_SIZE = 2048;
const MAX_INLINE_SIZE = 10_240;
const MAX_ATTACHED = 10;

function createRole(context: AwsContext): Operation {
  const { account, access, settings, world, latencies } = context;
  return {
    service: 'iam',
    action: 'CreateRole',
    rights: ({ params }) => [
      {
        action: 'iam:CreateRole',
        resource: `arn:${settings.partition}:iam::${settings.accountId}:role${String(params['Path'] ?? '/')}${String(params['RoleName'])}`,
        context: {
          ...requestTags(tagsIn(params)),
          'iam:PermissionsBoundary': params['PermissionsBoundary'] as string | undefined,
        },
      },
    ],
    subject: ({ params }) => ({ name: String(params['RoleName']) }),
    handle({ params }) {
      const name = textOf(params, 'RoleName');
      const path = typeof params['Path'] === 'string' ? params['Path'] : '/';
      if (!/^[\w+=,.@-]{1,64}$/.test(name)) throw invalid('roleName', name, '[\\w+=,.@-]+');
      if (!PATH.test(path)) throw invalid('path', path, '(\\u002F)|(\\u002F[\\u0021-\\u007E]+\\u002F)');
      const trust = trustIn(context, textOf(params, 'AssumeRolePolicyDocument'));
      if (account.roles.has(name))
        throw awsError('EntityAlreadyExists', `Role with name ${name} already exists.`, 409);
      const boundaryArn = params['PermissionsBoundary'] as string | undefined;
      const boundary = boundaryArn === undefined ? undefined : policyNamed(context, boundaryArn).document;
      const role = addRole(context, name, trust, path);
      role.tags = tagsIn(params);
      role.usableMs = world.clock.now() + latencies.consistencyMs;
      if (typeof params['Description'] === 'string') role.description = params['Description'];
      if (boundaryArn !== undefined) role.boundaryArn = boundaryArn;
      access.attach(role.arn, { policies: [], boundary });
      return { Role: shownRole(role) };
    },
  };
}

type Act = (role: RoleRecord, request: AwsRequest) => void;

function on(
  context: AwsContext,
  action: string,
  act: Act,
  more: (request: AwsRequest) => Right['context'] = () => ({}),
): Operation {
  return {
    service: 'iam',
    action,
    rights: (request) => {
      const name = String(request.params['RoleName']);
      const tags = context.account.roles.get(name)?.tags ?? [];
      return [
        {
          action: `iam:${action}`,
          resource: roleArn(context, name),
          context: { ...resourceTags(tags, 'iam'), ...more(request) },
        },
      ];
    },
    subject: ({ params }) => ({ name: String(params['RoleName']) }),
    handle(request) {
      act(roleNamed(context, textOf(request.params, 'RoleName')), request);
      return undefined;
    },
  };
}

function changes(context: AwsContext): readonly Operation[] {
  const { account, access } = context;
  return [
    on(context, 'UpdateAssumeRolePolicy', (role, { params }) => {
      role.trust = trustIn(context, textOf(params, 'PolicyDocument'));
    }),
    on(
      context,
      'TagRole',
      (role, { params }) => {
        role.tags = mergedTags(role.tags, tagsIn(params));
      },
      ({ params }) => requestTags(tagsIn(params)),
    ),
    on(context, 'UntagRole', (role, { params }) => {
      const keys = (params['TagKeys'] ?? []) as readonly string[];
      role.tags = (role.tags ?? []).filter(({ Key = '' }) => !keys.includes(Key));
    }),
    on(context, 'DeleteRole', (role) => {
      const conflict = (what: string) =>
        awsError('DeleteConflict', `Cannot delete entity, must ${what} first.`, 409);
      if (role.attached.length > 0) throw conflict('detach all policies');
      const policies = [...(role.inline?.keys() ?? []), ...(access.grantsOf(role.arn)?.policies ?? [])];
      if (policies.length > 0) throw conflict('delete policies');
      if ([...account.instanceProfiles.values()].some(({ roleName }) => roleName === role.name))
        throw conflict('remove roles from instance profile');
      access.forget(role.arn);
      account.roles.delete(role.name);
    }),
  ];
}

function policyChanges(context: AwsContext): readonly Operation[] {
  const { access } = context;
  const ofPolicy = ({ params }: AwsRequest) => ({ 'iam:PolicyARN': String(params['PolicyArn']) });
  return [
    on(context, 'PutRolePolicy', (role, { params }) => {
      const name = textOf(params, 'PolicyName');
      const text = textOf(params, 'PolicyDocument');
      const document = parsePolicy(text, 'identity');
      const others = [...(role.inline ?? [])].filter(([each]) => each !== name);
      const size = others.reduce((sum, [, each]) => sum + sizeOf(JSON.stringify(each)), sizeOf(text));
      if (size > MAX_INLINE_SIZE)
        throw awsError(
          'LimitExceeded',
          `Maximum policy size of ${MAX_INLINE_SIZE} bytes exceeded for role ${role.name}`,
          409,
        );
      role.inline = new Map([...(role.inline ?? []), [name, document]]);
      access.setPolicy(role.arn, `inline ${name}`, document);
    }),
    on(context, 'DeleteRolePolicy', (role, { params }) => {
      const name = textOf(params, 'PolicyName');
      if (!role.inline?.delete(name))
        throw noSuchEntity(`The role policy with name ${name} cannot be found.`);
      access.setPolicy(role.arn, `inline ${name}`, undefined);
    }),
    on(
      context,
      'AttachRolePolicy',
      (role, { params }) => {
        const { arn, document } = policyNamed(context, textOf(params, 'PolicyArn'));
        if (role.attached.includes(arn)) return;
        if (role.attached.length >= MAX_ATTACHED)
          throw awsError('LimitExceeded', `Cannot exceed quota for PoliciesPerRole: ${MAX_ATTACHED}`, 409);
        role.attached = [...role.attached, arn];
        access.setPolicy(role.arn, arn, document);
      },
      ofPolicy,
    ),
    on(
      context,
      'DetachRolePolicy',
      (role, { params }) => {
        const arn = textOf(params, 'PolicyArn');
        if (!role.attached.includes(arn)) throw noSuchEntity(`Policy ${arn} was not found.`);
        role.attached = role.attached.filter((each) => each !== arn);
        access.setPolicy(role.arn, arn, undefined);
      },
      ofPolicy,
    ),
  ];
}

/** Roles of the account that a trust policy names must exist. */
function trustIn({ account, settings }: AwsContext, text: string): PolicyDocument {
  const trust = parsePolicy(text, 'trust');
  if (sizeOf(text) > MAX_TRUST_SIZE)
    throw awsError('LimitExceeded', `Cannot exceed quota for ACLSizePerRole: ${MAX_TRUST_SIZE}`, 409);
  const arns = new Set([...account.roles.values()].map(({ arn }) => arn));
  const own = `arn:${settings.partition}:iam::${settings.accountId}:role/`;
  for (const { Principal } of trust.Statement)
    for (const arn of typeof Principal === 'object' ? listOf(Principal['AWS']) : [])
      if (arn.startsWith(own) && !arns.has(arn))
        throw malformed(`Invalid principal in policy: "AWS":"${arn}"`);
  return trust;
}

function tagsIn(params: AwsRequest['params']): readonly Tag[] {
  return (params['Tags'] ?? []) as readonly Tag[];
}

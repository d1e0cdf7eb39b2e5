/** IAM: which policies a role has, what they say, and which issuers of tokens the account trusts. What a role may do is decided in access.ts. */
import type { AwsContext } from '../context.ts';
import type { PolicyDocument } from '../iam/policy.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { noSuchEntity, roleArn, roleNamed, textOf } from './iam.ts';

export function iamPolicyOperations(context: AwsContext): readonly Operation[] {
  const { account, access } = context;
  const inline = (name: string) => access.grantsOf(roleNamed(context, name).arn)?.policies ?? [];
  const onRole = (action: string, handle: (role: string, request: AwsRequest) => object): Operation => ({
    service: 'iam',
    action,
    rights: ({ params }) => [
      { action: `iam:${action}`, resource: roleArn(context, String(params['RoleName'])) },
    ],
    handle: (request) => handle(textOf(request.params, 'RoleName'), request),
  });
  const onPolicy = (action: string, handle: (arn: string) => object): Operation => ({
    service: 'iam',
    action,
    rights: ({ params }) => [{ action: `iam:${action}`, resource: String(params['PolicyArn']) }],
    handle: ({ params }) => handle(textOf(params, 'PolicyArn')),
  });
  return [
    onRole('ListAttachedRolePolicies', (role) => ({
      AttachedPolicies: roleNamed(context, role).attached.map((PolicyArn) => ({
        PolicyName: PolicyArn.split('/').at(-1),
        PolicyArn,
      })),
      IsTruncated: false,
    })),
    onRole('ListRolePolicies', (role) => ({
      PolicyNames: inline(role).map((_, index) => inlineName(index)),
      IsTruncated: false,
    })),
    onRole('GetRolePolicy', (role, { params }) => {
      const name = textOf(params, 'PolicyName');
      const document = inline(role).find((_, index) => inlineName(index) === name);
      if (document === undefined) throw noSuchEntity(`The role policy with name ${name} cannot be found.`);
      return { RoleName: role, PolicyName: name, PolicyDocument: encoded(document) };
    }),
    onPolicy('GetPolicy', (arn) => ({
      Policy: {
        PolicyName: arn.split('/').at(-1),
        Arn: policyNamed(context, arn).arn,
        DefaultVersionId: 'v1',
        AttachmentCount: 1,
        IsAttachable: true,
      },
    })),
    onPolicy('GetPolicyVersion', (arn) => ({
      PolicyVersion: {
        Document: encoded(policyNamed(context, arn).document),
        VersionId: 'v1',
        IsDefaultVersion: true,
      },
    })),
    {
      service: 'iam',
      action: 'ListOpenIDConnectProviders',
      handle: () => ({ OpenIDConnectProviderList: [...account.oidcProviders].map((Arn) => ({ Arn })) }),
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

function inlineName(index: number): string {
  return `inline-${index + 1}`;
}

function encoded(document: PolicyDocument): string {
  return encodeURIComponent(JSON.stringify(document));
}

/** Of policies of AWS only the names are known here. */
function policyNamed(
  { account, settings }: AwsContext,
  arn: string,
): { arn: string; document: PolicyDocument } {
  const own = account.policies.get(arn);
  if (own !== undefined) return own;
  if (arn.startsWith(`arn:${settings.partition}:iam::aws:policy/`))
    return { arn, document: { Version: '2012-10-17', Statement: [] } };
  throw noSuchEntity(`Policy ${arn} does not exist or is not attachable.`);
}

/** Who was denied what, on what, and by which kind of policy: read from the sentences in which AWS says so. */

export interface Denial {
  /** The ARN of the identity. */
  readonly principal?: string;
  /** `ec2:CreateFleet` */
  readonly action?: string;
  /** An ARN, or the words of IAM: `instance profile x`. */
  readonly resource?: string;
  readonly cause: DenialCause;
}

export type DenialCause =
  /** No policy of the kind allows it. */
  | { readonly kind: 'noAllow'; readonly policy: PolicyKind }
  /** A policy of the kind denies it, whatever others allow. */
  | { readonly kind: 'explicitDeny'; readonly policy: PolicyKind; readonly policyArn?: string }
  /** The images are private to another account. */
  | { readonly kind: 'images'; readonly images: readonly string[] }
  /** AWS gave no cause, which it does across accounts; usually nothing allows the action. */
  | { readonly kind: 'unknown' };

export type PolicyKind = (typeof POLICY_KINDS)[number];

export function readDenial(text: string): Denial {
  const images = IMAGES.exec(text)?.[1];
  const [, principal, action, resource] = SENTENCE.exec(text) ?? [];
  return {
    ...(principal === undefined ? {} : { principal }),
    ...(action === undefined ? {} : { action }),
    ...(resource === undefined ? {} : { resource }),
    cause: images === undefined ? policyCause(text) : { kind: 'images', images: images.split(/,\s*/) },
  };
}

/** One sentence: who may not do what, because of what, and what helps. */
export function denialText(denial: Denial): string {
  const { action, resource, cause } = denial;
  if (cause.kind === 'images') {
    return `${whoText(denial)} may not use ${cause.images.join(', ')}; ask the owner to share the image with this account, or select another one`;
  }
  const what = `${whoText(denial)} may not ${action === undefined ? 'do this' : `call ${action}`}`;
  return `${what}${resource === undefined ? '' : ` on ${resource}`}: ${causeText(cause, action)}`;
}

// ---------------------------------------------------------------------------------------------------------------

const POLICY_KINDS = [
  'identity-based policy',
  'permissions boundary',
  'service control policy',
  'resource control policy',
  'session policy',
  'resource-based policy',
  'VPC endpoint policy',
] as const;

const SENTENCE =
  /User: (\S+) is not authorized to perform: ([\w-]+:\w+)(?: on resource: (.+?))?(?= because | with an explicit deny|\.? Encoded|\.?\s*$|\. )/s;
const IMAGES = /Not authorized for images: \[([^\]]*)\]/;
const NO_ALLOW = new RegExp(`because no (${POLICY_KINDS.join('|')}) allows`);
const EXPLICIT_DENY = new RegExp(`explicit deny in an? (${POLICY_KINDS.join('|')})(?:: (arn:\\S+))?`);

function policyCause(text: string): DenialCause {
  const [, denying, arn] = EXPLICIT_DENY.exec(text) ?? [];
  if (denying !== undefined) {
    const policyArn = arn?.replace(/[.,]$/, '');
    return {
      kind: 'explicitDeny',
      policy: denying as PolicyKind,
      ...(policyArn === undefined ? {} : { policyArn }),
    };
  }
  const [, missing] = NO_ALLOW.exec(text) ?? [];
  return missing === undefined ? { kind: 'unknown' } : { kind: 'noAllow', policy: missing as PolicyKind };
}

function causeText(cause: Exclude<DenialCause, { kind: 'images' }>, action: string | undefined): string {
  const name = action ?? 'the action';
  switch (cause.kind) {
    case 'explicitDeny': {
      const which =
        cause.policyArn === undefined ? aPolicy(cause.policy) : `the ${cause.policy} ${cause.policyArn}`;
      return `${which} denies it; ${OWNER[cause.policy]} has to change that policy, permissions of the role do not help`;
    }
    case 'noAllow':
      return `no ${cause.policy} allows it; ${OWNER[cause.policy]} has to allow ${name} there`;
    case 'unknown':
      return `AWS names no policy; check that the IAM policy of the role allows ${name} on the resource, with its tag conditions`;
  }
}

function aPolicy(policy: PolicyKind): string {
  return `${policy.startsWith('i') ? 'an' : 'a'} ${policy}`;
}

/** Who can change a policy of the kind. */
const OWNER: Readonly<Record<PolicyKind, string>> = {
  'identity-based policy': 'whoever manages the IAM role of the controller',
  'permissions boundary': 'whoever manages the permissions boundary of the role',
  'service control policy': 'an administrator of the AWS organization',
  'resource control policy': 'an administrator of the AWS organization',
  'session policy': 'whoever configures how the controller assumes its role',
  'resource-based policy': 'the owner of the resource',
  'VPC endpoint policy': 'whoever manages the VPC endpoint',
};

/** The role of a session, since people know its name; its session has a number that changes. */
function whoText({ principal }: Denial): string {
  if (principal === undefined) return 'the identity of the controller';
  const role = /:assumed-role\/(.+)\/[^/]*$/.exec(principal)?.[1];
  return role === undefined ? principal : `the role ${role}`;
}

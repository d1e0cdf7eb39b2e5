/**
 * What the controller may not do: which action on what, by which kind of policy, and the statement that should allow it. Read
 * from the refusal of a launch (layer 4), from a condition of the EC2NodeClass, from the last words of a controller that does
 * not start, and from events about calls that belong to no object (layer 1).
 */
import { type Cause, type EvidenceSet, type Match, seen, waitsForController } from '../../../causes/index.ts';
import { PERMISSION_MISSING } from '../../index.ts';
import { type Denial, readDenial } from '../errors/index.ts';
import { PERMISSION_USES, statementFor } from '../permissions/index.ts';

import { classProblems, controllerFacts, errorText, SHOW_CLAIM, SHOW_CLASS } from './aws-row.ts';

interface Row {
  readonly name: string;
  readonly title: string;
  readonly fix: string;
  readonly confirm: readonly string[];
  readonly fits: (denial: Denial) => boolean;
}

const SIMULATE =
  'aws iam simulate-principal-policy --policy-source-arn {roleArn} --action-names {action} --resource-arns "{resource}"';
/** Validation keeps a refusal for 30 minutes. */
const AGAIN =
  ' A validation that failed is repeated after 30 minutes, or at once: kubectl annotate ec2nodeclass {nodeClass} checked-again="$(date +%s)" --overwrite';

const isOf =
  (...kinds: readonly string[]) =>
  ({ cause }: Denial) =>
    (cause.kind === 'explicitDeny' || cause.kind === 'noAllow') && kinds.includes(cause.policy);

const ROWS: readonly Row[] = [
  {
    name: 'pass-role',
    title: 'The controller may not pass the node role to EC2',
    fix: 'Allow iam:PassRole on {resource} for ec2.amazonaws.com in the policy of {role}: the statement AllowPassingInstanceRole of KarpenterControllerIAMIntegrationPolicy-{cluster}. It names the role, not the instance profile.',
    confirm: [SIMULATE],
    fits: ({ action, cause }) => action === 'iam:PassRole' && isNotAllowed(cause),
  },
  {
    name: 'image-not-shared',
    title: 'The AMI is not shared with this account',
    fix: 'Ask the owner to share {resource} (aws ec2 modify-image-attribute --launch-permission), or select another AMI in amiSelectorTerms. An encrypted AMI needs a grant on its KMS key as well.',
    confirm: ['aws ec2 describe-images --region {region} --image-ids {resource}'],
    fits: ({ cause }) => cause.kind === 'images',
  },
  {
    name: 'organization-policy',
    title: 'A policy of the AWS organization denies the call',
    fix: 'Ask an administrator of the organization to allow {action} for {role}: {policy}. Permissions of the role do not help. Often the policy requires a tag, an encrypted volume, a region or a network; spec.tags, spec.blockDeviceMappings or the subnets of the EC2NodeClass can satisfy it.',
    confirm: [
      'aws organizations list-policies-for-target --target-id <account> --filter SERVICE_CONTROL_POLICY',
    ],
    fits: isOf('service control policy', 'resource control policy'),
  },
  {
    name: 'permissions-boundary',
    title: 'The permissions boundary of the controller denies the call',
    fix: 'Add {action} to the permissions boundary of {role}: {policy}. Its own policies do not help.',
    confirm: ['aws iam get-role --role-name {role} --query Role.PermissionsBoundary'],
    fits: isOf('permissions boundary'),
  },
  {
    name: 'session-policy',
    title: 'The session of the controller denies the call',
    fix: 'The credentials of the controller were requested with a session policy that lacks {action}. Check how it assumes {role}: a policy in the Pod Identity association, or a proxy for credentials.',
    confirm: ['aws eks list-pod-identity-associations --region {region} --cluster-name {cluster}'],
    fits: isOf('session policy'),
  },
  {
    name: 'endpoint-policy',
    title: 'The policy of a VPC endpoint denies the call',
    fix: 'Allow {action} in the policy of the VPC endpoint that the controller uses.',
    confirm: [
      'aws ec2 describe-vpc-endpoints --region {region} --query "VpcEndpoints[].[ServiceName,PolicyDocument]"',
    ],
    fits: isOf('VPC endpoint policy'),
  },
  {
    name: 'resource-policy',
    title: 'The policy of the resource denies the call',
    fix: 'Ask the owner of {resource} to allow {action} for {role} in the policy of the resource: {policy}.',
    confirm: [SIMULATE],
    fits: isOf('resource-based policy'),
  },
  {
    name: 'not-allowed',
    title: 'The IAM policy of the controller lacks a permission',
    fix: 'Allow {action} on {resource} in the policy of {role}{statement}.',
    confirm: [SIMULATE, 'aws iam list-attached-role-policies --role-name {role}'],
    fits: ({ action, cause }) => action !== 'iam:PassRole' && isNotAllowed(cause),
  },
];

/** At a launch. */
export const DENIED_LAUNCHES: readonly Cause[] = ROWS.map((row) => ({
  id: `aws.${row.name}`,
  layer: 'cloudApi',
  specificity: 'exact',
  title: row.title,
  symptom: 'A launch fails with the reason Unauthorized or AMIAuthorizationFailure.',
  summary: '{who} may not call {action} on {resource}: {policy}.',
  fix: row.fix,
  confirm: [SHOW_CLAIM, ...row.confirm],
  explains: ['cloud.unauthorized'],
  recognise: (evidence) => {
    for (const error of evidence.all('cloudError')) {
      if (!REASONS.has(error.reason)) continue;
      const match = matchOf(evidence, row, error.message);
      if (match === undefined) continue;
      return { facts: { claim: error.claim, ...match }, seen: [seen(error, errorText(error))] };
    }
    return undefined;
  },
}));

/** While the EC2NodeClass is reconciled and validated. */
export const DENIED_CLASSES: readonly Cause[] = ROWS.map((row) => ({
  id: `ec2nodeclass.${row.name}`,
  layer: 'configuration',
  specificity: 'exact',
  title: row.title,
  symptom:
    'The EC2NodeClass is not Ready: CreateLaunchTemplateAuthCheckFailed, CreateFleetAuthCheckFailed, RunInstancesAuthCheckFailed, or a condition with an error of IAM.',
  summary: 'EC2NodeClass {nodeClass}: {who} may not call {action} on {resource}: {policy}.',
  fix: `${row.fix}${AGAIN}`,
  confirm: [SHOW_CLASS, ...row.confirm],
  explains: [
    'configuration.node-class-not-ready',
    'ec2nodeclass.auth-check-failed',
    'ec2nodeclass.cluster-cidr',
  ],
  recognise: (evidence): Match | undefined => {
    for (const { nodeClass, condition } of classProblems(evidence)) {
      const { type, status, reason = '', message = '' } = condition;
      if (!DENIED.test(message)) continue;
      const match = matchOf(evidence, row, message);
      if (match === undefined) continue;
      return {
        facts: { nodeClass: nodeClass.name, ...match },
        seen: [seen(nodeClass, `${type} is ${status}, ${reason}: ${message}`)],
      };
    }
    return undefined;
  },
}));

const ANY_DENIAL = {
  layer: 'configuration',
  title: 'The controller lacks a permission in AWS',
  fix: 'Allow {action} on {resource} in the policy of {role}{statement}. If another kind of policy denies it, that policy has to change.',
} as const;

/** The controller does not start. */
export const DENIED_STARTS: readonly Cause[] = [
  {
    ...ANY_DENIAL,
    id: 'aws-controller.denied',
    specificity: 'exact',
    symptom: 'No replica of the controller is ready, and the last one says that AWS denied a call.',
    summary: 'The controller does not start: {who} may not call {action} on {resource}: {policy}.',
    confirm: [SIMULATE],
    explains: ['configuration.controller-down'],
    breaksNodes: waitsForController,
    recognise: (evidence) => {
      const controller = evidence.first('controller');
      if (controller?.stopped === undefined || controller.replicas.ready > 0) return undefined;
      const { reason, message } = controller.stopped;
      const match = anyDenial(evidence, message);
      return match && { ...match, seen: [seen(controller, `${reason}: ${message}`)] };
    },
  },
];

/** Calls that are made for no object, or to clean up: the controller says so on the EC2NodeClasses. */
export const DENIED_CALLS: readonly Cause[] = [
  {
    ...ANY_DENIAL,
    id: 'aws-call.denied',
    specificity: 'particular',
    symptom: `The EC2NodeClass has the event ${PERMISSION_MISSING.reason}.`,
    summary: '{who} may not call {action}{inStatement} on {resource}: {policy}. Without it, {without}.',
    confirm: [SHOW_CLASS, SIMULATE],
    evenIfWell: true,
    explainedBy: ROWS.flatMap(({ name }) => [`aws.${name}`, `ec2nodeclass.${name}`]),
    recognise: (evidence) => {
      const event = evidence
        .events('EC2NodeClass/', PERMISSION_MISSING.reason)
        .findLast(({ lastMs }) => evidence.ageMs(lastMs) <= PERMISSION_MISSING.repeatMs + LATE_MS);
      const match = event && anyDenial(evidence, event.message);
      if (event === undefined || match === undefined) return undefined;
      const nodeClass = event.object.split('/').at(-1) ?? '';
      return {
        ...match,
        weight: 'suspicious',
        facts: { ...match.facts, nodeClass },
        seen: [{ where: event.object, what: `${event.reason}: ${event.message}`, atMs: event.lastMs }],
      };
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** By which an event may come later than its interval. */
const LATE_MS = 5 * 60_000;

/** With the fix for the kind of policy. Undefined where AWS does not name the action; the role itself is another matter. */
function anyDenial(evidence: EvidenceSet, text: string): Pick<Match, 'facts' | 'title' | 'fix'> | undefined {
  const { action } = readDenial(text);
  if (action === undefined || action.startsWith('sts:')) return undefined;
  const without = PERMISSION_USES[action]?.without ?? 'what needs it does not work';
  for (const row of ROWS) {
    const facts = matchOf(evidence, row, text);
    if (facts !== undefined) return { title: row.title, fix: row.fix, facts: { ...facts, without } };
  }
  return undefined;
}

const REASONS: ReadonlySet<string> = new Set(['Unauthorized', 'AMIAuthorizationFailure']);
/** The sentence of AWS, or its code where it says no more. */
const DENIED =
  /is not authorized to perform:|Not authorized for images|\b(?:UnauthorizedOperation|AccessDenied(?:Exception)?|UnauthorizedException)\b/;

function isNotAllowed(cause: Denial['cause']): boolean {
  if (cause.kind === 'unknown') return true;
  return cause.kind !== 'images' && cause.policy === 'identity-based policy';
}

function matchOf(evidence: EvidenceSet, row: Row, text: string): Record<string, string> | undefined {
  const denial = readDenial(text);
  if (!row.fits(denial)) return undefined;
  const { action, resource, principal, cause } = denial;
  const statement = action === undefined ? undefined : statementFor(action, resource);
  const role = /:assumed-role\/(.+)\/[^/]*$/.exec(principal ?? '')?.[1] ?? '<role of the controller>';
  const images = cause.kind === 'images' ? cause.images.join(' ') : undefined;
  return {
    ...controllerFacts(evidence),
    who: principal === undefined ? 'the controller' : `the role ${role}`,
    role,
    roleArn: roleArn(principal, role),
    action: action ?? (images === undefined ? 'the action of the message' : 'ec2:RunInstances'),
    resource: images ?? resource ?? '*',
    policy: policyText(cause),
    statement: statementText(statement),
    inStatement: statement === undefined ? '' : ` (statement ${statement.sid})`,
    problem: text,
  };
}

function roleArn(principal: string | undefined, role: string): string {
  const [, partition = 'aws', account = '<account>'] =
    /^arn:([\w-]+):sts::(\d+):/.exec(principal ?? '') ?? [];
  return `arn:${partition}:iam::${account}:role/${role}`;
}

function policyText(cause: Denial['cause']): string {
  if (cause.kind === 'images') return 'the image belongs to another account';
  if (cause.kind === 'unknown') return 'AWS names no policy, so none allows it';
  const arn = cause.kind === 'explicitDeny' && cause.policyArn !== undefined ? ` ${cause.policyArn}` : '';
  return cause.kind === 'explicitDeny'
    ? `the ${cause.policy}${arn} denies it`
    : `no ${cause.policy} allows it`;
}

function statementText(statement: ReturnType<typeof statementFor>): string {
  if (statement === undefined) return '';
  const { sid, policy, condition } = statement;
  const where =
    policy === 'account'
      ? ''
      : policy === 'own'
        ? `: the statement ${sid} of docs/iam.md, which Karpenter's policies do not have`
        : `: the statement ${sid} of KarpenterController${policy}Policy-{cluster}`;
  return `${where}${condition === undefined ? '' : `. ${condition.replace(/\.$/, '')}`}`;
}

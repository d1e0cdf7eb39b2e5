/** Checks of trust in the live account: the issuer of the cluster, the trust policy of the controller, and what nodes are trusted with. */
import { knownValues } from '../../facts/facts.ts';
import type { Resource } from '../../inputs/inputs.ts';
import type { Judgement } from '../../model/finding.ts';
import { textAt } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, pass, skip, warn } from '../judgements.ts';
import {
  listOf,
  liveCluster,
  liveNodeRoles,
  liveResources,
  type PolicyJson,
  shown,
  shownDocument,
  statementsOf,
} from '../live.ts';

const ISSUER = ['identity', 0, 'oidc', 0, 'issuer'] as const;
const NODE_ENTRIES: ReadonlySet<string> = new Set(['EC2_LINUX', 'EC2_WINDOWS', 'EC2']);

export const LIVE_TRUST_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-15',
    title: 'IAM knows the issuer of the cluster',
    inputs: ['cloud'],
    criterion:
      'Passes if an OIDC provider of IAM has the issuer of the cluster, fails if none has. Not judged if Pod Identity gives the controller its role.',
    severity: 'critical',
    phase: 1,
    fix: 'Create the provider: aws_iam_openid_connect_provider, or eksctl utils associate-iam-oidc-provider.',
    docs: DOCS.serviceAccountRoles,
    judge: ({ inputs }) => {
      const cluster = liveCluster(inputs);
      if (cluster === undefined || liveResources(inputs, 'aws_eks_pod_identity_association').length > 0)
        return [];
      const issuer = shown(cluster, ...ISSUER);
      const providers = liveResources(inputs, 'aws_iam_openid_connect_provider');
      const own = providers.find(({ name }) => name === withoutScheme(issuer.value));
      return own === undefined
        ? [fail('No provider has it.', [issuer, ...providers.map((each) => shown(each, 'url'))])]
        : [pass('A provider has it.', [issuer, shown(own, 'url')])];
    },
  },
  {
    id: 'K-34',
    title: 'The access entry of the node role is for nodes',
    inputs: ['cloud'],
    criterion:
      'Passes if the type of the entry is EC2_LINUX, EC2_WINDOWS or EC2, fails with another: nodes with STANDARD never become ready.',
    severity: 'critical',
    phase: 1,
    fix: 'Delete the entry, and create it again with the type EC2_LINUX.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs }) =>
      each(liveResources(inputs, 'aws_eks_access_entry'), (entry) => {
        const type = shown(entry, 'type');
        const object = entry.name;
        return NODE_ENTRIES.has(type.value ?? '')
          ? pass(`Its type is ${type.value}.`, [type], { object })
          : fail(`Its type is ${type.value}.`, [type], { object });
      }),
  },
  {
    id: 'K-37',
    title: 'The service account of the controller may assume its role',
    inputs: ['cloud'],
    criterion:
      'Passes if the trust policy names the issuer of the cluster, the service account and the audience, or Pod Identity with sts:AssumeRole and sts:TagSession. Warns about wildcards, fails otherwise.',
    severity: 'critical',
    phase: 1,
    fix: 'Correct the trust policy: StringEquals on ISSUER:sub and ISSUER:aud, with the issuer as it is in the cluster, without https://.',
    docs: DOCS.serviceAccountRoles,
    judge: (context) =>
      each(
        liveResources(context.inputs, 'aws_iam_role').filter(({ owner }) => owner === 'controller'),
        (role) => trusts(context, role),
      ),
  },
  {
    id: 'K-86',
    title: 'The CNI may give addresses to pods',
    inputs: ['cloud'],
    criterion:
      'Passes if AmazonEKS_CNI_Policy is attached to the node role. Warns if it is not: then the service account aws-node needs a role of its own.',
    severity: 'critical',
    phase: 1,
    fix: 'Attach AmazonEKS_CNI_Policy to the node role, or to a role of the service account aws-node.',
    docs: DOCS.troubleshooting,
    judge: (context) =>
      each(liveNodeRoles(context.inputs), ({ name: object }) => {
        const attached = liveResources(context.inputs, 'aws_iam_role_policy_attachment').filter(
          ({ values }) => textAt(values, 'role') === object,
        );
        const evidence = attached.map((each) => shown(each, 'policy_arn'));
        const own = evidence.filter(({ value }) => /\/AmazonEKS_CNI_(IPv6_)?Policy$/.test(value ?? ''));
        if (own.length > 0) return pass('It is attached.', own, { object });
        return evidence.length === 0
          ? skip('It is not known which policies it has.', ['cloud'], [], { object })
          : warn('AmazonEKS_CNI_Policy is not attached.', evidence, { object });
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function withoutScheme(url = ''): string {
  return url.replace(/^https:\/\//, '');
}

function trusts(context: CheckContext, role: Resource): Judgement | undefined {
  const object = role.name;
  const cluster = liveCluster(context.inputs);
  const statements = statementsOf(textAt(role.values, 'assume_role_policy'))?.filter(
    ({ Effect }) => Effect === 'Allow',
  );
  const evidence = [
    shownDocument(role, 'assume_role_policy'),
    ...(cluster === undefined ? [] : [shown(cluster, ...ISSUER)]),
  ];
  if (statements === undefined)
    return skip('The trust policy is not known.', ['cloud'], evidence, { object });
  const problems = statements.map((statement) => trustProblem(context, statement));
  const found = problems.find((problem) => problem === undefined || problem.status === 'warn');
  if (problems.includes(undefined)) return pass('It may.', evidence, { object });
  if (found !== undefined) return warn(found.text, evidence, { object });
  return fail(problems[0]?.text ?? 'Nobody may assume it.', evidence, { object });
}

interface TrustProblem {
  readonly status: 'warn' | 'fail';
  readonly text: string;
}

/** Undefined: the statement lets the service account of the controller in. */
function trustProblem(
  context: CheckContext,
  { Principal, Action, Condition }: PolicyJson,
): TrustProblem | undefined {
  const bad = (text: string): TrustProblem => ({ status: 'fail', text });
  if (typeof Principal === 'string' || Principal === undefined) return bad('It trusts no service account.');
  if (listOf(Principal['Service']).includes('pods.eks.amazonaws.com')) {
    const missing = ['sts:AssumeRole', 'sts:TagSession'].filter((name) => !listOf(Action).includes(name));
    return missing.length === 0 ? undefined : bad(`Pod Identity also needs ${missing.join(' and ')}.`);
  }
  const federated = listOf(Principal['Federated'])[0];
  if (federated === undefined) return bad('It trusts no service account.');
  const cluster = liveCluster(context.inputs);
  const issuer = withoutScheme(textAt(cluster?.values, ...ISSUER));
  if (!federated.endsWith(`:oidc-provider/${issuer}`)) return bad('It trusts the issuer of another cluster.');
  const exact = Condition?.['StringEquals'] ?? {};
  const like = Condition?.['StringLike'] ?? {};
  const audience = listOf(exact[`${issuer}:aud`] ?? like[`${issuer}:aud`]);
  if (audience.length > 0 && !audience.includes('sts.amazonaws.com'))
    return bad(`The audience is ${audience.join(', ')}.`);
  const subjects = [...listOf(exact[`${issuer}:sub`]), ...listOf(like[`${issuer}:sub`])];
  if (subjects.length === 0) return bad('It has no condition on the subject with the issuer of the cluster.');
  if (subjects.some((each) => each.includes('*')))
    return { status: 'warn', text: `It trusts ${subjects.join(', ')}.` };
  const { facts } = context;
  const namespaces = knownValues(facts.from('namespace', 'values'));
  const accounts = knownValues(facts.from('serviceAccount', 'values'));
  const isOwn = subjects.some((subject) => {
    const [, , namespace = '', account = ''] = subject.split(':');
    return (
      (namespaces.length === 0 || namespaces.includes(namespace)) &&
      (accounts.length === 0 ? account.includes('karpenter') : accounts.includes(account))
    );
  });
  return isOwn
    ? undefined
    : bad(`It trusts ${subjects.join(', ')}, and not the service account of the controller.`);
}

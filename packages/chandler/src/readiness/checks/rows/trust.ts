/** Checks of who may be whom: the OIDC provider of the cluster, the trust policy of the controller, and access of nodes. */
import { roleName } from '../../facts/arn.ts';
import { evidenceOf, INFRASTRUCTURE, knownValues } from '../../facts/facts.ts';
import { type TrustStatement, trustOf } from '../../facts/trust.ts';
import type { Inputs, Resource } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { find, type Tree, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, hasKarpenter, pass, skip, warn } from '../judgements.ts';

const INPUTS = [['terraform', 'plan', 'state', 'cloud']] as const;
const ISSUER = ['identity', 0, 'oidc', 0, 'issuer'] as const;
const MODE = ['access_config', 0, 'authentication_mode'] as const;

export const TRUST_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-15',
    title: 'IAM knows the OIDC provider of the cluster',
    inputs: [...INPUTS, 'values'],
    criterion:
      'For a controller with a role in serviceAccount.annotations: passes if an OIDC provider has the issuer of the cluster, fails if none has. Not judged with Pod Identity.',
    severity: 'critical',
    phase: 1,
    fix: 'Create the OIDC provider of IAM for the issuer of the cluster.',
    docs: DOCS.serviceAccountRoles,
    judge: oidcProvider,
  },
  {
    id: 'K-34',
    title: 'Nodes have access in the way that the cluster reads',
    inputs: INPUTS,
    criterion:
      'Fails if the access entry of the node role has the type STANDARD, if there is only an access entry and the cluster reads aws-auth alone (CONFIG_MAP), or only aws-auth and the cluster reads access entries alone (API).',
    severity: 'critical',
    phase: 1,
    fix: 'Create an access entry of the type EC2_LINUX for the node role, and set the authentication mode API or API_AND_CONFIG_MAP.',
    docs: 'https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html',
    judge: nodeAccess,
  },
  {
    id: 'K-37',
    title: 'The trust policy of the controller role is exact',
    inputs: INPUTS,
    criterion:
      'Fails if it does not let the service account assume the role: another issuer, subject or audience, a key that begins with an ARN, or no statement for it. Warns if it lets others assume it.',
    severity: 'critical',
    phase: 1,
    fix: 'Compare ISSUER:sub with system:serviceaccount:NAMESPACE:NAME and ISSUER:aud with sts.amazonaws.com by StringEquals; for Pod Identity allow sts:AssumeRole and sts:TagSession to pods.eks.amazonaws.com.',
    docs: DOCS.serviceAccountRoles,
    judge: trust,
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** The strongest source that has any of them; the state has the resources of the files again. */
function strongest(resources: readonly Resource[]): readonly Resource[] {
  const source = (['live', 'state', 'plan', 'terraform'] as const).find((each) =>
    resources.some((own) => own.source === each),
  );
  return resources.filter((own) => own.source === source);
}

function shown({ source, address, at }: Resource, what: string, tree: Tree | undefined): Evidence {
  const text = textOf(tree);
  return {
    source,
    what: `${address}.${what}`,
    at: tree?.at ?? at,
    ...(text === undefined ? { note: tree === undefined ? 'absent' : 'not known' } : { value: text }),
  };
}

function oidcProvider({ inputs, facts }: CheckContext): readonly Judgement[] {
  const annotations = facts.from('controllerRoleArn', 'values');
  const isPodIdentity = inputs.resources.some(
    ({ type, address, values }) =>
      type === 'aws_eks_pod_identity_association' &&
      /karpenter/i.test(`${address} ${textAt(values, 'role_arn') ?? ''}`),
  );
  if (annotations.length === 0 || isPodIdentity) return [];
  const providers = inputs.resources.filter(({ type }) => type === 'aws_iam_openid_connect_provider');
  return each(strongest(inputs.resources.filter(isCluster)), (cluster) => {
    const own = providers.filter(({ source }) => source === cluster.source);
    const issuer = find(cluster.values, ...ISSUER);
    const evidence = [
      shown(cluster, 'identity[0].oidc[0].issuer', issuer),
      ...own.map((provider) => shown(provider, 'url', find(provider.values, 'url'))),
    ];
    const object = cluster.address;
    const wanted = withoutScheme(textOf(issuer) ?? '');
    const matches = own.some(({ values }) => {
      const url = find(values, 'url');
      return url?.kind === 'unknown'
        ? url.reference === cluster.address
        : wanted !== '' && withoutScheme(textOf(url) ?? '') === wanted;
    });
    if (matches) return pass('It has the issuer of the cluster.', evidence, { object });
    const isKnown = wanted !== '' && own.every(({ values }) => find(values, 'url')?.kind !== 'unknown');
    if (!isKnown || (own.length === 0 && !hasKarpenter(inputs)))
      return skip('The provider or the issuer is not known.', ['state', 'cloud'], evidence, { object });
    return fail(
      own.length === 0 ? 'There is no OIDC provider.' : 'No OIDC provider has the issuer of the cluster.',
      evidence,
      { object },
    );
  });
}

function isCluster({ type, mode }: Resource): boolean {
  return type === 'aws_eks_cluster' && mode === 'managed';
}

function withoutScheme(url: string): string {
  return url.replace(/^https:\/\//, '').replace(/\/$/, '');
}

/** By what the cluster reads, and by what is there for the node role. */
function nodeAccess({ inputs, facts }: CheckContext): readonly Judgement[] {
  const roles = facts.from('nodeRole', ...INFRASTRUCTURE);
  const names = knownValues(roles).map(roleName);
  const addresses = roles.map(({ what }) => what.replace(/\.name$/, ''));
  const isOurs = (tree: Tree | undefined) =>
    tree?.kind === 'unknown'
      ? addresses.includes(tree.reference ?? '')
      : names.includes(roleName(textOf(tree) ?? ''));
  const entries = strongest(
    inputs.resources.filter(
      ({ type, values }) => type === 'aws_eks_access_entry' && isOurs(find(values, 'principal_arn')),
    ),
  );
  const mapped = inputs.manifests.filter(
    ({ kind, name, tree }) =>
      kind === 'ConfigMap' &&
      name === 'aws-auth' &&
      names.some((role) => textAt(tree, 'data', 'mapRoles')?.includes(`/${role}`) === true),
  );
  const wrong = entries.find(({ values }) => {
    const type = find(values, 'type');
    return type === undefined || textOf(type) === 'STANDARD';
  });
  const types = entries.map((entry) => shown(entry, 'type', find(entry.values, 'type')));
  if (wrong !== undefined)
    return [fail('The access entry has the type STANDARD, with which nodes do not join.', types)];
  return each(strongest(inputs.resources.filter(isCluster)), (cluster) => {
    const mode = find(cluster.values, ...MODE);
    const evidence = [
      shown(cluster, 'access_config[0].authentication_mode', mode),
      ...types,
      ...mapped.map(({ source, at }): Evidence => ({ source, what: 'ConfigMap/aws-auth', at })),
    ];
    const object = cluster.address;
    if (mode?.kind === 'unknown' || entries.length + mapped.length === 0) return undefined;
    // What a cluster is created with.
    const read = textOf(mode) ?? 'CONFIG_MAP';
    if (read === 'CONFIG_MAP' && mapped.length === 0 && mode !== undefined)
      return fail('The cluster reads aws-auth alone, and the node role has only an access entry.', evidence, {
        object,
      });
    if (read === 'API' && entries.length === 0)
      return fail(
        'The cluster reads access entries alone, and the node role is only in aws-auth.',
        evidence,
        {
          object,
        },
      );
    return pass('The node role has access.', evidence, { object });
  });
}

function trust({ inputs, facts }: CheckContext): readonly Judgement[] {
  const roles = facts.from('controllerRoleName', ...INFRASTRUCTURE);
  const addresses = new Set(roles.map(({ what }) => what.replace(/\.name$/, '')));
  const own = inputs.resources.filter(
    ({ type, mode, address }) => type === 'aws_iam_role' && mode === 'managed' && addresses.has(address),
  );
  return each(strongest(own), (role) => {
    const policy = find(role.values, 'assume_role_policy');
    const object = role.address;
    const statements = trustOf(policy, inputs.resources);
    const at = policy?.at ?? role.at;
    const evidence: Evidence[] = [{ source: role.source, what: `${role.address}.assume_role_policy`, at }];
    if (policy === undefined || statements === undefined)
      return skip('The trust policy is not known.', ['plan', 'state'], evidence, { object });
    const judged = statements.flatMap((statement) => faultsOf(statement, accountOf(inputs, facts)) ?? []);
    if (judged.length === 0)
      return fail('No statement lets a service account assume it.', evidence, { object });
    // Another statement may be right.
    const best = judged.toSorted((a, b) => a.faults.length - b.faults.length)[0]!;
    const used = accountOf(inputs, facts).facts;
    if (best.faults.length > 0)
      return fail(best.faults.join(' '), [...evidence, ...used.map(evidenceOf)], { object });
    return best.doubts.length > 0
      ? warn(best.doubts.join(' '), evidence, { object })
      : pass('The service account may assume it.', evidence, { object });
  });
}

interface Account {
  /** Undefined: not known. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly facts: ReturnType<CheckContext['facts']['from']>;
}

/** The service account of the release, where there is one release. */
function accountOf({ releases }: Inputs, facts: CheckContext['facts']): Account {
  const namespaces = facts.from('namespace', 'values');
  const names = facts.from('serviceAccount', 'values');
  const one = (values: readonly string[]) => (values.length === 1 ? values[0] : undefined);
  const [release] = releases;
  const isDefault =
    names.length === 0 && releases.length === 1 && release!.incomplete.length === 0
      ? release!.releaseName
      : undefined;
  return {
    namespace: one(knownValues(namespaces)),
    name: one(knownValues(names)) ?? (isDefault === 'karpenter' ? isDefault : undefined),
    facts: [...namespaces, ...names],
  };
}

interface Faults {
  readonly faults: readonly string[];
  readonly doubts: readonly string[];
}

/** Undefined: the statement is for somebody else. */
function faultsOf(statement: TrustStatement, account: Account): Faults | undefined {
  const { actions, principals } = statement;
  if (principals.some(({ id }) => id === 'pods.eks.amazonaws.com')) {
    const missing = ['sts:AssumeRole', 'sts:TagSession'].filter((action) => !actions.includes(action));
    return {
      faults: missing.length === 0 ? [] : [`Pod Identity needs ${missing.join(' and ')}.`],
      doubts: [],
    };
  }
  return actions.includes('sts:AssumeRoleWithWebIdentity') ? webIdentity(statement, account) : undefined;
}

function webIdentity({ principals, conditions }: TrustStatement, account: Account): Faults {
  const faults: string[] = [];
  const doubts: string[] = [];
  const provider = principals.find(({ type }) => type === 'Federated')?.id;
  const issuer = provider === undefined ? undefined : /:oidc-provider\/(.+)$/.exec(provider)?.[1];
  if (provider !== undefined && issuer === undefined)
    faults.push(`The principal ${provider} is not the ARN of an OIDC provider.`);
  for (const { key } of conditions) {
    const own = key.slice(0, key.lastIndexOf(':'));
    if (/^arn:/.test(key)) faults.push(`The key ${key} begins with an ARN; it begins with the issuer.`);
    else if (issuer !== undefined && own !== issuer)
      faults.push(`The key ${key} is not of the issuer ${issuer}.`);
  }
  const of = (name: string) => conditions.filter(({ key }) => key.endsWith(`:${name}`));
  const subjects = of('sub');
  if (subjects.length === 0) doubts.push('Every service account of the cluster may assume it.');
  for (const { test, values } of subjects) {
    if (!/^String(Equals|Like)$/.test(test)) faults.push(`The subject is compared by ${test}.`);
    const wide = values.find((value) => value.includes('*'));
    if (wide !== undefined && test === 'StringLike')
      doubts.push(`${wide} lets other service accounts assume it.`);
    else if (!values.some((value) => isAccount(value, account)))
      faults.push(`The subject is ${values.join(', ')}, and the controller is ${accountText(account)}.`);
  }
  const audiences = of('aud');
  if (audiences.length === 0) doubts.push('The audience is not compared.');
  if (audiences.some(({ values }) => !values.some((value) => value.startsWith('sts.amazonaws.com'))))
    faults.push('The audience is not sts.amazonaws.com.');
  return { faults, doubts };
}

function isAccount(subject: string, { namespace, name }: Account): boolean {
  const [, own, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(subject) ?? [];
  if (own === undefined) return false;
  return (namespace ?? own) === own && (name ?? account) === account;
}

function accountText({ namespace = 'NAMESPACE', name = 'NAME' }: Account): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

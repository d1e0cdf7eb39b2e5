/** The check of workloads that need the metadata of their instance, which a hop limit of 1 keeps from pods. */
import { ROLE_ANNOTATION } from '../../facts/gather.ts';
import {
  type AwsCaller,
  argumentsOf,
  awsCallerOf,
  hasVariable,
  REGION_VARIABLES,
} from '../../inputs/cluster/aws-callers.ts';
import type { Inputs } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { find, itemsAt, textAt } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, nodeClasses, objectOf, pass, seen, skip, warn } from '../judgements.ts';
import { liveObject } from '../live-objects.ts';
import { type Workload, workloadsOf } from '../workloads.ts';

const HOPS = ['spec', 'metadataOptions', 'httpPutResponseHopLimit'] as const;
const AGENT = 'eks-pod-identity-agent';

export const METADATA_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-27',
    title: 'Pods that call AWS do not need the metadata of their instance',
    inputs: ['nodeClasses', 'workloads'],
    reads: ['ServiceAccount'],
    criterion:
      'For workloads that call AWS, where an EC2NodeClass has the hop limit 1: warns about the AWS Load Balancer Controller without region or VPC, and about the EBS CSI driver and others without a role of their service account, a Pod Identity association or keys. Skipped while the service account or its associations are not known.',
    severity: 'medium',
    phase: 4,
    fix: 'Give the pods a role (IRSA or Pod Identity), and the AWS Load Balancer Controller --aws-region and --aws-vpc-id. If this is not possible, set httpPutResponseHopLimit to 2.',
    docs: DOCS.metadata,
    judge: ({ inputs }) => {
      const classes = nodeClasses(inputs);
      const limits = classes.map((own) => ({ evidence: seen(own, ...HOPS), isOne: isOne(own.tree) }));
      const strict = limits.filter(({ isOne: one }) => one).map(({ evidence }) => evidence);
      return each(workloadsOf(inputs), (workload) => {
        const caller = awsCallerOf(workload.manifest, workload.template);
        if (caller === undefined || classes.length === 0) return undefined;
        if (strict.length > 0) return judgeCaller(inputs, workload, caller, strict);
        const all = [...limits.map(({ evidence }) => evidence), seen(workload.manifest, 'metadata', 'name')];
        return pass('The hop limit of its nodes lets pods read it.', all, {
          object: objectOf(workload.manifest),
        });
      });
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** Without a value it is 1. */
function isOne(tree: Parameters<typeof find>[0]): boolean {
  const limit = find(tree, ...HOPS);
  return limit === undefined || textAt(limit) === '1';
}

function judgeCaller(
  inputs: Inputs,
  { manifest, template }: Workload,
  caller: AwsCaller,
  hops: readonly Evidence[],
): Judgement {
  const extra = { object: objectOf(manifest) };
  const evidence = [...hops, seen(manifest, ...template, 'spec', 'containers')];
  const { account, state } = credentialsOf(inputs, caller);
  const proof = [...evidence, ...account];
  const lacking = caller.asksForVpc ? lackingArguments(caller, state === 'role') : [];
  if (lacking.length > 0)
    return warn(
      `${caller.title} has no ${lacking.join(' and no ')}, and cannot read it with the hop limit 1.`,
      evidence,
      extra,
    );
  switch (state) {
    case 'none':
      return warn(
        `${caller.title} has no role of its own, and gets none of the node with the hop limit 1.`,
        proof,
        extra,
      );
    case 'unknown':
      return skip('Whether it has a role of its own is not known.', ['cluster', 'state'], proof, extra);
    default:
      return pass('It has credentials of its own.', proof, extra);
  }
}

/** With a role of the service account, the region comes with it. */
function lackingArguments({ containers }: AwsCaller, hasRole: boolean): readonly string[] {
  const given = containers.flatMap(argumentsOf).join(' ');
  const hasRegion =
    given.includes('--aws-region') ||
    containers.some((container) => REGION_VARIABLES.some((name) => hasVariable(container, name)));
  return [
    ...(hasRegion || hasRole ? [] : ['--aws-region']),
    ...(/--aws-vpc-(id|tags)/.test(given) ? [] : ['--aws-vpc-id']),
  ];
}

interface Credentials {
  /** `role`: of its service account, or by Pod Identity; `keys`: in its environment. */
  readonly state: 'role' | 'keys' | 'none' | 'unknown';
  readonly account: readonly Evidence[];
}

function credentialsOf(inputs: Inputs, { serviceAccount, containers }: AwsCaller): Credentials {
  const { name, namespace } = serviceAccount;
  if (containers.some((container) => KEYS.some((variable) => hasVariable(container, variable))))
    return { state: 'keys', account: [] };
  const association = inputs.resources.find(
    ({ type, values }) =>
      type === 'aws_eks_pod_identity_association' &&
      textAt(values, 'service_account') === name &&
      textAt(values, 'namespace') === namespace,
  );
  if (association !== undefined) {
    const { values, source, address } = association;
    const what = `${address}.service_account`;
    return { state: 'role', account: [{ ...seen({ tree: values, source }, 'service_account'), what }] };
  }
  const own = inputs.manifests.find(
    (each) =>
      each.kind === 'ServiceAccount' && each.name === name && (each.namespace ?? 'default') === namespace,
  );
  // What a variable of the environment comes from, such as a Secret, is not read.
  const isOpen = containers.some((container) => itemsAt(container, 'envFrom').length > 0);
  if (own === undefined || isOpen) return { state: 'unknown', account: [] };
  const annotation = seen(own, 'metadata', 'annotations', ROLE_ANNOTATION);
  if (annotation.unknown === true || annotation.value !== undefined)
    return { state: 'role', account: [annotation] };
  return { state: mayHaveAssociation(inputs) ? 'unknown' : 'none', account: [annotation] };
}

/** In a cluster without the agent, associations have no effect; files alone do not say what else is installed. */
function mayHaveAssociation(inputs: Inputs): boolean {
  return (
    inputs.cluster === undefined ||
    inputs.cluster.unread.some(({ kind }) => kind === 'DaemonSet') ||
    liveObject(inputs, 'DaemonSet', AGENT, 'kube-system') !== undefined
  );
}

const KEYS = ['AWS_ACCESS_KEY_ID', 'AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'];

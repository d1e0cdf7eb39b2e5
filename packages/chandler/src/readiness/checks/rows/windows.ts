/** Checks of what Windows nodes of EKS need besides what all nodes need: addresses of the CNI, rights of kube-proxy, IPv4. */
import { parseArn, roleName } from '../../facts/arn.ts';
import { knownValues } from '../../facts/facts.ts';
import { AWS_AUTH, CNI_SETTINGS } from '../../inputs/cluster/reads.table.ts';
import type { Inputs, Manifest } from '../../inputs/inputs.ts';
import type { Evidence, InputKind } from '../../model/finding.ts';
import { find, textAt } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import {
  each,
  fail,
  nodeClasses,
  nodePools,
  objectOf,
  pass,
  requiredValues,
  seen,
  skip,
} from '../judgements.ts';
import { absence } from '../live.ts';
import { none } from '../live-objects.ts';
import { mappedRoles } from '../mapped-roles.ts';
import { addonSetting, cniVariable } from '../network-plugin.ts';
import { familyOf } from '../node-class-family.ts';

const IPAM = 'enable-windows-ipam';
const PROXY_GROUP = 'eks:kube-proxy-windows';
const ENTRY_TYPE = 'EC2_WINDOWS';

export const WINDOWS_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-78',
    title: 'The cluster is ready for Windows nodes',
    inputs: ['nodePools'],
    reads: ['DaemonSet', 'ConfigMap/amazon-vpc-cni', 'ConfigMap/aws-auth'],
    criterion: `For NodePools of Windows: passes if ${IPAM} is true in the ConfigMap amazon-vpc-cni (or enableWindowsIpam of the add-on vpc-cni), the node role has the group ${PROXY_GROUP} in aws-auth or an access entry of the type ${ENTRY_TYPE}, and the cluster has IPv4. Fails if one of them is not so; skipped while one is not known.`,
    severity: 'high',
    phase: 4,
    fix: `Set ${IPAM} to "true" in the ConfigMap amazon-vpc-cni, add ${PROXY_GROUP} to the groups of the node role in aws-auth or use an access entry of the type ${ENTRY_TYPE}, and use a cluster with IPv4.`,
    docs: 'https://docs.aws.amazon.com/eks/latest/userguide/windows-support.html',
    judge: (context) =>
      each(nodePools(context.inputs), (pool) => {
        const own = windowsEvidence(pool, context.inputs);
        if (own === undefined) return undefined;
        const object = objectOf(pool);
        const answers = [
          ipam(context),
          kubeProxy(classOf(pool, context.inputs), context),
          addresses(context),
        ];
        const evidence = [own, ...answers.flatMap((answer) => answer.evidence)];
        const wrong = answers.filter(({ status }) => status === 'wrong');
        if (wrong.length > 0)
          return fail(
            wrong.map(({ message }) => message).join(' '),
            [own, ...wrong.flatMap((answer) => answer.evidence)],
            { object },
          );
        const unknown = answers.filter(({ status }) => status === 'unknown');
        return unknown.length > 0
          ? skip(
              unknown.map(({ message }) => message).join(' '),
              [...new Set(unknown.flatMap(({ needs = [] }) => needs))],
              evidence,
              { object },
            )
          : pass('The CNI, kube-proxy and the addresses are ready for Windows.', evidence, { object });
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

interface Answer {
  readonly status: 'right' | 'wrong' | 'unknown';
  readonly message: string;
  readonly evidence: readonly Evidence[];
  readonly needs?: readonly InputKind[];
}

function classOf(pool: Manifest, inputs: Inputs): Manifest | undefined {
  const name = textAt(pool.tree, 'spec', 'template', 'spec', 'nodeClassRef', 'name');
  return nodeClasses(inputs).find((each) => each.name === name);
}

/** What says that nodes of the pool run Windows: its class, or its requirement. */
function windowsEvidence(pool: Manifest, inputs: Inputs): Evidence | undefined {
  const own = classOf(pool, inputs);
  if (own !== undefined && familyOf(own)?.startsWith('Windows') === true)
    return find(own.tree, 'spec', 'amiFamily') === undefined
      ? seen(own, 'spec', 'amiSelectorTerms', 0, 'alias')
      : seen(own, 'spec', 'amiFamily');
  const systems = requiredValues(pool, 'kubernetes.io/os') ?? [];
  return systems.length > 0 && systems.every((system) => system === 'windows')
    ? seen(pool, 'spec', 'template', 'spec', 'requirements')
    : undefined;
}

function configMap(
  { manifests }: Inputs,
  key: { readonly name: string; readonly namespace: string },
): Manifest | undefined {
  return manifests.find(
    ({ kind, name, namespace }) => kind === 'ConfigMap' && name === key.name && namespace === key.namespace,
  );
}

function ipam({ inputs }: CheckContext): Answer {
  const map = configMap(inputs, CNI_SETTINGS);
  const off = 'The CNI does not give addresses to Windows pods.';
  if (map !== undefined)
    return judged(textAt(map.tree, 'data', IPAM) === 'true', off, [seen(map, 'data', IPAM)]);
  if (inputs.cluster !== undefined)
    return judged(false, off, [
      none('ConfigMap/amazon-vpc-cni', 'GET /api/v1/namespaces/kube-system/configmaps/amazon-vpc-cni'),
    ]);
  const setting = addonSetting(inputs, 'enableWindowsIpam');
  return setting === undefined
    ? notKnown(`Whether ${IPAM} is set is not known.`, ['cluster'])
    : judged(setting.value === 'true', off, [setting]);
}

/** kube-proxy of Windows nodes has the rights of a group that Linux nodes do not need. */
function kubeProxy(nodeClass: Manifest | undefined, { inputs, facts }: CheckContext): Answer {
  const named = textAt(nodeClass?.tree, 'spec', 'role');
  const known = [...new Set(knownValues(facts.all('nodeRole')).map(roleName))];
  const role = named ?? (known.length === 1 ? known[0] : undefined);
  if (role === undefined) return notKnown('The role of its nodes is not known.', ['state', 'cloud']);
  const entry = inputs.resources.find(
    ({ type, values }) =>
      type === 'aws_eks_access_entry' && roleName(textAt(values, 'principal_arn') ?? '') === role,
  );
  if (entry !== undefined) {
    const type = seen({ tree: entry.values, source: entry.source }, 'type');
    const evidence = [{ ...type, what: `${entry.address}.type` }];
    return judged(
      type.value === ENTRY_TYPE,
      `The access entry of ${role} has the type ${type.value ?? 'STANDARD'}, not ${ENTRY_TYPE}.`,
      evidence,
    );
  }
  const map = configMap(inputs, AWS_AUTH);
  const rows = mappedRoles(textAt(map?.tree, 'data', 'mapRoles'));
  const row = rows.find(({ arn }) => parseArn(arn) !== undefined && roleName(arn) === role);
  const evidence: readonly Evidence[] =
    map === undefined
      ? absence(inputs, 'aws_eks_access_entry', role)
      : [{ source: map.source, what: 'ConfigMap/aws-auth data.mapRoles', at: map.at }];
  if (row !== undefined)
    return judged(
      row.groups.includes(PROXY_GROUP),
      `aws-auth maps ${role} without ${PROXY_GROUP}.`,
      evidence,
    );
  const hasNoEntry = absence(inputs, 'aws_eks_access_entry', role).length > 0;
  const isMapKnown = map !== undefined || inputs.cluster !== undefined;
  return hasNoEntry && isMapKnown
    ? judged(false, `Neither aws-auth nor an access entry knows ${role}.`, evidence)
    : notKnown(
        `Whether ${role} has ${PROXY_GROUP} is not known.`,
        isMapKnown ? ['cloud', 'state'] : ['cluster', 'cloud'],
        evidence,
      );
}

function addresses({ inputs }: CheckContext): Answer {
  const clusters = inputs.resources
    .filter(({ type, mode }) => type === 'aws_eks_cluster' && mode === 'managed')
    .map(({ values, source, address }) => ({
      ...seen({ tree: values, source }, 'kubernetes_network_config', 0, 'ip_family'),
      what: `${address}.kubernetes_network_config[0].ip_family`,
    }));
  const variable = cniVariable(inputs, 'ENABLE_IPv6');
  const evidence = [...clusters, ...(variable === undefined ? [] : [variable])].filter(
    ({ unknown }) => unknown !== true,
  );
  if (evidence.length === 0)
    return notKnown('Whether the cluster has IPv4 is not known.', ['cluster', 'cloud'], clusters);
  const isSix = variable?.value === 'true' || clusters.some(({ value }) => value === 'ipv6');
  return judged(!isSix, 'Windows nodes do not work in a cluster with IPv6.', evidence);
}

function judged(isRight: boolean, message: string, evidence: readonly Evidence[]): Answer {
  if (evidence.some(({ unknown }) => unknown === true))
    return notKnown('A value is not known.', ['plan', 'state'], evidence);
  return { status: isRight ? 'right' : 'wrong', message, evidence };
}

function notKnown(message: string, needs: readonly InputKind[], evidence: readonly Evidence[] = []): Answer {
  return { status: 'unknown', message, needs, evidence };
}

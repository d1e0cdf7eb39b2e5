/** The check of maxPods against the addresses that the instance types of a NodePool have for pods. */
import { offlinePodAddresses, type PodAddresses } from '../../../cloud/aws/offline.ts';
import type { Inputs, Manifest } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { textAt } from '../../model/tree.ts';
import { type PlannedPool, type Planning, planningOf } from '../../planning/planning.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { each, nodeClasses, objectOf, pass, seen, skip, warn } from '../judgements.ts';
import { cniDaemonSet, cniVariable } from '../network-plugin.ts';
import { familyOf } from '../node-class-family.ts';

const KUBELET = ['spec', 'kubelet'] as const;
const REFERENCE = ['spec', 'template', 'spec', 'nodeClassRef', 'name'] as const;
const PREFIXES = 'ENABLE_PREFIX_DELEGATION';
const CUSTOM = 'AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG';
/** So many types are named. */
const NAMED_TYPES = 5;

export const POD_ADDRESS_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-54',
    title: 'Nodes have addresses for as many pods as maxPods permits',
    inputs: ['nodePools', 'nodeClasses'],
    reads: ['DaemonSet'],
    criterion: `Asks the planner with the built-in catalogue which instance types a NodePool can launch. Warns if kubelet.maxPods of its EC2NodeClass is more than their network interfaces have addresses for, without ${PREFIXES} of aws-node or on types without prefixes. Skipped while the settings of the CNI are not known.`,
    severity: 'high',
    phase: 4,
    fix: `Remove or lower spec.kubelet.maxPods, require larger instance types, or set ${PREFIXES} of the DaemonSet aws-node to true.`,
    docs: 'https://docs.aws.amazon.com/eks/latest/userguide/cni-increase-ip-addresses.html',
    judge: ({ inputs, facts }) => {
      const classes = nodeClasses(inputs).filter(
        (own) => textAt(own.tree, ...KUBELET, 'maxPods') !== undefined && !isWindows(own),
      );
      if (classes.length === 0) return [];
      const planning = planningOf(inputs, facts);
      return each(planning.pools, (pool) => {
        const name = textAt(pool.manifest.tree, ...REFERENCE);
        const own = classes.find((nodeClass) => nodeClass.name === name);
        return own === undefined ? undefined : judgePool(inputs, planning, pool, own);
      });
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** Its pods get addresses in another way. */
function isWindows(own: Manifest): boolean {
  return familyOf(own)?.startsWith('Windows') === true;
}

function judgePool(
  inputs: CheckContext['inputs'],
  planning: Planning,
  pool: PlannedPool,
  own: Manifest,
): Judgement | undefined {
  const object = objectOf(pool.manifest);
  const evidence = [
    seen(own, ...KUBELET, 'maxPods'),
    seen(pool.manifest, 'spec', 'template', 'spec', 'requirements'),
  ];
  const wanted = Number(evidence[0]!.value);
  if (!Number.isInteger(wanted))
    return skip('maxPods depends on the instance type.', [], evidence, { object });
  const cni = settingsOf(inputs);
  if (typeof cni === 'string') return skip(cni, ['cluster', 'workloads'], evidence, { object });
  const proof = [...evidence, ...cni.evidence];
  const names = planning.typeNamesOf(pool);
  // That no type fits is the finding of K-24.
  if (names.length === 0) return undefined;
  const addresses = offlinePodAddresses(cni);
  const short = names.flatMap((name) => {
    const type = addresses.get(name);
    return type === undefined || podsOn(type, wanted, own) <= type.pods ? [] : [`${name} ${type.pods}`];
  });
  if (short.length === 0)
    return pass(`All ${names.length} instance types have addresses for ${wanted} pods.`, proof, { object });
  const more = short.length - NAMED_TYPES;
  return warn(
    `${short.length} of ${names.length} instance types have addresses for fewer than ${wanted} pods: ` +
      `${short.slice(0, NAMED_TYPES).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    proof,
    { object },
  );
}

/** podsPerCore lowers it where the family reads it. */
function podsOn({ vCpus }: PodAddresses, maxPods: number, own: Manifest): number {
  const perCore = Number(textAt(own.tree, ...KUBELET, 'podsPerCore') ?? '0');
  return perCore > 0 && familyOf(own) !== 'Bottlerocket' ? Math.min(maxPods, perCore * vCpus) : maxPods;
}

interface Settings {
  readonly prefixDelegation: boolean;
  readonly customNetworking: boolean;
  readonly evidence: readonly Evidence[];
}

/** A text: why they are not known. */
function settingsOf(inputs: Inputs): Settings | string {
  if (inputs.cluster !== undefined && cniDaemonSet(inputs) === undefined)
    return 'The cluster has no DaemonSet aws-node, and how another CNI gives addresses is not known.';
  const prefixes = cniVariable(inputs, PREFIXES);
  if (prefixes === undefined || prefixes.unknown === true)
    return `Whether the CNI delegates prefixes (${PREFIXES}) is not known.`;
  const custom = cniVariable(inputs, CUSTOM);
  const isOn = (variable: Evidence | undefined) => variable?.value?.toLowerCase() === 'true';
  return {
    prefixDelegation: isOn(prefixes),
    customNetworking: isOn(custom),
    evidence: [prefixes, ...(isOn(custom) ? [custom!] : [])],
  };
}

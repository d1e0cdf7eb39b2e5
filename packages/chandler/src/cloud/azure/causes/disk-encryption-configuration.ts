/**
 * Layer 1: the disk encryption set is not configured, or configured wrongly. Reasons of conditions are those of the node
 * class; what Azure answers is layer 4.
 */
import {
  type Cause,
  classProblem,
  conditionOf,
  type EvidenceSet,
  isPastLaunch,
  type Match,
  type NodeClassEvidence,
  seen,
  type Weight,
} from '../../../causes/index.ts';
import {
  DES_OPTION,
  DES_VARIABLE,
  expectsSet,
  isAskedAbout,
  recordsSet,
  sameSet,
  setInUse,
  setOfOptions,
} from './disk-encryption-facts.ts';

const SHOW_OPTION = `kubectl -n {namespace} get deployment {deployment} -o yaml | grep -A1 ${DES_VARIABLE}`;
const SHOW_CLASS = 'kubectl get aksnodeclass {nodeClass} -o jsonpath={.status.diskEncryptionSet}';
const SHOW_CLUSTER = 'az aks show -g {clusterGroup} -n {cluster} --query diskEncryptionSetId';
/** The cluster is said to have none only where it was read. */
const AND_CLUSTER = '{andCluster}';
const SHOW_SET = 'az disk-encryption-set show --ids {set}';

export const DISK_ENCRYPTION_CONFIGURATION: readonly Cause[] = [
  {
    id: 'L1.1',
    layer: 'configuration',
    specificity: 'exact',
    title: 'No disk encryption set is configured',
    symptom: 'Disks of nodes use the platform-managed key, although they should use a customer-managed key.',
    summary: `Neither the option (${DES_VARIABLE}) nor the NodeClass names a disk encryption set${AND_CLUSTER}, so disks of new nodes use the platform-managed key.`,
    fix: `Set spec.osDiskDiskEncryptionSetID of the NodeClass, or ${DES_VARIABLE} of the controller.`,
    confirm: [SHOW_OPTION, SHOW_CLASS, SHOW_CLUSTER],
    evenIfWell: isAskedAbout,
    recognise: (evidence) =>
      nothingConfigured(evidence) && !isManaged(evidence) && setOfCluster(evidence) === undefined
        ? absent(evidence)
        : undefined,
  },
  {
    id: 'L1.2',
    layer: 'configuration',
    specificity: 'exact',
    title: 'The ID of the disk encryption set is malformed',
    symptom: 'Launches are stopped, or Azure answers with BadRequest.',
    summary: 'The configured value is not an ID of a disk encryption set: {problem}.',
    fix: 'Use the form /subscriptions/{id}/resourceGroups/{group}/providers/Microsoft.Compute/diskEncryptionSets/{name}, as `az disk-encryption-set show --query id` prints it.',
    confirm: [SHOW_OPTION, SHOW_CLASS],
    evenIfWell: isAskedAbout,
    recognise: (evidence) =>
      setProblem(evidence, ['DiskEncryptionSetMalformed']) ??
      optionProblem(evidence, (option) => option === DES_OPTION),
  },
  {
    id: 'L1.3',
    layer: 'configuration',
    specificity: 'exact',
    title: 'The disk encryption set does not exist',
    symptom: 'The NodeClass is not Ready. Launches would fail with NotFound.',
    summary: 'The configured disk encryption set does not exist: {problem}.',
    fix: 'Create it in the region of the nodes, or correct the ID.',
    confirm: [SHOW_SET],
    evenIfWell: isAskedAbout,
    recognise: (evidence) =>
      setProblem(evidence, ['DiskEncryptionSetNotFound'], ({ findings }) =>
        findings.length === 0
          ? !refusedAtLaunch(evidence)
          : findings.some(
              ({ reason, witness }) => reason === 'DiskEncryptionSetNotFound' && witness !== 'launch',
            ),
      ),
  },
  {
    id: 'L1.4',
    layer: 'configuration',
    specificity: 'exact',
    title: 'The managed add-on has no disk encryption set',
    symptom:
      'AKS runs the controller without NODE_OSDISK_DISKENCRYPTIONSET_ID, and disks use the platform-managed key.',
    summary: `The controller runs as an add-on of AKS, where you cannot set ${DES_VARIABLE}, and the NodeClass names no disk encryption set${AND_CLUSTER}.`,
    fix: 'Set spec.osDiskDiskEncryptionSetID of the NodeClass, or create the cluster with --node-osdisk-diskencryptionset-id.',
    confirm: [SHOW_CLUSTER, SHOW_CLASS],
    evenIfWell: isAskedAbout,
    recognise: (evidence) =>
      nothingConfigured(evidence) && isManaged(evidence) && setOfCluster(evidence) === undefined
        ? absent(evidence)
        : undefined,
  },
  {
    id: 'L1.5',
    layer: 'configuration',
    specificity: 'exact',
    title: "The cluster's own disk encryption set is not used",
    symptom: 'The cluster has a disk encryption set, but disks of nodes use the platform-managed key.',
    summary: 'The cluster has {set}, but the controller does not use it: {why}.',
    fix: `Set ARM_RESOURCE_GROUP and grant the controller the permission Microsoft.ContainerService/managedClusters/read, so that it can read the cluster. Or set ${DES_VARIABLE} to the same ID.`,
    confirm: [SHOW_CLUSTER, SHOW_OPTION, SHOW_CLASS],
    evenIfWell: isAskedAbout,
    recognise: clusterSetIgnored,
  },
];

// ---------------------------------------------------------------------------------------------------

function nothingConfigured(evidence: EvidenceSet): boolean {
  return expectsSet(evidence) && setInUse(evidence) === '';
}

function isManaged(evidence: EvidenceSet): boolean {
  return evidence.first('controller')?.hosting === 'managed';
}

function setOfCluster(evidence: EvidenceSet): string | undefined {
  const set = evidence.first('cluster')?.diskEncryptionSetId;
  return set === '' ? undefined : set;
}

function absent(evidence: EvidenceSet): Match {
  const options = evidence.first('options');
  const cluster = evidence.first('cluster');
  const classes = evidence.all('nodeClass').filter(({ found }) => found);
  return {
    weight: weightOf(evidence),
    facts: {
      ...classNames(classes),
      andCluster:
        cluster === undefined ? ' (the managed cluster could not be read)' : ', and the cluster has none',
    },
    seen: [
      ...(options === undefined ? [] : [seen(options, `${DES_OPTION} is not set`)]),
      ...classes.map((nodeClass) => seen(nodeClass, 'status.diskEncryptionSet is empty')),
      ...(cluster === undefined ? [] : [seen(cluster, 'properties.diskEncryptionSetID is not set')]),
    ],
  };
}

/** Without the question it may be on purpose. A node that has its set keeps it. */
function weightOf(evidence: EvidenceSet): Weight {
  const { liveClaims } = evidence;
  const haveSets = liveClaims.length > 0 && liveClaims.every((claim) => recordsSet(claim));
  return isAskedAbout(evidence) && !haveSets ? 'broken' : 'suspicious';
}

function classNames(classes: readonly NodeClassEvidence[]): Record<string, string> {
  const [first] = classes;
  return first === undefined ? {} : { nodeClass: first.name };
}

/** With the set that the controller's option names, where the node class names none. */
function setProblem(
  evidence: EvidenceSet,
  reasons: readonly string[],
  accept?: (nodeClass: NodeClassEvidence) => boolean,
): Match | undefined {
  const found = classProblem(evidence, reasons, accept);
  if (found === undefined) return undefined;
  const match =
    isPastLaunch(evidence) && !isAskedAbout(evidence) ? { ...found, weight: 'suspicious' as const } : found;
  if (match.facts['set'] !== '') return match;
  return { ...match, facts: { ...match.facts, set: setOfOptions(evidence) ?? '' } };
}

function optionProblem(evidence: EvidenceSet, wanted: (option: string) => boolean): Match | undefined {
  const options = evidence.first('options');
  const found = options?.problems.find(({ option }) => wanted(option));
  if (options === undefined || found === undefined) return undefined;
  return {
    facts: { option: found.option, problem: found.problem },
    seen: [seen(options, `${found.option}: ${found.problem}`)],
  };
}

function refusedAtLaunch(evidence: EvidenceSet): boolean {
  const reason = 'DiskEncryptionSetNotFound';
  return (
    evidence.all('cloudError').some((error) => error.reason === reason) ||
    evidence.all('nodeClaim').some((claim) => conditionOf(claim, 'Launched')?.reason === reason)
  );
}

function clusterSetIgnored(evidence: EvidenceSet): Match | undefined {
  const cluster = evidence.first('cluster');
  const set = setOfCluster(evidence);
  const used = setInUse(evidence);
  if (cluster === undefined || set === undefined || used === undefined || sameSet(set, used))
    return undefined;
  const other = used !== '';
  return {
    // Another set is configured, probably on purpose: worth a check.
    weight: other ? 'suspicious' : weightOf(evidence),
    facts: {
      set,
      why: other
        ? `${used} is configured instead`
        : 'no set is configured, and the controller could not read the cluster',
      ...classNames(evidence.all('nodeClass')),
    },
    seen: [seen(cluster, `properties.diskEncryptionSetID is ${set}`)],
  };
}

/**
 * The instance of a claim as EC2 shows it and, until it has joined, what it needs: its console, subnet, security groups,
 * instance profile, the cluster and its access entry. Layers 4 and 5.
 */
import {
  type CloudResourceEvidence,
  isFound,
  isTrue,
  type LookupFailure,
  type LookupResult,
  listOr,
  type NodeClaimEvidence,
  type VmEvidence,
} from '../../../causes/index.ts';
import type { ControllerDeployment } from '../../index.ts';

import { readAwsAuth } from './aws-auth.ts';
import {
  type AwsContext,
  type AwsReader,
  type InstanceLocation,
  instanceLocation,
  missingFrom,
  OTHER_ACCOUNT,
  type SeenInstance,
} from './aws-evidence.ts';
import { readClusterNamed } from './cluster.ts';
import { known } from './launch-settings.ts';

/** The instance; while it has not joined, what it needs to. */
export async function readInstance(
  context: AwsContext,
  claim: NodeClaimEvidence,
  controller: ControllerDeployment | undefined,
  isUnready: boolean,
): Promise<VmEvidence | undefined> {
  const { recorder, aws } = context;
  const at = instanceLocation(claim.providerId ?? '');
  if (at === undefined) return undefined;
  const isJoining = claim.deletingSinceMs === undefined && !isTrue(claim, 'Registered');
  await readAwsAuth(context, isJoining);
  if (aws === undefined) return keptInstance(context, claim, at);
  const looked = await aws.instance(at);
  const doubt = isFound(looked) ? undefined : await doubtOf(aws, looked, controller);
  if (doubt !== undefined) {
    recorder.addUnread('vm', `instance ${at.id}`, doubt);
    return undefined;
  }
  const instance = isFound(looked) ? looked.found : undefined;
  const vm = vmEvidence(context, claim, at, instance);
  recorder.add(vm);
  if (instance !== undefined && !isFound(instance.failedChecks))
    recorder.addUnread('vm', `status checks of instance ${at.id}`, instance.failedChecks);
  if (instance === undefined) return vm;
  await readSubnet({ ...context, aws }, claim, instance);
  if (isJoining) await readNeeds({ ...context, aws }, claim, at, instance);
  else if (isUnready) await readConsole({ ...context, aws }, claim, at);
  return vm;
}

/** The cluster that the controller's options name, to compare them with what EKS says. */
export async function readCluster(
  context: AwsContext,
  controller: ControllerDeployment | undefined,
): Promise<void> {
  const { reader, recorder, aws } = context;
  const name = controller?.options['clusterName']?.value ?? '';
  if (name === '') return;
  if (aws !== undefined) {
    await readClusterNamed({ ...context, aws }, name, controller);
    return;
  }
  if (!reader.kept.records.some((record) => record.kind === 'cloudResource' && record.type === 'cluster'))
    recorder.addUnread('cluster', `cluster ${name}`, missingFrom(context));
}

// ---------------------------------------------------------------------------------------------------------------

interface Connected extends AwsContext {
  readonly aws: AwsReader;
}

/** As the maker of the dump saw it. */
function keptInstance(
  context: AwsContext,
  claim: NodeClaimEvidence,
  { id }: InstanceLocation,
): VmEvidence | undefined {
  const { reader, recorder } = context;
  const kept = reader.kept.records.find(
    (record): record is VmEvidence => record.kind === 'vm' && record.claim === claim.name,
  );
  if (kept !== undefined) recorder.add(kept);
  else recorder.addUnread('vm', `instance ${id}`, missingFrom(context));
  return kept;
}

/**
 * Why an instance that EC2 did not show may exist all the same. Credentials of another account see neither it nor the cluster,
 * so that only those that see the cluster prove that it is gone.
 */
async function doubtOf(
  aws: AwsReader,
  failure: LookupFailure,
  controller: ControllerDeployment | undefined,
): Promise<LookupFailure | undefined> {
  if (failure.why !== 'notFound') return failure;
  const name = controller?.options['clusterName']?.value ?? '';
  const cluster = name === '' ? undefined : await aws.cluster(name);
  if (cluster !== undefined && isFound(cluster)) return undefined;
  if (cluster?.why === 'notFound')
    return { why: 'notFound', message: `EKS does not know the cluster ${name} either: ${OTHER_ACCOUNT}` };
  const message =
    name === ''
      ? `the name of the cluster is not known, and ${OTHER_ACCOUNT}`
      : `the cluster ${name} cannot be read, and ${OTHER_ACCOUNT}`;
  const permission = cluster?.permission;
  return { why: 'notFound', message, ...(permission === undefined ? {} : { permission }) };
}

function vmEvidence(
  { recorder }: AwsContext,
  claim: NodeClaimEvidence,
  { id }: InstanceLocation,
  instance: SeenInstance | undefined,
): VmEvidence {
  const failedChecks = instance === undefined ? [] : listOr(instance.failedChecks);
  return {
    kind: 'vm',
    reading: recorder.reading(`instance ${id}`, 'aws'),
    name: id,
    claim: claim.name,
    found: instance !== undefined,
    provisioningState: instance === undefined ? undefined : (PROVISIONING[instance.state] ?? instance.state),
    powerState: instance?.state,
    // EC2 knows of no agent; its status checks say whether the system answers.
    agentReady: undefined,
    diskEncryptionSetId: undefined,
    imageId: instance?.imageId,
    size: instance?.type,
    bootDiagnostics: undefined,
    createdAtMs: instance?.launchedAtMs,
    ...(instance?.stateReason === undefined ? {} : { stateReason: instance.stateReason }),
    ...(failedChecks.length === 0 ? {} : { failedChecks }),
  };
}

/** In the words of other clouds, which general causes know. */
const PROVISIONING: Readonly<Record<string, string>> = { pending: 'Creating', running: 'Succeeded' };

async function readNeeds(
  context: Connected,
  claim: NodeClaimEvidence,
  at: InstanceLocation,
  instance: SeenInstance,
): Promise<void> {
  await readConsole(context, claim, at);
  await readSecurityGroups(context, claim, instance);
  addMetadataOptions(context, claim, at, instance);
  if (instance.clusterName !== undefined) await readClusterNamed(context, instance.clusterName, undefined);
  if (instance.profile !== undefined) await readRole(context, claim, instance, instance.profile);
}

async function readConsole(
  { recorder, aws }: Connected,
  claim: NodeClaimEvidence,
  at: InstanceLocation,
): Promise<void> {
  const looked = await aws.consoleOutput(at);
  const what = `serial log of instance ${at.id}`;
  if (!isFound(looked)) {
    recorder.addUnread('serialLog', what, looked);
    return;
  }
  const reading = recorder.reading(what, 'aws');
  recorder.add({ kind: 'serialLog', reading, claim: claim.name, text: looked.found, imageId: claim.imageId });
}

async function readSubnet(
  context: Connected,
  claim: NodeClaimEvidence,
  instance: SeenInstance,
): Promise<void> {
  const { subnetId, publicIp } = instance;
  if (subnetId === undefined) return;
  const looked = await context.aws.subnet(subnetId);
  addResource(context, claim, 'subnet', subnetId, looked, ({ vpcId, freeAddresses, defaultRoute }) => ({
    vpc: vpcId,
    freeAddresses: freeAddresses?.toString(),
    defaultRoute: isFound(defaultRoute) ? defaultRoute.found : undefined,
    publicIp: String(publicIp),
  }));
  if (isFound(looked) && !isFound(looked.found.defaultRoute))
    context.recorder.addUnread('cloudResource', `routes of subnet ${subnetId}`, looked.found.defaultRoute);
}

async function readSecurityGroups(
  context: Connected,
  claim: NodeClaimEvidence,
  { securityGroupIds }: SeenInstance,
): Promise<void> {
  if (securityGroupIds.length === 0) return;
  const looked = await context.aws.securityGroups(securityGroupIds);
  if (!isFound(looked)) {
    context.recorder.addUnread('cloudResource', `security groups ${securityGroupIds.join(', ')}`, looked);
    return;
  }
  for (const group of looked.found)
    addResource(context, claim, 'securityGroup', group.id, { found: group }, ({ vpcId, allowsHttpsOut }) => ({
      vpc: vpcId,
      httpsOut: String(allowsHttpsOut),
    }));
}

/** As the instance has them, whatever the class says now. */
function addMetadataOptions(
  context: Connected,
  claim: NodeClaimEvidence,
  { id }: InstanceLocation,
  { httpEndpoint, httpHopLimit }: SeenInstance,
): void {
  if (httpEndpoint === undefined) return;
  addResource(context, claim, 'launchSettings', id, { found: true }, () => ({
    httpEndpoint,
    httpHopLimit: httpHopLimit?.toString(),
  }));
}

async function readRole(
  context: Connected,
  claim: NodeClaimEvidence,
  { clusterName }: SeenInstance,
  profile: string,
): Promise<void> {
  const { aws, recorder } = context;
  const looked = await aws.instanceProfile(profile);
  addResource(context, claim, 'instanceProfile', profile, looked, ({ roleArn, roleName }) => ({
    role: roleName,
    roleArn,
  }));
  const roleArn = isFound(looked) ? looked.found.roleArn : undefined;
  if (roleArn === undefined || clusterName === undefined) return;
  const mode = recorder
    .evidence()
    .all('cloudResource')
    .find(({ type, name }) => type === 'cluster' && name === clusterName)?.facts['authenticationMode'];
  // Where the cluster has no access entries, EKS does not answer.
  if (mode === undefined || mode === 'CONFIG_MAP') {
    if (mode === 'CONFIG_MAP')
      addResource(context, claim, 'accessEntry', roleArn, { why: 'notFound' }, () => ({ mode }));
    return;
  }
  const entry = await aws.accessEntry(clusterName, roleArn);
  addResource(context, claim, 'accessEntry', roleArn, entry, (type) => ({ type }), { mode });
}

/** A resource that AWS does not have is evidence, too; one that could not be read is not. */
function addResource<T>(
  { recorder }: AwsContext,
  claim: NodeClaimEvidence,
  type: string,
  name: string,
  looked: LookupResult<T>,
  factsOf: (found: T) => Readonly<Record<string, string | undefined>>,
  always: Readonly<Record<string, string>> = {},
): void {
  const what = `${TITLES[type] ?? type} ${name} of ${claim.name}`;
  if (!isFound(looked) && looked.why !== 'notFound') {
    recorder.addUnread('cloudResource', what, looked);
    return;
  }
  const record: CloudResourceEvidence = {
    kind: 'cloudResource',
    reading: recorder.reading(what, 'aws'),
    type,
    name,
    claim: claim.name,
    found: isFound(looked),
    facts: { ...always, ...(isFound(looked) ? known(factsOf(looked.found)) : {}) },
  };
  recorder.add(record);
}

const TITLES: Readonly<Record<string, string>> = {
  accessEntry: 'access entry',
  instanceProfile: 'instance profile',
  launchSettings: 'metadata options of instance',
  securityGroup: 'security group',
};

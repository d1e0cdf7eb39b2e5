/**
 * Step 9: with the operator's credential, reads the URL and the CA of the cluster and creates the bindings of the node.
 * The credential stays in memory; it is on disk only in document mode, which requires admin.conf.
 */
import type { ManagedClusterFacts } from '../azure/azure-client.ts';
import type { NodeFacts } from '../azure/cluster-client.ts';
import { FlexError } from '../flex-error.ts';
import { clusterFacts } from '../kubelet/files.ts';
import { hasNodeCertificate, isKubeconfigStale } from '../kubelet/node-certificate.ts';
import { SERVER_VERSION } from '../kubelet/server-version.ts';
import { kubeletSkew, parseVersion } from '../kubelet/version.ts';
import type { Step, StepContext } from '../step.ts';
import { PRINCIPAL } from './arc.ts';
import { type ClusterObject, deleteObjects, leftover } from './cluster-objects.ts';
import { CLUSTER_MADE_ON, isCopy, noteMadeOn, takeOverObjects } from './made-on.ts';
import { bindCommand, type NodeBinding, nodeBindings } from './node-access.ts';
import { isNameInUse, nameInUse } from './node-owner.ts';
import { BINDING, namesIn, type Operator, operatorAccess, TEMPORARY_BINDING } from './operator-access.ts';

const SERVER = 'cluster.server';
const CA_DATA = 'cluster.caData';
const DNS_SERVICE_IP = 'cluster.dnsServiceIp';
const CLIENT_CA = 'cluster.clientCa';
/** `yes`: a Node of this name was there before us, so it is not ours to delete. */
const NODE_BEFORE = 'cluster.nodeBefore';
/** With such a Node: names of bindings that were there, too. */
const BINDING_BEFORE = 'cluster.bindingBefore';
/** `kept`: admin.conf on this machine is of our making. */
const ADMIN_CONF = 'cluster.adminConf';

export const credentialsStep: Step = {
  id: 'credentials',
  name: 'ClusterCredentialsDownloaded',
  title: 'Get the cluster endpoint and authorize the node',
  phase: 'activation',

  inputs({ config, facts }) {
    return {
      cluster: config.azure.targetCluster.resourceId,
      node: config.agent.nodeName,
      principal: facts.get(PRINCIPAL),
      security: config.security,
      adminConf: config.security.documentMode ? adminConfPath(config) : undefined,
    };
  },

  async validate({ facts }) {
    if (facts.get(PRINCIPAL) === undefined) throw noPrincipal();
  },

  async isCompleted(context) {
    const { config, facts, host, world } = context;
    const known = [SERVER, CA_DATA, SERVER_VERSION, BINDING].every((fact) => facts.get(fact) !== undefined);
    if (!known || (await isCopy(context))) return false;
    if (!(await isCurrent(context))) return false;
    // Without its certificate the node needs the bindings for a new one, which are deleted once the Node is Ready.
    const mayRequest = namesIn(facts, TEMPORARY_BINDING).length > 0;
    if (config.security.tlsBootstrap && !mayRequest) {
      if (!(await hasNodeCertificate(host, config, world))) return false;
      if (await isKubeconfigStale(host, config, clusterFacts(facts))) return false;
    }
    const wanted = config.security.documentMode ? 'kept' : undefined;
    if (facts.get(ADMIN_CONF) !== wanted) return false;
    if (wanted === undefined) return true;
    const file = await host.lstat(adminConfPath(config));
    return file?.kind === 'file' && file.mode === 0o644;
  },

  async execute(context) {
    const { azure, config, facts, signal } = context;
    const principalId = facts.get(PRINCIPAL);
    if (principalId === undefined) throw noPrincipal();
    const cluster = await azure.cluster(signal);
    checkSkew(context, cluster.kubernetesVersion, 'Azure');
    const operator = await operatorAccess(context, cluster);
    await keepAdminConf(context, operator.text);
    await facts.set(SERVER, operator.address.server);
    await facts.set(CA_DATA, operator.address.caData);
    if (cluster.dnsServiceIp !== undefined) await facts.set(DNS_SERVICE_IP, cluster.dnsServiceIp);
    const version = await serverVersion(context, operator, cluster);
    checkSkew(context, version, 'the API server');
    await facts.set(SERVER_VERSION, version);
    await noteNodeBefore(context, operator);
    await letIn(context, operator, nodeBindings(config, cluster, principalId));
    await takeOverObjects(context);
    await readClientCa(context, operator);
  },

  async undo(context) {
    const { config, facts } = context;
    const before = namesIn(facts, BINDING_BEFORE);
    const node: ClusterObject = { kind: 'node', name: config.agent.nodeName };
    const bindings = namesIn(facts, BINDING).map(
      (name): ClusterObject => ({ kind: 'clusterrolebinding', name }),
    );
    const hadNode = facts.get(NODE_BEFORE) === 'yes';
    const ours = [
      ...(facts.get(BINDING) !== undefined && !hadNode ? [node] : []),
      ...bindings.filter(({ name }) => !before.includes(name)),
    ];
    const { left, kept } = await deleteObjects(context, ours);
    const earlier = [...(hadNode ? [node] : []), ...bindings.filter(({ name }) => before.includes(name))];
    const why = 'it existed before this machine joined the cluster';
    // Leftovers stay recorded, so that the next unbootstrap retries. What is kept is reported once.
    if (left.length === 0) for (const fact of FACTS) await facts.delete(fact);
    return [...left, ...kept, ...earlier.map((each) => leftover(context, each, why))];
  },
};

// ---------------------------------------------------------------------------------------------------

const FACTS = [
  SERVER,
  CA_DATA,
  DNS_SERVICE_IP,
  SERVER_VERSION,
  CLIENT_CA,
  BINDING,
  TEMPORARY_BINDING,
  NODE_BEFORE,
  BINDING_BEFORE,
  CLUSTER_MADE_ON,
  ADMIN_CONF,
] as const;

/**
 * Only the document's own mode writes it: everything else works from memory, so there is no moment at which a crash
 * could leave a key of the cluster behind. One that we kept before the mode was changed goes.
 */
async function keepAdminConf(context: StepContext, text: string): Promise<void> {
  const { config, facts, host } = context;
  const path = adminConfPath(config);
  if (config.security.documentMode) {
    await facts.set(ADMIN_CONF, 'kept');
    await host.writeFile(path, text, { mode: 0o644 });
  } else if (facts.get(ADMIN_CONF) !== undefined) {
    await host.remove(path);
    await facts.delete(ADMIN_CONF);
  }
}

/** Whether the API server still answers at the recorded address, with a certificate of the recorded CA. */
async function isCurrent({ cluster, facts, signal, dryRun }: StepContext): Promise<boolean> {
  if (dryRun) return true;
  const { server, caData } = clusterFacts(facts);
  try {
    await cluster.serverVersion({ server, caData }, signal);
    return true;
  } catch (error) {
    if (signal.aborted || !(error instanceof FlexError)) throw error;
    // It answers, but not to everybody.
    return error.facts.class === 'auth';
  }
}

async function serverVersion(
  context: StepContext,
  { address, credential }: Operator,
  cluster: ManagedClusterFacts,
): Promise<string> {
  try {
    const version = await context.cluster.serverVersion(address, context.signal, credential);
    if (version !== '') return version;
  } catch (error) {
    // A proxy in front of the cluster may hide it; Azure has said it already.
    if (!(error instanceof FlexError) || error.facts.class !== 'auth') throw error;
  }
  return `v${cluster.kubernetesVersion.replace(/^v/, '')}`;
}

function checkSkew({ config }: StepContext, server: string, who: string): void {
  const [kubelet, parsed] = [parseVersion(config.kubernetes.version), parseVersion(server)];
  if (kubelet === undefined || parsed === undefined) return;
  const skew = kubeletSkew(kubelet, parsed);
  if (skew.ok) return;
  const problem = skew.problem === 'too-old' ? 'too old for' : 'newer than';
  throw new FlexError({
    class: 'config',
    code: `credentials.kubelet-${skew.problem}`,
    message: `kubelet ${config.kubernetes.version} is ${problem} the cluster version ${server.replace(/^v/, '')} (reported by ${who})`,
    remedy: `Set kubernetes.version to a version from ${skew.oldest} to ${parsed.major}.${parsed.minor}.`,
    where: 'kubernetes.version',
  });
}

async function noteNodeBefore(context: StepContext, operator: Operator): Promise<void> {
  const { config, facts } = context;
  const { nodeName } = config.agent;
  const node = (await isCopy(context))
    ? await nodeBesideOriginal(context, operator)
    : await optional(() => freeNode(context, operator));
  // After the bindings were created, a Node with this name is our own.
  if (node === undefined || facts.get(BINDING) !== undefined) return;
  await facts.set(NODE_BEFORE, 'yes');
  context.say(`the Node ${nodeName} already exists in the cluster; this machine takes over its name`);
}

/** @throws {FlexError} if a live machine that is not this one has the name. */
async function freeNode(
  context: StepContext,
  { address, credential }: Operator,
): Promise<NodeFacts | undefined> {
  const { cluster, config, signal } = context;
  const node = await cluster.node(address, credential, config.agent.nodeName, signal);
  if (node !== undefined && (await isNameInUse(context, node))) throw await nameInUse(context, node);
  return node;
}

/** The kubelets of the original and of its copy report the same Node every 10 s: whose report is read is a matter of time. */
const READS_OF_COPY = 10;
const READ_INTERVAL_MS = 7_000;

/** On a copy the Node must be readable, or the original could be live. */
async function nodeBesideOriginal(context: StepContext, operator: Operator): Promise<NodeFacts | undefined> {
  let node = await freeNode(context, operator);
  for (let reads = 1; node?.ready === true && reads < READS_OF_COPY; reads++) {
    if (reads === 1) context.say('the disk is a copy; checking whether the original machine is running');
    await context.world.clock.sleep(READ_INTERVAL_MS, context.signal);
    node = await freeNode(context, operator);
  }
  return node;
}

async function letIn(
  context: StepContext,
  { address, credential }: Operator,
  bindings: readonly NodeBinding[],
): Promise<void> {
  const { cluster, facts, signal } = context;
  const before = namesIn(facts, BINDING);
  const names = bindings.map((binding) => binding.name);
  if (facts.get(BINDING) === undefined) {
    await noteMadeOn(context, CLUSTER_MADE_ON);
    if (facts.get(NODE_BEFORE) === 'yes') await noteBindings(context, { address, credential }, names);
  }
  // Those of the mode before stay until the Node is Ready with the new ones: until then, the old mode can be restored.
  const temporary = [
    ...before.filter((name) => !names.includes(name)),
    ...bindings.filter((binding) => binding.temporary).map((binding) => binding.name),
  ];
  await facts.set(BINDING, [...new Set([...before, ...names])].join(','));
  if (temporary.length > 0) await facts.set(TEMPORARY_BINDING, temporary.join(','));
  else await facts.delete(TEMPORARY_BINDING);
  for (const binding of bindings) {
    try {
      await cluster.bindUser(address, credential, binding, signal);
    } catch (error) {
      throw error instanceof FlexError ? withHand(error, binding) : error;
    }
    context.say(`bound ${binding.user} to ${binding.clusterRole}`, { binding: binding.name });
  }
}

async function noteBindings(
  { cluster, facts, signal }: StepContext,
  { address, credential }: Pick<Operator, 'address' | 'credential'>,
  names: readonly string[],
): Promise<void> {
  const found: string[] = [];
  for (const name of names) {
    const there = await optional(() => cluster.binding(address, credential, name, signal));
    if (there !== undefined) found.push(name);
  }
  if (found.length > 0) await facts.set(BINDING_BEFORE, found.join(','));
}

async function readClientCa(context: StepContext, { address, credential }: Operator): Promise<void> {
  const { cluster, facts, signal } = context;
  const pem = await optional(() => cluster.clientCa(address, credential, signal));
  if (pem !== undefined) return facts.set(CLIENT_CA, pem);
  if (!context.dryRun) {
    context.say('the cluster does not publish its client CA: kubectl logs and exec do not work on this node');
  }
}

/** Worth having, not worth failing for when it is forbidden. */
async function optional<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof FlexError && error.facts.code === 'cluster.forbidden') return undefined;
    throw error;
  }
}

function withHand(error: FlexError, binding: NodeBinding): FlexError {
  if (error.facts.code !== 'cluster.forbidden') return error;
  return new FlexError({
    ...error.facts,
    remedy: `Allow the operator to create cluster role bindings, or run as a cluster admin: ${bindCommand(binding)}`,
  });
}

function adminConfPath(config: StepContext['config']): string {
  return `${config.paths.kubernetes.configDir}/admin.conf`;
}

function noPrincipal(): FlexError {
  return new FlexError({
    class: 'step',
    code: 'credentials.no-principal',
    message: 'the identity of this machine is not known yet',
    remedy: 'Run bootstrap without --only, or run its step arc first.',
  });
}

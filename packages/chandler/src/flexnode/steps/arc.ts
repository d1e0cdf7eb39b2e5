/**
 * Step 1: the identity of the machine. The Arc agent is installed and connected as the machine of the config, and its
 * principal ID is recorded. `arc-roles.ts` and step 9 grant its permissions.
 */
import { httpsProxyOf } from '../artifacts/proxy-fetch.ts';
import {
  type AgentState,
  connectAgent,
  disconnectAgent,
  isConnectedAs,
  isRegisteredAs,
  removeConnectConfig,
  showAgent,
  tagList,
} from '../azure/azcmagent.ts';
import type { ArcMachine } from '../azure/azure-client.ts';
import { PLACEHOLDER_PRINCIPAL } from '../azure/dry-run-clients.ts';
import { FlexError } from '../flex-error.ts';
import { hasNodeCertificate } from '../kubelet/node-certificate.ts';
import type { Leftover, Step, StepContext } from '../step.ts';
import { ensureAgent, isAgentThere, removeAgent } from './arc-agent.ts';
import { CONNECTED_BY_US, PRINCIPAL, whyForeign } from './arc-owner.ts';
import { isProxyStale, restoreProxy, setProxy } from './arc-proxy.ts';
import { grantRoles, revokeRoles } from './arc-roles.ts';
import { ARC_MADE_ON, isCopy, madeElsewhere, noteMadeOn } from './made-on.ts';

export { PRINCIPAL } from './arc-owner.ts';

const MACHINE = 'arc.machineId';

/** Registration takes a moment to be seen. */
export const REGISTRATION_WAIT_MS = 10_000;

export const arcStep: Step = {
  id: 'arc',
  name: 'ArcInstall',
  title: 'Register the machine with Azure Arc',
  phase: 'identity',

  /** Without the tags: the agent sets them once, when it connects. */
  inputs({ config: { azure, security, proxy } }) {
    const { machineName, resourceGroup, location, autoRoleAssignment, install, agentVersion } = azure.arc;
    return {
      machine: [azure.cloud, azure.tenantId, azure.subscriptionId, resourceGroup, machineName, location],
      agent: { install, agentVersion, proxy: withoutUser(httpsProxyOf(proxy)) },
      roles: security.documentMode ? { autoRoleAssignment, on: azure.targetCluster.resourceId } : undefined,
    };
  },

  async validate({ config: { azure, proxy } }) {
    tagList(azure.arc.tags);
    const url = URL.parse(httpsProxyOf(proxy) ?? '');
    if (url !== null && (url.username !== '' || url.password !== '')) throw proxyWithSecret();
  },

  async isCompleted(context) {
    const { config, facts, host, world } = context;
    if (facts.get(PRINCIPAL) === undefined || facts.get(CONNECTED_BY_US) === 'begun') return false;
    if (isProxyStale(context) || (await isCopy(context))) return false;
    const state = await showAgent(host);
    if (state.connected || !isRegisteredAs(state, config.azure)) return isConnectedAs(state, config.azure);
    // Nothing of the node uses the agent then.
    const isCertified = config.security.tlsBootstrap && (await hasNodeCertificate(host, config, world));
    if (isCertified)
      context.say('the Arc agent is not connected to Azure; the node authenticates with its certificate');
    return isCertified;
  },

  installs: async (context) => !(await isAgentThere(context)),

  async execute(context) {
    await removeConnectConfig(context.host);
    await ensureAgent(context);
    await ensureConnected(context, await setProxy(context));
    const machine = await registeredMachine(context);
    await context.facts.set(MACHINE, machine.id);
    await context.facts.set(PRINCIPAL, machine.principalId);
    context.say('the machine identity exists', { principalId: machine.principalId });
    await grantRoles(context, machine.principalId);
  },

  async undo(context) {
    await removeConnectConfig(context.host);
    const roles = await revokeRoles(context, await madeElsewhere(context, ARC_MADE_ON));
    const { kept, left } = await deleteMachine(context);
    const machine = [...left, ...(await disconnect(context))];
    // Leftovers stay recorded, so that the next unbootstrap retries. What is kept is reported once.
    if (machine.length === 0) {
      for (const fact of [CONNECTED_BY_US, MACHINE, PRINCIPAL, ARC_MADE_ON]) await context.facts.delete(fact);
    }
    return [...roles, ...kept, ...machine, ...(await restoreProxy(context)), ...(await removeAgent(context))];
  },
};

// ---------------------------------------------------------------------------------------------------

async function ensureConnected(context: StepContext, hasNewProxy: boolean): Promise<void> {
  const { azure, config, facts, host, signal } = context;
  const state = await (hasNewProxy ? stateWithNewProxy(context) : showAgent(host));
  const registered = isRegisteredAs(state, config.azure);
  // Also while it is offline, or its registration has expired: it is the owner's.
  if (!registered && (state.connected || state.resourceName !== undefined))
    throw connectedElsewhere(state.resourceName ?? '?', state.resourceGroup ?? '?');
  if (registered && state.connected && (await isKnownToAzure(context))) {
    if (facts.get(CONNECTED_BY_US) === 'begun') await facts.set(CONNECTED_BY_US, 'yes');
    context.say('the machine is already connected to Azure Arc');
    return;
  }
  const machine = await azure.machine(signal);
  const halfMade = machine !== undefined && facts.get(CONNECTED_BY_US) === 'begun';
  if (halfMade) {
    const foreign = await whyForeign(context, machine, async () => state);
    if (foreign !== undefined) throw machineInUse(config.azure.arc, foreign);
  }
  if (registered && machine !== undefined && !halfMade) throw offline(config.azure.arc.machineName);
  if (registered) await disconnectAgent(host);
  if (halfMade) await azure.deleteMachine(signal);
  // A machine that was there before us is not ours, even if the agent should be able to take it over.
  if (machine === undefined) await begin(context);
  context.say('connecting to Azure Arc', { machine: config.azure.arc.machineName });
  const accessToken = await azure.armToken(signal);
  await connectOrClear(context, accessToken, machine === undefined || halfMade);
  if (facts.get(CONNECTED_BY_US) === 'begun') await facts.set(CONNECTED_BY_US, 'yes');
  if (!context.dryRun) await context.world.clock.sleep(REGISTRATION_WAIT_MS, signal);
}

/** The agent calls Azure every five minutes: until then it is shown as it was with the old proxy. */
const HEARTBEAT_WAIT_MS = 6 * 60_000;
const HEARTBEAT_POLL_MS = 10_000;

async function stateWithNewProxy({
  config,
  dryRun,
  host,
  say,
  signal,
  world,
}: StepContext): Promise<AgentState> {
  const untilMs = world.clock.monotonic() + HEARTBEAT_WAIT_MS;
  for (let first = true; ; first = false) {
    const state = await showAgent(host);
    const isWaiting = isRegisteredAs(state, config.azure) && !state.connected;
    // Its proxy was not set: the plan is for an agent that connects with it.
    if (isWaiting && dryRun) return { ...state, connected: true };
    if (!isWaiting || world.clock.monotonic() >= untilMs) return state;
    if (first) say('waiting until the Arc agent is connected with its new proxy');
    await world.clock.sleep(HEARTBEAT_POLL_MS, signal);
  }
}

/** The facts of an earlier Arc machine, which no longer exists, are not those of the new one. */
async function begin(context: StepContext): Promise<void> {
  for (const fact of [PRINCIPAL, MACHINE, ARC_MADE_ON]) await context.facts.delete(fact);
  await noteMadeOn(context, ARC_MADE_ON);
  await context.facts.set(CONNECTED_BY_US, 'begun');
}

/** The agent may believe in a machine that was deleted in Azure: by somebody, or by an unbootstrap that ended half way. */
async function isKnownToAzure({ azure, facts, signal, say }: StepContext): Promise<boolean> {
  if (facts.get(CONNECTED_BY_US) === undefined || (await azure.machine(signal)) !== undefined) return true;
  say('the Arc machine no longer exists in Azure; connecting again');
  return false;
}

/** When the agent gives up half way, the machine that it made must go before the next try. */
async function connectOrClear(context: StepContext, accessToken: string, ours: boolean): Promise<void> {
  const { azure, config, host, signal, world } = context;
  const connect = () => connectAgent(world, host, { azure: config.azure, accessToken, signal });
  try {
    await connect();
  } catch (error) {
    if (!(error instanceof FlexError) || !INCOMPLETE.has(error.facts.code) || !ours) throw error;
    context.say('the connection is incomplete; cleaning up and retrying');
    await azure.deleteMachine(signal);
    await connect();
  }
}

const INCOMPLETE: ReadonlySet<string> = new Set(['azcmagent.azcm0062']);

/** A new identity takes some time to replicate in Entra. */
const IDENTITY_WAITS_MS: readonly number[] = [5_000, 10_000, 20_000, 30_000, 30_000, 30_000, 30_000, 30_000];

async function registeredMachine(
  context: StepContext,
): Promise<ArcMachine & { readonly principalId: string }> {
  const { azure, config, signal, world } = context;
  for (const waitMs of [...IDENTITY_WAITS_MS, undefined]) {
    const machine = await azure.machine(signal);
    if (machine?.principalId !== undefined) return { ...machine, principalId: machine.principalId };
    if (context.dryRun) return { ...machineToBe(config.azure), principalId: PLACEHOLDER_PRINCIPAL };
    if (waitMs !== undefined) await world.clock.sleep(waitMs, signal);
  }
  throw new FlexError({
    class: 'step',
    code: 'arc.no-identity',
    message: `the Arc machine ${config.azure.arc.machineName} has no identity in Azure`,
    remedy: 'Check azcmagent show and the machine in Azure, then run bootstrap again.',
  });
}

type ArcConfig = StepContext['config']['azure']['arc'];

function machineToBe(azure: StepContext['config']['azure']): ArcMachine {
  const { machineName: name, resourceGroup, location } = azure.arc;
  return { id: machineId(azure.subscriptionId, resourceGroup, name), name, location };
}

function machineId(subscription: string, group: string, name: string): string {
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.HybridCompute/machines/${name}`;
}

interface Deleted {
  /** Not ours. */
  readonly kept: readonly Leftover[];
  /** Could not be deleted. */
  readonly left: readonly Leftover[];
}

async function deleteMachine(context: StepContext): Promise<Deleted> {
  const { azure, config, facts, host, signal } = context;
  const nothing: Deleted = { kept: [], left: [] };
  if (facts.get(CONNECTED_BY_US) === undefined) return nothing;
  const { subscriptionId, arc } = config.azure;
  const id = facts.get(MACHINE) ?? machineId(subscriptionId, arc.resourceGroup, arc.machineName);
  const leftover = (why: string): readonly Leftover[] => [
    { what: `Arc machine ${id}`, why, finish: [`az resource delete --ids ${id}`] },
  ];
  try {
    const machine = await azure.machine(signal);
    if (machine === undefined) return nothing;
    const foreign = await whyForeign(context, machine, () => showAgent(host));
    if (foreign !== undefined) return { ...nothing, kept: leftover(foreign) };
    await azure.deleteMachine(signal);
    return nothing;
  } catch (error) {
    if (!(error instanceof FlexError)) throw error;
    if (error.facts.code === 'azure.resource-group-not-found') return nothing;
    return { ...nothing, left: leftover(error.facts.message) };
  }
}

/** Only the registration of the config: the owner may have registered the machine anew. */
async function disconnect({ config, facts, host }: StepContext): Promise<readonly Leftover[]> {
  if (facts.get(CONNECTED_BY_US) === undefined) return [];
  try {
    if (isRegisteredAs(await showAgent(host), config.azure)) await disconnectAgent(host);
  } catch (error) {
    if (!(error instanceof FlexError)) throw error;
    const finish = ['sudo azcmagent disconnect --force-local-only'];
    return [{ what: 'connection of the Arc agent', why: error.facts.message, finish }];
  }
  return [];
}

function withoutUser(url: string | undefined): string | undefined {
  return url?.replace(/\/\/[^/@]*@/, '//');
}

function connectedElsewhere(name: string, group: string): FlexError {
  return new FlexError({
    class: 'config',
    code: 'arc.connected-elsewhere',
    message: `this machine is registered with Azure Arc as ${name} in ${group}, which differs from the config`,
    remedy: 'Set azure.arc to that machine, or disconnect it: azcmagent disconnect.',
    where: 'azure.arc.machineName',
  });
}

function machineInUse({ machineName, resourceGroup }: ArcConfig, why: string): FlexError {
  return new FlexError({
    class: 'config',
    code: 'arc.machine-in-use',
    message: `the Arc machine ${machineName} in ${resourceGroup} exists and is not one that this machine created: ${why}`,
    remedy: `Set azure.arc.machineName to another name. If nothing uses it, delete it: az connectedmachine delete --resource-group ${resourceGroup} --name ${machineName}.`,
    where: 'azure.arc.machineName',
  });
}

function offline(name: string): FlexError {
  return new FlexError({
    class: 'step',
    code: 'arc.offline',
    message: `the Arc agent is registered as ${name}, but it is not connected to Azure`,
    remedy:
      'Check azcmagent check, azcmagent config get proxy.url and systemctl status himdsd; the agent connects within five minutes after a repair. If its identity has expired, run azcmagent disconnect. Then run bootstrap again.',
  });
}

function proxyWithSecret(): FlexError {
  return new FlexError({
    class: 'config',
    code: 'arc.proxy-with-password',
    message: 'the Arc agent does not support a proxy with user name and password',
    remedy: 'Use a proxy that does not require authentication for this machine.',
    where: 'proxy.https',
  });
}

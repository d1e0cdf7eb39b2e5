/**
 * The controller itself: its Deployment, its Lease, and the options that these and its ConfigMap give it. Where there is
 * no Deployment, somebody else runs it (a managed add-on), and its options cannot be seen from here.
 */

import { CONFIG_MAPS, DEPLOYMENTS, HIDDEN, LEASES, PODS } from '@chandler/kube';
import { LEASE_IDENTITY_PREFIX, LEASE_NAME } from '../../api/index.ts';
import {
  isFound,
  LEADER_NOT_KNOWN,
  type LookupFailure,
  listOr,
  type OptionsEvidence,
  type OptionValue,
  type ReadObject,
  withoutContainerSecrets,
} from '../../causes/index.ts';
import type { ControllerDeployment } from '../../cloud/index.ts';
import {
  envNames,
  GLOBAL_SETTINGS_NAME,
  type LayerInputs,
  type OptionTable,
  observes,
  printable,
  type SettingsData,
  settingsPath,
} from '../../settings/index.ts';

import { CONTROLLER_LABELS } from './controller-labels.ts';
import { isLikelyOfAnother, namedCloud } from './deployment-cloud.ts';
import type { GatherContext } from './gather-context.ts';
import {
  type ContainerState,
  type DeploymentShape,
  fullName,
  type LeaseShape,
  type PodShape,
  timeMs,
} from './shapes.ts';

/** Where to look when Deployments of all namespaces may not be listed. */
export const USUAL_NAMESPACES = ['kube-system', 'karpenter', 'chandler'];

export async function readController(context: GatherContext): Promise<ControllerDeployment | undefined> {
  const { reader, recorder } = context;
  const found = await findDeployment(context);
  if (found === 'hidden') return undefined;
  if (found === undefined) {
    const key = { namespace: 'kube-system', name: LEASE_NAME };
    const lease = await reader.get(LEASES, key);
    const leader = isFound(lease) ? holderOf(lease.found as LeaseShape, recorder.atMs) : undefined;
    // Neither a Deployment nor a leader: it is not known whether there is a controller.
    if (leader === undefined && !isFound(lease)) return undefined;
    recorder.add({
      kind: 'controller',
      reading: recorder.reading(`Lease ${key.namespace}/${key.name}`),
      deployment: undefined,
      replicas: { wanted: 1, ready: leader === undefined ? 0 : 1 },
      leader,
      stopped: undefined,
      hosting: 'managed',
      version: undefined,
    });
    return undefined;
  }
  const namespace = found.metadata.namespace ?? 'kube-system';
  const settings = await readSettings(context, namespace);
  const options = readOptions(context, found, settings);
  const wanted = found.spec?.replicas ?? 1;
  const ready = found.status?.readyReplicas ?? 0;
  const [container] = found.spec?.template?.spec?.containers ?? [];
  const leader = await leaderOf(context, found, options.values);
  const stopped = ready > 0 ? undefined : await whyStopped(context, found);
  recorder.add({
    kind: 'controller',
    reading: recorder.reading(`Deployment ${fullName(found)}`),
    deployment: fullName(found),
    replicas: { wanted, ready },
    // A replica that crashes keeps the Lease until it expires.
    leader: stopped !== undefined && isReplicaOf(found, leader) ? undefined : leader,
    stopped,
    hosting: 'selfHosted',
    version: container?.image?.split('@')[0]?.split(':').at(-1),
  });
  recorder.add(options);
  return {
    deployment: found,
    namespace,
    env: container?.env ?? [],
    options: options.values,
    ...(settings === undefined
      ? {}
      : {
          settings: { name: `${namespace}/${GLOBAL_SETTINGS_NAME}`, changedAtMs: dataChangedAtMs(settings) },
        }),
  };
}

// ---------------------------------------------------------------------------------------------------

/** Of all Deployments of a controller that can be seen. Nothing is recorded. */
export async function controllerNamespaces({ reader }: GatherContext): Promise<readonly string[]> {
  const found: ReadObject[] = [];
  for (const labels of CONTROLLER_LABELS) found.push(...listOr(await reader.list(DEPLOYMENTS, { labels })));
  return [...new Set(found.map(({ metadata }) => metadata.namespace ?? ''))];
}

/**
 * During a migration there are two, and the one that is scaled to zero says nothing about the other; nor does the controller
 * of another cloud in the same cluster. One that observes takes no Lease and does nothing: it is no controller.
 */
async function findDeployment(context: GatherContext): Promise<DeploymentShape | undefined | 'hidden'> {
  const { reader, recorder } = context;
  const listed: DeploymentShape[] = [];
  let forbidden: LookupFailure | undefined;
  for (const labels of CONTROLLER_LABELS) {
    const looked = await reader.list(DEPLOYMENTS, { labels });
    if (isFound(looked)) {
      const sorted = [...looked.found].sort((one, other) => (fullName(one) < fullName(other) ? -1 : 1));
      listed.push(...(sorted as readonly DeploymentShape[]));
    } else if (looked.why === 'forbidden') {
      forbidden = looked;
      listed.push(...(await inUsualNamespaces(context, labels)));
    } else {
      recorder.addUnread('controller', 'Deployment of the controller', looked);
      return 'hidden';
    }
  }
  const found = listed.filter(({ spec }) => !observes(spec?.template?.spec?.containers ?? []));
  const own = found.filter((each) => (namedCloud(each) ?? context.cloud.name) === context.cloud.name);
  if (own.length > 0) return theOneThatRuns(context, own);
  if (found.length > 0) {
    const message = `${found.map(fullName).join(', ')}: for another cloud`;
    recorder.addUnread('controller', 'Deployment of the controller', { why: 'notFound', message });
    return 'hidden';
  }
  if (forbidden === undefined) return undefined;
  recorder.addUnread('controller', 'Deployment of the controller', forbidden);
  return 'hidden';
}

/** One that seems to serve this cloud; of these the one that holds the Lease; otherwise one with ready replicas, then one that is not scaled to zero. */
async function theOneThatRuns(
  { reader, recorder, cloud }: GatherContext,
  found: readonly DeploymentShape[],
): Promise<DeploymentShape> {
  if (found.length === 1) return found[0]!;
  const ranked: { readonly rank: number; readonly deployment: DeploymentShape }[] = [];
  for (const deployment of found) {
    const namespace = deployment.metadata.namespace ?? 'kube-system';
    const lease = await reader.get(LEASES, { namespace, name: LEASE_NAME });
    const leader = isFound(lease) ? holderOf(lease.found as LeaseShape, recorder.atMs) : undefined;
    const isOfOther =
      namedCloud(deployment) === undefined && (await isLikelyOfAnother(deployment, cloud.name));
    const rank =
      (isOfOther ? 0 : 8) +
      (isReplicaOf(deployment, leader) ? 4 : 0) +
      ((deployment.status?.readyReplicas ?? 0) > 0 ? 2 : 0) +
      (deployment.spec?.replicas === 0 ? 0 : 1);
    ranked.push({ rank, deployment });
  }
  return ranked.sort((one, other) => other.rank - one.rank)[0]!.deployment;
}

/** The identity of a replica begins with the name of its pod: `karpenter-6d8f-x2x1q_1b2c`; ours has a prefix before it. */
function isReplicaOf({ metadata }: DeploymentShape, leader = ''): boolean {
  const own = leader.startsWith(LEASE_IDENTITY_PREFIX) ? leader.slice(LEASE_IDENTITY_PREFIX.length) : leader;
  if (!own.startsWith(`${metadata.name}-`)) return false;
  // Two parts that the ReplicaSet adds, or one where somebody named the pod.
  const [pod = ''] = own.slice(metadata.name.length + 1).split('_');
  return pod.split('-').length <= 2;
}

async function inUsualNamespaces(
  { reader }: GatherContext,
  labels: Readonly<Record<string, string>>,
): Promise<readonly DeploymentShape[]> {
  const found: ReadObject[] = [];
  for (const namespace of USUAL_NAMESPACES)
    found.push(...listOr(await reader.list(DEPLOYMENTS, { namespace, labels })));
  return found as readonly DeploymentShape[];
}

/**
 * Undefined: no replica holds the Lease. The replicas decide where there is none, where it cannot be read, or where its name
 * is, or may be, set from a place that cannot be seen here.
 */
async function leaderOf(
  { reader, recorder }: GatherContext,
  deployment: DeploymentShape,
  options: Readonly<Record<string, OptionValue>>,
): Promise<string | undefined> {
  const [container] = deployment.spec?.template?.spec?.containers ?? [];
  const isHidden = (container?.env ?? []).some(
    ({ name, value }) => value === undefined && /^(?:DISABLE_)?LEADER_ELECTION/.test(name),
  );
  if (isHidden || options['disableLeaderElection']?.value === 'true') return LEADER_NOT_KNOWN;
  // Where it may have another name, one that is held says more than one that is not.
  const none = LEADER_OPTIONS.every((option) => option in options) ? undefined : LEADER_NOT_KNOWN;
  const own = options['leaderElectionNamespace']?.value ?? '';
  const namespace = own === '' ? (deployment.metadata.namespace ?? 'kube-system') : own;
  const name = options['leaderElectionName']?.value ?? LEASE_NAME;
  const lease = await reader.get(LEASES, { namespace, name });
  if (isFound(lease)) return holderOf(lease.found as LeaseShape, recorder.atMs) ?? none;
  if (lease.why === 'notFound') return none;
  recorder.addUnread('controller', `Lease ${namespace}/${name}`, lease);
  return LEADER_NOT_KNOWN;
}

const LEADER_OPTIONS = ['disableLeaderElection', 'leaderElectionName', 'leaderElectionNamespace'];

/** The clock of the caller may be ahead of that of the controller by so much. */
const MAX_CLOCK_ERROR_MS = 5 * 60_000;

/** Nobody leads when the Lease was not renewed for twice its time, and for minutes. */
function holderOf({ spec }: LeaseShape, nowMs: number): string | undefined {
  const renewedMs = timeMs(spec?.renewTime);
  const holder = spec?.holderIdentity ?? '';
  if (holder === '' || renewedMs === undefined) return undefined;
  const lifeMs = (spec?.leaseDurationSeconds ?? 15) * 1000;
  const ageMs = nowMs - renewedMs;
  if (ageMs <= 2 * lifeMs) return holder;
  return ageMs <= 2 * lifeMs + MAX_CLOCK_ERROR_MS ? LEADER_NOT_KNOWN : undefined;
}

async function whyStopped(
  { reader }: GatherContext,
  deployment: DeploymentShape,
): Promise<{ readonly reason: string; readonly message: string } | undefined> {
  const labels = (deployment.spec as { selector?: { matchLabels?: Record<string, string> } } | undefined)
    ?.selector?.matchLabels;
  if (labels === undefined) return undefined;
  const { namespace = '' } = deployment.metadata;
  const pods = listOr(await reader.list(PODS, { namespace, labels, atMost: 20 })) as readonly PodShape[];
  for (const pod of pods) {
    for (const { name, state = {}, lastState = {} } of pod.status?.containerStatuses ?? []) {
      const { waiting } = state;
      if (waiting === undefined) continue;
      const said = lastState.terminated?.message || (await lastWords(reader, pod, name, lastState));
      return {
        reason: waiting.reason ?? 'Waiting',
        message: withoutContainerSecrets(said || (waiting.message ?? '')),
      };
    }
    const unscheduled = pod.status?.conditions?.find(
      ({ type, status }) => type === 'PodScheduled' && status === 'False',
    );
    if (unscheduled !== undefined)
      return { reason: unscheduled.reason ?? 'Pending', message: unscheduled.message ?? '' };
  }
  return undefined;
}

/** The end of its log: a process that writes no termination message says there why it ended. */
async function lastWords(
  reader: GatherContext['reader'],
  { metadata: { name, namespace = '' } }: PodShape,
  container: string,
  { terminated }: ContainerState,
): Promise<string> {
  if (terminated === undefined) return '';
  const looked = await reader.log({ namespace, name }, container, true);
  return isFound(looked) ? (looked.found.trimEnd().split('\n').at(-1) ?? '') : '';
}

async function readSettings(
  { reader, recorder }: GatherContext,
  namespace: string,
): Promise<ReadObject | undefined> {
  const settings = await reader.get(CONFIG_MAPS, { namespace, name: GLOBAL_SETTINGS_NAME });
  if (isFound(settings)) return settings.found;
  if (settings.why !== 'notFound')
    recorder.addUnread('options', `ConfigMap ${namespace}/${GLOBAL_SETTINGS_NAME}`, settings);
  return undefined;
}

function readOptions(
  context: GatherContext,
  deployment: DeploymentShape,
  settings: ReadObject | undefined,
): OptionsEvidence {
  const { recorder } = context;
  const [container] = deployment.spec?.template?.spec?.containers ?? [];
  const given = container?.env ?? [];
  const env = Object.fromEntries(
    given.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  );
  const inputs: LayerInputs = {
    args: container?.args ?? [],
    env,
    configMap: settings === undefined ? undefined : dataOf(settings),
    readFile: () => '',
  };
  const resolved = context.cloud.options.resolve(inputs);
  const values: Record<string, OptionValue> = {};
  // A variable from a Secret or a ConfigMap has a value that cannot be seen: what is not known is not the default.
  const unseen = new Set(given.flatMap(({ name, value }) => (value === undefined ? [name] : [])));
  // Of a whole Secret or ConfigMap not even the names are seen. What the container names itself comes before it.
  const hidesAny = (container?.envFrom ?? []).length > 0;
  const isUnseen = (option: string) =>
    envNames(resolved.table[option]!).some((name) => unseen.has(name) || (hidesAny && !(name in env)));
  for (const { name, value, source, path } of printable(resolved.table, resolved.values))
    if (source !== 'hardcoded' || !isUnseen(name)) values[name] = { value, source, path };
  return {
    kind: 'options',
    reading: recorder.reading(`options of Deployment ${fullName(deployment)}`),
    values,
    problems: resolved.problems.flatMap(({ where, message, options }) => {
      const [option] = options;
      // What is set from a Secret, a file or not at all cannot be judged from here, nor what a dump hides.
      if (option === undefined || !isWritten(resolved.table, option, env, where)) return [];
      if (options.some((name) => isHidden(values[name]?.path ?? '', inputs))) return [];
      return [{ option, problem: `${where}: ${message}` }];
    }),
  };
}

/** The option has a value that can be seen, so that what is wrong with it is. */
function isWritten(
  table: OptionTable,
  option: string,
  env: Readonly<Record<string, string>>,
  where: string,
): boolean {
  const row = table[option];
  if (row === undefined) return false;
  return (
    where.startsWith(GLOBAL_SETTINGS_NAME) ||
    envNames(row).some((name) => name === where && (env[name] ?? '') !== '')
  );
}

/** A dump has the mark instead of the value, or of a part of it. */
function isHidden(path: string, { args, env, configMap = {} }: LayerInputs): boolean {
  if (path.startsWith('--'))
    return args.some(
      (text, index) =>
        (text.startsWith(`${path}=`) && text.includes(HIDDEN)) ||
        (text === path && args[index + 1]?.includes(HIDDEN) === true),
    );
  const folder = settingsPath('');
  const text = path.startsWith(folder) ? configMap[path.slice(folder.length)] : env[path];
  return text?.includes(HIDDEN) === true;
}

function dataOf(configMap: ReadObject): SettingsData {
  return (configMap['data'] ?? {}) as SettingsData;
}

/** ConfigMaps have no generation. Undefined: who changed what is not known, as in dumps of before. */
function dataChangedAtMs({ metadata }: ReadObject): number | undefined {
  const times = (metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => fieldsV1 !== undefined && 'f:data' in fieldsV1)
    .map(({ time }) => Date.parse(time ?? ''));
  return times.length === 0 || times.some(Number.isNaN) ? undefined : Math.max(...times);
}

/**
 * Fills an inventory from a cluster: pods, nodes, pools, volumes and everything else that scheduling reads. It only
 * sends list requests. A kind that is not installed or not permitted becomes a note; without pods and nodes the
 * simulation fails.
 */
import type { KubeObject } from '@chandler/kube';
import {
  CredentialsError,
  CSI_NODES,
  DAEMON_SETS,
  DEPLOYMENTS,
  Interner,
  isApiError,
  KubeClient,
  LIMIT_RANGES,
  loadCredentials,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  PRIORITY_CLASSES,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type ResourceRef,
  resourceName,
  SERVICES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
  shapedTransport,
  type Transport,
  TransportError,
  undiciTransport,
  type World,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_OVERLAYS, NODE_POOLS, type NodeClaim, type NodePool } from '../../api/index.ts';
import { DIAGNOSES } from '../../cloud/registry.ts';
import type { Environment } from '../../settings/index.ts';
import { trimOf } from '../../state/index.ts';

import { loginTerminal } from '../login-terminal.ts';
import { Failure } from '../verb.ts';
import { type Inventory, SELECTING } from './inventory.ts';
import { FREEZES, type FreezeHome, takeFreezes } from './live-freezes.ts';

export interface LiveOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string;
  readonly env: Environment;
  readonly world: World;
  readonly signal: AbortSignal;
  /** A connection that is open already. Default: one is opened with the credentials. */
  readonly transport?: Transport;
  /** The command, for the audit log of the API server. Default simulate. */
  readonly command?: string;
  /** Kinds that must be readable besides pods and nodes. */
  readonly needed?: readonly ResourceRef[];
  /** Read what selects pods, for default topology spread constraints. Default false. */
  readonly selectors?: boolean;
  /** Read the ConfigMap that stops disruption. Default false. */
  readonly freezes?: boolean;
  /** Read what gives requests to new pods, for pods of files. Default false: pods of the cluster have them. */
  readonly limitRanges?: boolean;
  /** Read the workloads that disruption may roll. Default false. */
  readonly workloads?: boolean;
}

export interface ClusterRead {
  /** For the reader. */
  readonly notes: readonly string[];
  /** Kinds that these credentials may not list: what is made of the inventory is without them. */
  readonly unread: readonly string[];
}

export interface WholeClusterRead extends ClusterRead {
  /** Where freezes count; empty where there are none. */
  readonly freezeHomes: readonly FreezeHome[];
}

/** @throws {Failure} when the cluster cannot be read. */
export async function readCluster(inventory: Inventory, options: LiveOptions): Promise<WholeClusterRead> {
  return throughCluster(options, async (transport, source) => {
    const { notes, unread } = await listCluster(inventory, transport, options.signal, options);
    const freezes =
      options.freezes === true
        ? await takeFreezes(inventory, new KubeClient({ transport }), options)
        : { notes: [], known: true, homes: [] };
    return {
      notes: [`Read from ${source}.`, ...notes, ...freezes.notes],
      unread: [...unread, ...(freezes.known ? [] : [FREEZES])],
      freezeHomes: freezes.homes,
    };
  });
}

/** Opens a connection, uses it, and closes it. @throws {Failure} when the cluster cannot be read. */
export async function throughCluster<T>(
  options: LiveOptions,
  use: (transport: Transport, source: string) => Promise<T>,
): Promise<T> {
  const { kubeconfig, context, env, world, transport: open } = options;
  try {
    if (open !== undefined) return await use(open, 'the cluster');
    const credentials = await loadCredentials({
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
      env,
      clock: world.clock,
      terminal: loginTerminal(),
    });
    const wire = undiciTransport(credentials);
    try {
      const host = new URL(credentials.server).host;
      const transport = shapedTransport(wire.send, {
        world,
        host,
        userAgent: `chandler-${options.command ?? 'simulate'}`,
        limited: false,
      });
      return await use(transport, credentials.source);
    } finally {
      await wire.close();
    }
  } catch (error) {
    if (error instanceof CredentialsError) throw new Failure(error.message);
    if (isApiError(error) || error instanceof TransportError) {
      throw new Failure(`the cluster cannot be read: ${error.message}`);
    }
    throw error;
  }
}

/** Lists everything that scheduling reads, through any transport. Freezes are not part of it. */
export async function listCluster(
  inventory: Inventory,
  transport: Transport,
  signal: AbortSignal,
  {
    needed = [],
    selectors = false,
    limitRanges = false,
    workloads = false,
  }: Pick<LiveOptions, 'needed' | 'selectors' | 'limitRanges' | 'workloads'> = {},
): Promise<ClusterRead> {
  const client = new KubeClient({ transport });
  const unread: string[] = [];
  const interner = new Interner();
  const take = async (resource: ResourceRef, list?: string) => {
    const trim = trimOf(resource);
    // As much of it as the controller keeps: the status of a pod that runs is its own.
    for await (const { items } of client.pages<KubeObject>(resource, { signal, limit: PAGE }))
      for (const item of items) inventory.addLive(resource.kind, trim(item, interner), list);
    if (list === undefined) inventory.noteListed(resource.kind);
  };
  for (const resource of [...NEEDED, ...needed]) await take(resource);
  const apart = new Set([...(selectors ? SELECTORS : []), ...(workloads ? WORKLOADS : [])]);
  const chosen = [...apart, ...(limitRanges ? [LIMIT_RANGES as ResourceRef] : [])];
  const nodeClasses = DIAGNOSES.flatMap((row) => row.nodeClasses);
  for (const resource of [...WELCOME, ...nodeClasses, ...chosen]) {
    try {
      // Their pods are read already, so that they are not workloads to expand.
      await take(resource, apart.has(resource) ? `${SELECTING}${resource.kind}` : undefined);
    } catch (error) {
      if (isApiError(error, 'forbidden')) {
        if (nodeClasses.includes(resource) && !isUsed(inventory, resource)) continue;
        unread.push(resourceName(resource));
      } else if (!isApiError(error, 'notFound')) throw error;
    }
  }
  const notes = unread.map((kind) => `${kind} cannot be listed with these credentials and are ignored.`);
  return { notes, unread };
}

// ---------------------------------------------------------------------------------------------------------------

/** A role for one cloud does not permit to list the node classes of another, which are not missed there. */
function isUsed(inventory: Inventory, { group, kind }: ResourceRef): boolean {
  const isOf = (reference: { readonly group: string; readonly kind: string }) =>
    reference.group === group && reference.kind === kind;
  return (
    inventory.objects<NodePool>('NodePool').some(({ spec }) => isOf(spec.template.spec.nodeClassRef)) ||
    inventory.objects<NodeClaim>('NodeClaim').some(({ spec }) => isOf(spec.nodeClassRef))
  );
}

const PAGE = 500;
const NEEDED: readonly ResourceRef[] = [NODES, PODS];
const WELCOME: readonly ResourceRef[] = [
  DAEMON_SETS,
  NAMESPACES,
  NODE_POOLS,
  NODE_CLAIMS,
  NODE_OVERLAYS,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  STORAGE_CLASSES,
  CSI_NODES,
  PRIORITY_CLASSES,
];
const SELECTORS: readonly ResourceRef[] = [
  SERVICES,
  REPLICA_SETS,
  STATEFUL_SETS,
  REPLICATION_CONTROLLERS,
] as readonly ResourceRef[];
const WORKLOADS: readonly ResourceRef[] = [
  DEPLOYMENTS,
  REPLICA_SETS,
  STATEFUL_SETS,
] as readonly ResourceRef[];

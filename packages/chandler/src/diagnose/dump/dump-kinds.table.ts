/**
 * The kinds that go into a dump whole, and the few objects of others. Pods and what belongs to them are chosen by
 * `dump-pods.ts`. Our own table, 2026-11; the order is that of the file.
 */
import {
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  EVENTS,
  LEASES,
  NAMESPACES,
  NODES,
  type ResourceRef,
  STORAGE_CLASSES,
} from '@chandler/kube';
import { LEASE_NAME, NODE_CLAIMS, NODE_OVERLAYS, NODE_POOLS } from '../../api/index.ts';
import type { ListFilter } from '../../causes/index.ts';
import { GLOBAL_SETTINGS_NAME } from '../../settings/index.ts';

import { CONTROLLER_LABELS } from '../evidence/controller-labels.ts';
import { KEPT_JOURNEYS_NAME } from '../kept-journeys.ts';

export interface DumpRow {
  readonly resource: ResourceRef;
  readonly filter?: ListFilter;
  /** Even where all are read, one that is absent proves nothing. */
  readonly partly?: true;
}

/** Beside these, the node classes of the cloud. Nodes first: custom resources alone may be unreadable, without their webhook. */
export const KINDS: readonly DumpRow[] = [
  { resource: NODES },
  { resource: NODE_POOLS },
  { resource: NODE_CLAIMS },
  { resource: NODE_OVERLAYS },
  { resource: DAEMON_SETS },
  { resource: NAMESPACES },
  { resource: STORAGE_CLASSES },
  { resource: EVENTS, filter: { namespace: 'default' } },
  { resource: LEASES, filter: { namespace: 'kube-node-lease' } },
];

/** The controller's own. */
export const SETTINGS: readonly DumpRow[] = [
  ...CONTROLLER_LABELS.map((labels) => ({ resource: DEPLOYMENTS, filter: { labels } })),
  { resource: LEASES, filter: { fields: { 'metadata.name': LEASE_NAME } } },
  { resource: CONFIG_MAPS, filter: { fields: { 'metadata.name': GLOBAL_SETTINGS_NAME } } },
  { resource: CONFIG_MAPS, filter: { fields: { 'metadata.name': KEPT_JOURNEYS_NAME } } },
];

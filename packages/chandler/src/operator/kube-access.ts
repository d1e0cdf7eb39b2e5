/**
 * The clients for the API server, each with its own traffic rules: controllers and stores share a rate limit and the
 * fence of the lease; events have their own rate limit, so that they do not delay work, and are fenced too; the lease
 * has no rate limit, or a busy controller would lose it.
 */

import { type Fence, KubeClient, shapedTransport, type Transport, type World } from '@chandler/kube';
import { CONTROLLER_USER_AGENT } from '../api/index.ts';
import type { OperatorValues } from './operator-options.ts';
import { withoutWrites } from './read-only.ts';

export interface KubeWire {
  /** Without rate limit and retries. */
  readonly transport: Transport;
  /** For the metrics of requests. */
  readonly host: string;
}

export interface KubeAccess {
  /** For stores and controllers. */
  readonly work: Transport;
  /** Reads beside the stores. */
  readonly reader: KubeClient;
  readonly events: KubeClient;
  readonly lease: KubeClient;
}

export interface KubeAccessOptions {
  readonly world: World;
  readonly wire: KubeWire;
  readonly values: OperatorValues;
  /** Absent without leader election. */
  readonly fence?: Fence | undefined;
  readonly observe: boolean;
}

export function kubeAccess({ world, wire, values, fence, observe }: KubeAccessOptions): KubeAccess {
  const { host } = wire;
  const bare = observe ? withoutWrites(wire.transport, world.metrics) : wire.transport;
  const limits = { qps: values.kubeClientQps.value, burst: values.kubeClientBurst.value };
  const shared = { world, host, userAgent: CONTROLLER_USER_AGENT };
  const guarded = { ...shared, ...(fence === undefined ? {} : { fence }) };
  const work = shapedTransport(bare, { ...guarded, ...limits });
  return {
    work,
    reader: new KubeClient({ transport: work }),
    events: new KubeClient({ transport: shapedTransport(bare, { ...guarded, ...EVENT_LIMITS }) }),
    lease: new KubeClient({ transport: shapedTransport(bare, { ...shared, limited: false }) }),
  };
}

// ---------------------------------------------------------------------------------------------------

/** As client-go's recorder has with a client of its own. */
const EVENT_LIMITS = { qps: 20, burst: 50 };

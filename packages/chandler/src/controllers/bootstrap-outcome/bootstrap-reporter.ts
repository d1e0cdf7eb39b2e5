/**
 * What people are told when a machine fails to become a node: a log line, a counter, events. It decides nothing. The event
 * on the claim comes last and has a name of its own, so a later process can see whether all of it was told.
 */
import type { KubeObject } from '@chandler/kube';
import { type Counter, EVENTS } from '@chandler/kube';
import { KarpenterLabel, NODE_CLAIMS, NODE_POOLS } from '../../api/index.ts';
import type { BootstrapFailure } from '../../cloud/index.ts';

import type { ControllerContext, ReconcileScope } from '../context.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';
import { CSE_FAILED } from './condition.ts';
import { imageName } from './image-name.ts';

/** Kubernetes takes no more; the code comes first, so it is never cut off. */
const EVENT_TEXT = 1000;
/** More series than this are told apart by no image: images come and go for ever. */
const MAX_SERIES = 500;
const OTHER = 'other';

export class BootstrapReporter {
  readonly #failures: Counter;
  readonly #series = new Set<string>();

  constructor(context: ControllerContext) {
    this.#failures = context.world.metrics.counter({
      name: 'chandler_cse_failures_total',
      help: 'Machines that failed to become nodes, by exit code of the provisioning script, its name, pool and image.',
      labels: ['code', 'constant', 'nodepool', 'image'],
    });
  }

  failed(
    { events, world }: ReconcileScope,
    claim: Claim,
    failure: BootstrapFailure,
    pool: KubeObject | undefined,
  ): void {
    const name = claim.metadata.name ?? '';
    const nodepool = claim.metadata.labels?.[KarpenterLabel.nodePool] ?? '';
    world.log.error('instance failed to bootstrap', {
      nodeclaim: name,
      nodepool,
      reason: CSE_FAILED,
      code: failure.code,
      constant: failure.constant,
      detail: failure.message,
      image: failure.image,
      lastCommand: failure.lastCommand,
      readFrom: failure.readFrom,
      deterministic: failure.deterministic,
      providerID: claim.status?.providerID,
    });
    const told = { type: 'Warning', reason: CSE_FAILED } as const;
    // The claim will be gone; the pool stays and can be described. Of many that fail alike one is named.
    if (pool !== undefined) {
      const onPool = cut(`NodeClaim ${name}: ${failure.message}`);
      const dedupeValues = [pool.metadata.uid ?? '', String(failure.code), imageName(failure.image)];
      events.publish({ ...told, resource: NODE_POOLS, object: pool, message: onPool, dedupeValues });
    }
    this.#count(failure, nodepool);
    const message = cut(failure.message);
    events.publish({ ...told, resource: NODE_CLAIMS, object: claim, message, name: eventName(claim) });
  }

  /** Whether the event on the claim is there. */
  async isReported({ client }: ReconcileScope, claim: Claim): Promise<boolean> {
    const key = { namespace: 'default', name: eventName(claim) };
    return (await client.find(EVENTS, key)) !== undefined;
  }

  #count({ code, constant, image }: BootstrapFailure, nodepool: string): void {
    const labels = {
      code: code === undefined ? 'none' : String(code),
      constant: constant ?? 'unknown',
      nodepool,
      image: imageName(image),
    };
    const key = Object.values(labels).join('\n');
    const known = this.#series.has(key);
    if (!known && this.#series.size < MAX_SERIES) this.#series.add(key);
    else if (!known) labels.image = OTHER;
    this.#failures.add(1, labels);
  }
}

// ---------------------------------------------------------------------------------------------------

/** Of the event on a claim: always the same for the same claim. */
function eventName({ metadata: { name = '', uid = '' } }: Claim): string {
  return `${name}.cse-failed-${uid.slice(0, 8)}`;
}

function cut(text: string): string {
  return text.length <= EVENT_TEXT ? text : `${text.slice(0, EVENT_TEXT - 1)}…`;
}

/**
 * Reports an instance that failed to bootstrap: a log line, a counter, events. It decides nothing. The event on the
 * claim is published last and has a fixed name, so that a later process can see whether the report is complete.
 */
import type { Stored } from '@chandler/kube';
import { type Counter, EVENTS } from '@chandler/kube';
import { KarpenterLabel, NODE_CLAIMS, NODE_POOLS } from '../../api/index.ts';
import type { BootstrapFailure } from '../../cloud/index.ts';

import type { ControllerContext, ReconcileScope } from '../context.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';
import { CSE_FAILED } from './condition.ts';
import { imageName } from './image-name.ts';

/** The longest message that Kubernetes accepts; the code comes first, so it is never cut off. */
const MAX_EVENT_LENGTH = 1000;
/** Further series have no image label: the number of images is not bounded. */
const MAX_SERIES = 500;
const OTHER_IMAGE = 'other';

export class BootstrapReporter {
  readonly #failures: Counter;
  readonly #series = new Set<string>();

  constructor(context: ControllerContext) {
    this.#failures = context.world.metrics.counter({
      name: 'chandler_cse_failures_total',
      help: 'Instances that failed to bootstrap, by exit code of the provisioning script, its name, pool and image.',
      labels: ['code', 'constant', 'nodepool', 'image'],
    });
  }

  failed(
    { events, world }: ReconcileScope,
    claim: Claim,
    failure: BootstrapFailure,
    pool: Stored | undefined,
  ): void {
    const name = claim.metadata.name;
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
    const event = { type: 'Warning', reason: CSE_FAILED } as const;
    // The claim is deleted later; the pool stays and can be described. Of many equal failures one is named.
    if (pool !== undefined) {
      const onPool = cut(`NodeClaim ${name}: ${failure.message}`);
      const dedupeValues = [pool.metadata.uid, String(failure.code), imageName(failure.image)];
      events.publish({ ...event, resource: NODE_POOLS, object: pool, message: onPool, dedupeValues });
    }
    this.#count(failure, nodepool);
    const message = cut(failure.message);
    events.publish({ ...event, resource: NODE_CLAIMS, object: claim, message, name: eventName(claim) });
  }

  /** Whether the event on the claim exists. */
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
    else if (!known) labels.image = OTHER_IMAGE;
    this.#failures.add(1, labels);
  }
}

// ---------------------------------------------------------------------------------------------------

/** The name of the event on a claim: always the same for the same claim. */
function eventName({ metadata: { name, uid } }: Claim): string {
  return `${name}.cse-failed-${uid.slice(0, 8)}`;
}

function cut(text: string): string {
  return text.length <= MAX_EVENT_LENGTH ? text : `${text.slice(0, MAX_EVENT_LENGTH - 1)}…`;
}

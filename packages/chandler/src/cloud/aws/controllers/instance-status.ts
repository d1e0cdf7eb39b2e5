/**
 * Instances that EC2 reports as impaired or scheduled for maintenance: asked for every minute, with or without a queue. Without
 * the permission it says so once, and looks again after an hour.
 */
import {
  type Controller,
  isProgramError,
  itemBackoff,
  type Result,
  singleton,
  type World,
} from '@chandler/kube';
import { type CloudError, isCloudError } from '../../index.ts';
import { asCloudError } from '../errors/index.ts';
import {
  type InstanceStatus,
  type InterruptionKind,
  STATUS_FILTERS,
  statusInterruptions,
} from '../interruption/index.ts';
import { allPages, type Ec2Calls } from '../wire/index.ts';
import type { ActionScope, InterruptionActions } from './interruption-actions.ts';

export interface InstanceStatusInput {
  readonly world: World;
  readonly ec2: Pick<Ec2Calls, 'describeInstanceStatus'>;
  readonly actions: InterruptionActions;
}

export function instanceStatus(input: InstanceStatusInput): Controller {
  const pass = new InstanceStatusPass(input);
  return singleton({
    name: 'interruption.instancestatus',
    world: input.world,
    everyMs: PERIOD_MS,
    limiter: itemBackoff({ baseMs: 5_000, maxMs: PERIOD_MS }),
    run: (scope) => pass.run(scope),
  });
}

const PERIOD_MS = 60_000;
const DENIED_MS = 60 * 60_000;

export class InstanceStatusPass {
  readonly #input: InstanceStatusInput;
  readonly #unhealthy;
  /** What was counted already, by instance and kind. */
  #seen: ReadonlySet<string> = new Set();
  #saidDenied = false;

  constructor(input: InstanceStatusInput) {
    this.#input = input;
    this.#unhealthy = input.world.metrics.counter({
      name: 'karpenter_interruption_instance_status_unhealthy_total',
      help: 'Instances of this cluster that EC2 reported as unhealthy, by the check that failed.',
      labels: ['category'],
    });
  }

  async run(scope: ActionScope): Promise<Result> {
    const { world, actions } = this.#input;
    const statuses = await this.#statuses(scope);
    if (statuses === undefined) return { requeueAfterMs: DENIED_MS };
    const owners = actions.owners();
    const seen = new Set<string>();
    const failures: unknown[] = [];
    for (const found of statusInterruptions(statuses, world.clock.now())) {
      try {
        for (const claim of await actions.carryOut(found, owners, scope)) {
          const key = `${found.kind} ${claim.metadata.uid}`;
          seen.add(key);
          if (!this.#seen.has(key))
            this.#unhealthy.add(1, { category: CATEGORIES[found.kind] ?? found.kind });
        }
      } catch (error) {
        scope.signal.throwIfAborted();
        failures.push(error);
      }
    }
    this.#seen = seen;
    if (failures.length > 0) throw failures.find(isProgramError) ?? failures[0];
    return { requeueAfterMs: PERIOD_MS };
  }

  /** Undefined without the permission. */
  async #statuses({ signal, log }: ActionScope): Promise<readonly InstanceStatus[] | undefined> {
    const { ec2 } = this.#input;
    try {
      const lists: (readonly InstanceStatus[])[] = [];
      for (const filter of STATUS_FILTERS)
        lists.push(
          await allPages(
            ec2.describeInstanceStatus,
            { Filters: [{ ...filter }], MaxResults: 1000 },
            ({ InstanceStatuses }) => InstanceStatuses as readonly InstanceStatus[] | undefined,
            { signal },
          ),
        );
      this.#saidDenied = false;
      return lists.flat();
    } catch (error) {
      signal.throwIfAborted();
      const said = asCloudError(error);
      if (!isDenied(said)) throw said;
      if (!this.#saidDenied)
        log.warn('instances that EC2 reports as unhealthy are not found: the permission is missing', {
          reason: said.reason,
          error: said.message,
        });
      this.#saidDenied = true;
      return undefined;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** As Karpenter calls the checks in its metric. */
const CATEGORIES: Partial<Record<InterruptionKind, string>> = {
  instance_status: 'InstanceStatus',
  system_status: 'SystemStatus',
  event_status: 'EventStatus',
};

/** Not a clock that is wrong, nor credentials that expired: these come back. */
function isDenied(error: CloudError): boolean {
  return isCloudError(error, 'Unauthorized') && error.reason === 'Unauthorized';
}

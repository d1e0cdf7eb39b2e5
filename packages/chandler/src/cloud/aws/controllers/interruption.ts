/**
 * Receives the messages of the interruption queue and acts on them. A message is deleted when everything it asks for is done;
 * otherwise the queue delivers it again, to this replica or to the next leader. So a message may be handled twice, which does no
 * harm. What cannot be read is counted, logged without its text, and deleted.
 */
import {
  type Controller,
  isProgramError,
  itemBackoff,
  type Log,
  type Result,
  singleton,
  type World,
} from '@chandler/kube';
import { DURATION_BUCKETS } from '../../index.ts';
import {
  type Interruption,
  parseMessage,
  type QueueMessage,
  type QueueReader,
} from '../interruption/index.ts';
import type { ActionScope, InterruptionActions, Owners } from './interruption-actions.ts';

export interface InterruptionInput {
  readonly world: World;
  readonly queue: Pick<QueueReader, 'name' | 'receive' | 'delete'>;
  readonly actions: InterruptionActions;
}

export function interruption(input: InterruptionInput): Controller {
  const pass = new InterruptionPass(input);
  return singleton({
    name: 'interruption',
    world: input.world,
    everyMs: 0,
    // Shorter than a spot instance has left after its warning.
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 30_000 }),
    run: (scope) => pass.run(scope),
  });
}

/** An answer that comes earlier, and is empty, was no long poll. */
const MIN_POLL_MS = 1_000;
/** How long a message about an unknown instance waits for the claim that is being launched. */
const UNKNOWN_MS = 120_000;

export class InterruptionPass {
  readonly #input: InterruptionInput;
  readonly #metrics: ReturnType<typeof queueMetrics>;
  #watching = false;

  constructor(input: InterruptionInput) {
    this.#input = input;
    this.#metrics = queueMetrics(input.world);
  }

  /** @throws {CloudError} when the queue cannot be read; the controller calls again after a pause. */
  async run(scope: ActionScope): Promise<Result> {
    const { world, queue, actions } = this.#input;
    const startMs = world.clock.monotonic();
    const messages = await queue.receive(scope.signal);
    if (!this.#watching) scope.log.info('watching interruption queue', { queue: queue.name });
    this.#watching = true;
    if (messages.length === 0)
      return { requeueAfterMs: Math.max(0, startMs + MIN_POLL_MS - world.clock.monotonic()) };
    const owners = actions.owners();
    const results = await Promise.allSettled(messages.map((message) => this.#handle(message, owners, scope)));
    scope.signal.throwIfAborted();
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    const bug = failures.find(isProgramError);
    if (bug !== undefined) throw bug;
    for (const failure of failures)
      scope.log.warn('interruption message was not handled; the queue delivers it again', {
        queue: queue.name,
        error: String(failure),
      });
    return { requeueAfterMs: failures.length === 0 ? 0 : MIN_POLL_MS };
  }

  async #handle(message: QueueMessage, owners: Owners, scope: ActionScope): Promise<void> {
    const { world, actions, queue } = this.#input;
    const parsed = parseMessage(message.body);
    switch (parsed.is) {
      case 'broken':
        this.#metrics.unreadable.add(1);
        scope.log.warn('interruption message cannot be read; deleting it', {
          queue: queue.name,
          message: message.id,
          problem: parsed.problem,
        });
        break;
      case 'ignored':
        this.#metrics.received.add(1, { message_type: 'no_op' });
        scope.log.debug('interruption message is ignored', { message: message.id, why: parsed.why });
        break;
      case 'interruption': {
        const { interruption: said } = parsed;
        this.#metrics.received.add(1, { message_type: said.kind });
        await actions.carryOut(said, owners, scope);
        if (this.#mayBeOfLaunch(said, message, owners, scope.log)) return;
        if (said.atMs !== undefined)
          this.#metrics.latency.observe(Math.max(0, world.clock.now() - said.atMs) / 1000);
        break;
      }
    }
    await queue.delete(message, scope.signal);
    this.#metrics.deleted.add(1);
  }

  /** The instance of a claim is known a moment after EC2 has launched it; a warning in between is not lost. */
  #mayBeOfLaunch(
    { kind, instanceIds }: Interruption,
    { sentAtMs, id }: QueueMessage,
    owners: Owners,
    log: Log,
  ): boolean {
    if (!owners.launching || !WARNINGS.has(kind)) return false;
    if (instanceIds.every((each) => owners.claimOf(each) !== undefined)) return false;
    const isYoung = sentAtMs !== undefined && this.#input.world.clock.now() - sentAtMs < UNKNOWN_MS;
    if (isYoung) log.debug('interruption message waits for a launch in flight', { message: id, kind });
    return isYoung;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** Those that give time. Of an instance that ends already, garbage collection takes care. */
const WARNINGS: ReadonlySet<string> = new Set(['spot_interrupted', 'capacity_reservation_interrupted']);

function queueMetrics({ metrics }: World) {
  return {
    received: metrics.counter({
      name: 'karpenter_interruption_received_messages_total',
      help: 'Messages received from the interruption queue, by what they say.',
      labels: ['message_type'],
    }),
    deleted: metrics.counter({
      name: 'karpenter_interruption_deleted_messages_total',
      help: 'Messages deleted from the interruption queue.',
    }),
    latency: metrics.histogram({
      name: 'karpenter_interruption_message_queue_duration_seconds',
      help: 'Time from the event to the end of its handling.',
      buckets: DURATION_BUCKETS,
    }),
    unreadable: metrics.counter({
      name: 'chandler_interruption_unreadable_messages_total',
      help: 'Messages of the interruption queue that could not be read, and were deleted.',
    }),
  };
}

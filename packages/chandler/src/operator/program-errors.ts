/**
 * Reports errors of the program, such as a TypeError: counts those of background tasks, and publishes an event on the
 * Lease of the controller. Errors of reconcilers are counted by the controller loop.
 */
import {
  type Controller,
  countProgramError,
  type EventRecorder,
  isProgramError,
  LEASES,
  type Stored,
  type World,
} from '@chandler/kube';

export const PROGRAM_ERROR = 'ProgramError';

export interface ProgramErrorsOptions {
  readonly world: Pick<World, 'metrics'>;
  /** Undefined while this replica does not lead: only the leader publishes events. */
  readonly events: () => EventRecorder | undefined;
  /** The Lease of leader election. */
  readonly lease: () => { readonly namespace: string; readonly name: string };
}

export class ProgramErrors {
  readonly #options: ProgramErrorsOptions;

  constructor(options: ProgramErrorsOptions) {
    this.#options = options;
  }

  watch(controllers: readonly Controller[]): void {
    for (const controller of controllers)
      controller.onProgramError((key, error) =>
        this.#publish(`the controller ${controller.name}`, key, error),
      );
  }

  /** Does nothing for any other error. */
  ofTask(task: string, error: unknown): void {
    if (!isProgramError(error)) return;
    countProgramError(this.#options.world.metrics, task);
    this.#publish(`the background task ${task}`, '', error);
  }

  #publish(component: string, key: string, error: unknown): void {
    const { events, lease } = this.#options;
    const { namespace, name } = lease();
    const on = key === '' ? '' : ` on ${key}`;
    events()?.publish({
      resource: LEASES,
      object: { metadata: { namespace, name, uid: '', resourceVersion: '' } } as Stored,
      type: 'Warning',
      reason: PROGRAM_ERROR,
      message: `${component} failed${on} because of a bug: ${String(error)}. It retries; report it with the log of the controller.`,
      dedupeValues: [component, String(error)],
    });
  }
}

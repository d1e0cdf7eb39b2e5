/** Runs the controller of one cloud: starts it after the other parts, and restarts it when it has lost its lease. */
import { type Clock, pinoLog, type World } from '@chandler/kube';
import type { ControllerFolder, Playground, RunningController } from '../../playground/index.ts';
import { activityLog } from './activity-log.ts';
import type { AdjustableClock } from './adjustable-clock.ts';
import type { Display } from './display.ts';

export interface SupervisorOptions {
  readonly world: World & { readonly clock: AdjustableClock };
  /** Of the reader: Ctrl-C takes effect quickly, whatever the speed. */
  readonly readersClock: Clock;
  readonly running: Playground;
  readonly kubeconfig: string;
  readonly folder: ControllerFolder;
  readonly display: Display;
  readonly args: readonly string[];
}

export class Supervisor {
  /** Resolves when the controller becomes leader for the first time. @throws when it cannot be started. */
  readonly leading: Promise<void>;
  readonly #options: SupervisorOptions;
  #current: RunningController | undefined;
  #stopped = false;
  /** In fast time a lease of 15 s expires before it can be renewed. There is only one controller for each cloud. */
  #hasElection: boolean;
  #running: Promise<void> | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#hasElection = options.world.clock.speed === 1;
    this.leading = new Promise((resolve, reject) => {
      this.#running = this.#run(resolve).catch((error: unknown) => {
        // Errors that are caused by the stop itself are not reported.
        if (this.#stopped) return;
        this.#report(`controller failed: ${messageOf(error)}`, true);
        this.#state = 'failed';
        reject(error instanceof Error ? error : new Error(String(error)));
      });
    });
    // Not every caller awaits it; without a handler a failed start would end the process.
    this.leading.catch(() => undefined);
  }

  /** Before time runs at another speed: the controller is started again without leader election, if it has one. */
  async dropElection(): Promise<void> {
    if (!this.#hasElection) return;
    this.#hasElection = false;
    this.#report('is restarted without leader election: at another speed a lease would expire');
    await this.#current?.stop();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const { readersClock } = this.#options;
    const ended = Promise.all([this.#current?.stop(), this.#running]);
    // Its own limit is in cluster time, by the speed at its start; time may run slower by now.
    await Promise.race([ended, readersClock.sleep(2 * STOP_LIMIT_MS)]);
  }

  async #run(onLeading: () => void): Promise<void> {
    while (!this.#stopped) {
      this.#state = 'starting';
      const hasElection = this.#hasElection;
      const controller = await this.#start(hasElection);
      this.#current = controller;
      if (this.#stopped || hasElection !== this.#hasElection) await controller.stop();
      await Promise.race([controller.leading, controller.operator.ended]);
      if (this.#stopped) return;
      if (hasElection !== this.#hasElection) {
        await controller.stop();
        continue;
      }
      this.#state = 'leading';
      this.#report(`is the leader; metrics: ${controller.url}/metrics`);
      onLeading();
      const end = await controller.operator.ended;
      await controller.stop();
      // For example after a laptop was suspended.
      if (end === 'lostLease') this.#report('lost its lease and is restarted', true);
    }
  }

  async #start(hasElection: boolean): Promise<RunningController> {
    const { world, running, folder, kubeconfig, args } = this.#options;
    // Loaded late: the SDKs are large, and the cluster is usable before they are loaded.
    const { startController } = await import('../../playground/controller.ts');
    const { display } = this.#options;
    const { clock } = world;
    const file = pinoLog({ now: () => clock.now(), destination: folder.log, level: 'info' });
    return startController({
      world,
      log: activityLog({
        minLevel: 'error',
        clock,
        forwardTo: file,
        skip: isStageFailure,
        report: (activity) => display.report(activity),
      }),
      playground: running,
      cloud: folder.cloud,
      files: folder.files,
      kubeconfig,
      args: hasElection ? args : ['--disable-leader-election', ...args],
      stopLimitMs: STOP_LIMIT_MS * clock.speed,
      serveMetrics: true,
    });
  }

  set #state(state: string) {
    const { display, folder } = this.#options;
    display.controllers.set(folder.cloud.title, state);
  }

  #report(message: string, warning = false): void {
    const { world, display, folder, running } = this.#options;
    const text = running.clouds.length > 1 ? `${folder.cloud.title}: ${message}` : message;
    display.report({ atMs: world.clock.now(), topic: 'controller', text, ...(warning ? { warning } : {}) });
  }
}

// ---------------------------------------------------------------------------------------------------

/** Ctrl-C should take effect quickly. */
const STOP_LIMIT_MS = 3_000;

/** Failures of a stage are reported from the conditions of the NodeClaim. */
const isStageFailure = (message: string) => message.startsWith('stage ');

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

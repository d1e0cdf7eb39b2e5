/** Keeps a controller running beside the playground: started once everything else is up, and again when it lost its lease. */
import { pinoLog, type World } from '@chandler/kube';
import type { Playground, PlaygroundFiles, RunningController } from '../../playground/index.ts';

import type { Display } from './display.ts';

import { newsLog } from './news-log.ts';

export interface SupervisorOptions {
  readonly world: World;
  readonly running: Playground;
  readonly files: PlaygroundFiles;
  readonly display: Display;
  readonly speed: number;
  readonly args: readonly string[];
}

export class Supervisor {
  /** Resolves when it leads for the first time. @throws when it cannot be started. */
  readonly leading: Promise<void>;
  readonly #options: SupervisorOptions;
  #current: RunningController | undefined;
  #stopped = false;
  #running: Promise<void> | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.leading = new Promise((resolve, reject) => {
      this.#running = this.#run(resolve).catch((error: unknown) => {
        // What goes wrong because everything ends is nobody's business.
        if (this.#stopped) return;
        this.#tell(`controller failed: ${messageOf(error)}`, true);
        this.#options.display.controller = 'failed';
        reject(error instanceof Error ? error : new Error(String(error)));
      });
    });
    // Whoever waits for it is told; nobody need wait.
    this.leading.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#current?.stop();
    await this.#running;
  }

  async #run(led: () => void): Promise<void> {
    const { display } = this.#options;
    while (!this.#stopped) {
      display.controller = 'starting';
      const controller = await this.#start();
      this.#current = controller;
      if (this.#stopped) await controller.stop();
      await Promise.race([controller.leading, controller.operator.ended]);
      if (this.#stopped) return;
      display.controller = 'leading';
      this.#tell(`leads; metrics are on ${controller.url}/metrics`);
      led();
      const end = await controller.operator.ended;
      await controller.stop();
      // A laptop that slept, say.
      if (end === 'lostLease') this.#tell('lost its lease, and is started again', true);
    }
  }

  async #start(): Promise<RunningController> {
    const { world, running, files, speed, args } = this.#options;
    // Here and not above: the SDKs behind it are large, and a cluster is up before they are loaded.
    const { startController } = await import('../../playground/index.ts');
    const { display } = this.#options;
    const { clock } = world;
    const file = pinoLog({ now: () => clock.now(), destination: files.log!, level: 'info' });
    return startController({
      world,
      log: newsLog({ from: 'error', clock, also: file, except: isStage, tell: (news) => display.tell(news) }),
      playground: running,
      files: files.azure!,
      kubeconfig: files.kubeconfig,
      // A lease of 15 s is over before it is renewed where a minute takes a second; there is one controller only.
      args: speed === 1 ? args : ['--disable-leader-election', ...args],
      stopLimitMs: STOP_LIMIT_MS * speed,
      doors: true,
    });
  }

  #tell(text: string, warning = false): void {
    const { world, display } = this.#options;
    display.tell({ atMs: world.clock.now(), topic: 'controller', text, ...(warning ? { warning } : {}) });
  }
}

// ---------------------------------------------------------------------------------------------------

/** Whoever pressed Ctrl-C does not want to wait. */
const STOP_LIMIT_MS = 3_000;

/** How far a claim came is told by its conditions. */
const isStage = (message: string) => message.startsWith('stage ');

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

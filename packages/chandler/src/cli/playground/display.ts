/** Shows the activity of a playground: as a full-screen view in a terminal, or as lines. */

import type { Clock, Log, World } from '@chandler/kube';
import { escapeControls } from '../../causes/index.ts';
import {
  type Activity,
  ClusterWatch,
  CostMeter,
  joinedInstances,
  type Playground,
  readClusterView,
  reportActivity,
} from '../../playground/index.ts';
import { openScreen, type Screen, type ScreenOutput } from '../terminal/screen.ts';
import type { Terminal } from '../verb.ts';
import { activityLog } from './activity-log.ts';
import type { AdjustableClock } from './adjustable-clock.ts';
import { activityLine } from './messages.ts';
import { costText, renderView } from './view.ts';

export interface DisplayOptions {
  readonly terminal: Terminal;
  readonly output: 'text' | 'json';
  /** Where the view is drawn. Undefined: activity is printed as lines. */
  readonly screen: ScreenOutput | undefined;
  /** Wall-clock time of the reader, not cluster time. */
  readonly readersClock: Clock;
}

export interface DisplayedPlayground {
  readonly world: World & { readonly clock: AdjustableClock };
  readonly running: Playground;
  readonly kubeconfig: string;
  /** The address of the page; undefined: there is none. */
  readonly page: string | undefined;
}

export class Display {
  scenario: string | undefined;
  /** By the cloud that a controller works on: `starting`, `leading` or `failed`. */
  readonly controllers = new Map<string, string>();
  readonly #options: DisplayOptions;
  #activities: Activity[] = [];
  #screen: Screen | undefined;
  #closed = false;
  #lastCost = '';
  #closing: (() => Promise<void> | void)[] = [];

  constructor(options: DisplayOptions) {
    this.#options = options;
  }

  /** The log of the playground itself. With a view it must not write to the terminal. */
  log(defaultLog: Log, clock: Clock): Log {
    if (this.#options.screen === undefined) return defaultLog;
    return activityLog({ minLevel: 'warn', clock, report: (activity) => this.report(activity) });
  }

  report(activity: Activity): void {
    if (this.#closed) return;
    if (this.#options.screen !== undefined) {
      this.#activities.push(activity);
      if (this.#activities.length > MAX_ACTIVITIES)
        this.#activities = this.#activities.slice(-MAX_ACTIVITIES / 2);
      return;
    }
    this.#options.terminal.out(escapeControls(activityLine(activity, this.#options.output)));
  }

  /** Starts to show activity. */
  open({ world, running, kubeconfig, page: address }: DisplayedPlayground): void {
    const watch = new ClusterWatch(world, running);
    const { readersClock, screen, terminal } = this.#options;
    const stopReporting = reportActivity({
      watch,
      clock: world.clock,
      readersClock,
      report: (activity) => this.report(activity),
    });
    watch.start();
    this.#closing = [() => watch.stop(), stopReporting];
    const cloud = joinedInstances(running.clouds);
    const costMeter = cloud === undefined ? undefined : new CostMeter(cloud);
    if (costMeter !== undefined) this.#lastCost = costText(costMeter.read());
    if (screen === undefined) {
      if (costMeter !== undefined)
        this.#closing.push(
          every(readersClock, COST_INTERVAL_MS, () => this.#reportCost(costMeter, world.clock)),
        );
      return;
    }
    const page = openScreen(screen);
    const draw = () => {
      const { scenario } = this;
      const controller = controllersText(this.controllers);
      const nowMs = world.clock.now();
      const activities = this.#activities;
      const cost = costMeter?.read();
      const view = readClusterView({
        nowMs,
        speed: world.clock.speed,
        controller,
        scenario,
        activities,
        kubeconfig,
        page: address,
        watch,
        cost,
        cloud,
      });
      page.draw(renderView(view, { columns: page.columns, rows: page.rows, color: terminal.color }));
    };
    this.#screen = page;
    this.#closing.push(every(readersClock, REDRAW_INTERVAL_MS, draw));
  }

  /** When it has changed. */
  #reportCost(meter: CostMeter, clock: Clock): void {
    const text = costText(meter.read());
    if (text === this.#lastCost) return;
    this.#lastCost = text;
    this.report({ atMs: clock.now(), topic: 'cost', text });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const close of this.#closing.reverse()) await close();
    this.#closing = [];
    this.#screen?.close();
  }
}

// ---------------------------------------------------------------------------------------------------

const MAX_ACTIVITIES = 400;
const REDRAW_INTERVAL_MS = 250;
const COST_INTERVAL_MS = 1_000;

function controllersText(states: ReadonlyMap<string, string>): string {
  if (states.size <= 1) return [...states.values()][0] ?? 'off';
  return [...states].map(([cloud, state]) => `${cloud} ${state}`).join(', ');
}

function every(clock: Clock, periodMs: number, task: () => void): () => void {
  let timer = clock.after(0, function repeat() {
    task();
    timer = clock.after(periodMs, repeat);
  });
  return () => timer.cancel();
}

/** How a playground shows what happens: as a view of the whole terminal, or as lines. */
import type { Clock, Log, World } from '@chandler/kube';
import {
  type Activity,
  ClusterWatch,
  CostMeter,
  type Playground,
  reportActivity,
  takePicture,
} from '../../playground/index.ts';
import type { Terminal } from '../verb.ts';

import { newsLog } from './news-log.ts';

import { openScreen, type Screen, type ScreenOutput } from './screen.ts';
import { renderView } from './view.ts';
import { newsLine } from './words.ts';

export interface DisplayOptions {
  readonly terminal: Terminal;
  readonly output: 'text' | 'json';
  /** Where the view is drawn; undefined: lines. */
  readonly screen: ScreenOutput | undefined;
  /** The one of whoever looks, not the cluster's. */
  readonly readersClock: Clock;
  readonly speed: number;
}

export interface Shown {
  readonly world: World;
  readonly running: Playground;
  readonly kubeconfig: string;
}

export class Display {
  /** `starting`, `leading`, `off` or what went wrong. */
  controller = 'off';
  story: string | undefined;
  readonly #options: DisplayOptions;
  #news: Activity[] = [];
  #screen: Screen | undefined;
  #closed = false;
  #closing: (() => Promise<void> | void)[] = [];

  constructor(options: DisplayOptions) {
    this.#options = options;
  }

  /** The log of the playground's own parts, which must not write across the view. */
  log(usual: Log, clock: Clock): Log {
    if (this.#options.screen === undefined) return usual;
    return newsLog({ from: 'warn', clock, tell: (news) => this.tell(news) });
  }

  tell(news: Activity): void {
    if (this.#closed) return;
    if (this.#options.screen !== undefined) {
      this.#news.push(news);
      if (this.#news.length > KEPT_NEWS) this.#news = this.#news.slice(-KEPT_NEWS / 2);
      return;
    }
    this.#options.terminal.out(newsLine(news, this.#options.output));
  }

  /** Shows what happens from now on. */
  open({ world, running, kubeconfig }: Shown): void {
    const watch = new ClusterWatch(world, running);
    const { readersClock, screen, terminal, speed } = this.#options;
    const end = reportActivity({ watch, clock: world.clock, readersClock, tell: (news) => this.tell(news) });
    watch.start();
    this.#closing = [() => watch.stop(), end];
    if (screen === undefined) return;
    const page = openScreen(screen);
    const bills = running.azure === undefined ? undefined : new CostMeter(running.azure);
    const draw = () => {
      const { controller, story } = this;
      const nowMs = world.clock.now();
      const news = this.#news;
      const bill = bills?.now();
      const picture = takePicture({ nowMs, speed, controller, story, news, kubeconfig, watch, bill });
      page.draw(renderView(picture, { columns: page.columns, rows: page.rows, color: terminal.color }));
    };
    this.#screen = page;
    this.#closing.push(every(readersClock, REDRAW_MS, draw));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const end of this.#closing.reverse()) await end();
    this.#closing = [];
    this.#screen?.close();
  }
}

// ---------------------------------------------------------------------------------------------------

const KEPT_NEWS = 400;
const REDRAW_MS = 250;

function every(clock: Clock, periodMs: number, task: () => void): () => void {
  let timer = clock.after(0, function again() {
    task();
    timer = clock.after(periodMs, again);
  });
  return () => timer.cancel();
}

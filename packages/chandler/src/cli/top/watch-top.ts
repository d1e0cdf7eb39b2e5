/**
 * `chandler top --watch`: in a terminal a view that is drawn in place and answers to keys, otherwise a frame whenever
 * something has changed.
 */
import type { World } from '@chandler/kube';
import { NO_PRICES, type Prices, topNodes } from '../../dashboard/index.ts';
import { type Key, openKeys } from '../terminal/keys.ts';
import { clockTime } from '../terminal/paint.ts';
import { openScreen, type Screen } from '../terminal/screen.ts';
import { EXIT_OK } from '../verb.ts';
import { SORT_KEYS } from './choose-nodes.ts';
import { type FrameChoice, frameOf, type TopView } from './frame.ts';
import { priceKey, readPrices } from './prices.ts';
import { withProgress } from './progress.ts';
import { renderTop, type TopFrame } from './render-top.ts';
import { topJson } from './top-json.ts';
import type { TopObjects } from './top-objects.ts';
import type { TopRequest } from './top-request.ts';

/** The exit code is 0 however the watch is ended: by a key, Ctrl-C or a signal. Before the first frame it is interrupted. */
export async function watchTop(request: TopRequest, objects: TopObjects, world: World): Promise<number> {
  const { screen, keys, output, live } = request;
  const { clock } = world;
  let changes = 1;
  const source = new ViewSource(objects, request.catalogue);
  const progress = () => `reading the cluster: ${objects.podsRead} pods …`;
  const reading = () =>
    objects.watch(() => {
      changes += 1;
    });
  await withProgress(request, clock, progress, reading, () => objects.unanswered());
  const quit = new AbortController();
  const stopped = AbortSignal.any([live.signal, quit.signal]);
  const inPlace = screen !== undefined && output !== 'json';
  const watched: Watched = inPlace
    ? new ScreenFrames(openScreen(screen), request)
    : new PrintedFrames(request);
  let wake = new AbortController();
  const closeKeys =
    inPlace && keys !== undefined
      ? openKeys(keys, (key) => {
          if (key === 'quit') quit.abort();
          else if (watched.pressed(key)) wake.abort();
        })
      : () => undefined;
  try {
    let [seen, readAtMs] = [0, 0];
    let view: TopView | undefined;
    while (!stopped.aborted) {
      // Reasons for staying expire by themselves.
      if (view === undefined || changes !== seen || clock.monotonic() - readAtMs > REREAD_MS) {
        seen = changes;
        readAtMs = clock.monotonic();
        view = await source.read(clock.now());
      }
      watched.show(view, clock.now(), objects.problems());
      wake = new AbortController();
      await clock.sleep(watched.intervalMs, AbortSignal.any([stopped, wake.signal])).catch(() => undefined);
    }
    return EXIT_OK;
  } finally {
    closeKeys();
    watched.close();
  }
}

/** The same text without what changes by itself. */
export function gistOf(frame: TopFrame): string {
  return JSON.stringify(
    topJson({ ...frame, nowMs: 0, nodes: frame.nodes.map((node) => ({ ...node, createdMs: 0 })) }),
  );
}

// ---------------------------------------------------------------------------------------------------

const REREAD_MS = 60_000;

interface Watched {
  readonly intervalMs: number;
  show(view: TopView, nowMs: number, problems: readonly string[]): void;
  /** Whether to show it again at once. */
  pressed(key: Key): boolean;
  close(): void;
}

/** The view, with prices that are read again when a NodePool or node class has changed. */
class ViewSource {
  readonly #objects: TopObjects;
  readonly #catalogue: string | undefined;
  #prices: Prices = NO_PRICES;
  #priceKey: string | undefined;

  constructor(objects: TopObjects, catalogue: string | undefined) {
    this.#objects = objects;
    this.#catalogue = catalogue;
  }

  async read(nowMs: number): Promise<TopView> {
    const objects = this.#objects;
    const key = priceKey(objects);
    if (key !== this.#priceKey) {
      this.#prices = await readPrices(objects, this.#catalogue);
      this.#priceKey = key;
    }
    return {
      nodes: topNodes(objects, this.#prices, nowMs),
      pendingPods: objects.pods?.pending,
      notes: [...objects.notes, ...this.#prices.notes],
    };
  }
}

class ScreenFrames implements Watched {
  readonly intervalMs = 500;
  readonly #screen: Screen;
  readonly #request: TopRequest;
  #choice: FrameChoice;
  #offset = 0;
  #page = 1;
  #nodes = 0;

  constructor(screen: Screen, request: TopRequest) {
    this.#screen = screen;
    this.#request = request;
    this.#choice = request;
  }

  show(view: TopView, nowMs: number, problems: readonly string[]): void {
    const { columns, rows } = this.#screen;
    const { terminal, output } = this.#request;
    const { choice, sort, reverse } = this.#choice;
    const order = `${sort}${reverse ? ', reversed' : ''}`;
    const title = `chandler top  ${clockTime(nowMs)}  by ${order}  (q quit, s sort, r reverse, arrows scroll)`;
    const frame = { ...frameOf(view, { choice, sort, reverse }, nowMs), title, problems };
    this.#nodes = frame.nodes.length;
    const size = { columns, rows, color: terminal.color, wide: output === 'wide', offset: this.#offset };
    const { lines, nodesShown } = renderTop(frame, size);
    this.#page = Math.max(1, nodesShown);
    this.#screen.draw(lines);
  }

  pressed(key: Key): boolean {
    if (key === 'sort') {
      const at = SORT_KEYS.indexOf(this.#choice.sort);
      this.#choice = { ...this.#choice, sort: SORT_KEYS[(at + 1) % SORT_KEYS.length]! };
    } else if (key === 'reverse') this.#choice = { ...this.#choice, reverse: !this.#choice.reverse };
    else {
      const last = Math.max(0, this.#nodes - this.#page);
      const moves: Partial<Record<Key, number>> = {
        up: this.#offset - 1,
        down: this.#offset + 1,
        pageUp: this.#offset - this.#page,
        pageDown: this.#offset + this.#page,
        home: 0,
        end: last,
      };
      this.#offset = Math.max(0, Math.min(last, moves[key] ?? this.#offset));
    }
    return true;
  }

  close(): void {
    this.#screen.close();
  }
}

class PrintedFrames implements Watched {
  readonly intervalMs = 2_000;
  readonly #request: TopRequest;
  #before = '';
  #complaints = '';

  constructor(request: TopRequest) {
    this.#request = request;
  }

  show(view: TopView, nowMs: number, problems: readonly string[]): void {
    const { terminal, output } = this.#request;
    const frame = frameOf(view, this.#request, nowMs);
    const complaints = problems.map((problem) => problem.replace(/ for \d+ s:/, ':')).join('\n');
    if (complaints !== this.#complaints && complaints !== '') terminal.err(`chandler top: ${complaints}\n`);
    this.#complaints = complaints;
    const gist = gistOf(frame);
    if (gist === this.#before) return;
    if (output === 'json') terminal.out(`${JSON.stringify(topJson(frame))}\n`);
    else {
      const { lines } = renderTop(frame, {
        columns: undefined,
        color: terminal.color,
        wide: output === 'wide',
      });
      terminal.out(`${this.#before === '' ? '' : '\n'}${lines.join('\n')}\n`);
    }
    this.#before = gist;
  }

  pressed(): boolean {
    return false;
  }

  close(): void {}
}

/** Objects that the page shows and the controller itself does not watch, watched while somebody looks: events, and what is kept. */
import { isApiError, KubeClient, Reflector, type Store, type Transport, type World } from '@chandler/kube';
import type { SelectedKind } from '../../top/top-objects.ts';

export interface WatchedWhileShownOptions {
  readonly transport: Transport;
  readonly world: World;
  /** What the page says where the role of the controller does not permit it; undefined: nothing. */
  readonly forbidden: string | undefined;
  /** Default: all namespaces. */
  readonly namespace?: string;
  /** New stores, each with its selection. */
  stores(): readonly SelectedKind[];
}

export class WatchedWhileShown {
  readonly #options: WatchedWhileShownOptions;
  #reflectors: readonly Reflector[] = [];
  #users = 0;

  constructor(options: WatchedWhileShownOptions) {
    this.#options = options;
  }

  /** Starts to watch if nobody did. To be released when they are not shown any more. */
  acquire(): readonly Store[] {
    if (this.#users++ === 0) {
      const { transport, world, namespace, stores } = this.#options;
      const client = new KubeClient({ transport });
      const where = namespace === undefined ? {} : { namespace };
      this.#reflectors = stores().map(({ store, selection }) =>
        new Reflector({ client, store, world, ...where, ...selection }).start(),
      );
    }
    return this.#reflectors.map(({ store }) => store);
  }

  release(): void {
    if (--this.#users > 0) return;
    for (const reflector of this.#reflectors) void reflector.stop();
    this.#reflectors = [];
  }

  /** Resolves when the first lists are there, at most after a moment: rows are shown without them, too. */
  async listed(): Promise<void> {
    const { clock } = this.#options.world;
    const waiting = new AbortController();
    const all = Promise.all(this.#reflectors.map(({ synced }) => synced));
    await Promise.race([
      all,
      this.#refused(waiting.signal),
      clock.sleep(MAX_WAIT_MS, waiting.signal).catch(() => undefined),
    ]);
    waiting.abort();
  }

  /** Resolves when a list is forbidden: it will not come. */
  async #refused(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.world;
    while (!signal.aborted && !this.#reflectors.some(isForbidden))
      await clock.sleep(CHECK_MS, signal).catch(() => undefined);
  }

  /** Why they are not up to date; undefined: they are. */
  problem(): string | undefined {
    const failing = this.#reflectors.find(({ failingMs }) => failingMs > QUIET_MS);
    if (failing === undefined) return undefined;
    if (isForbidden(failing)) return this.#options.forbidden;
    const { lastError } = failing;
    return lastError instanceof Error ? lastError.message : String(lastError);
  }
}

// ---------------------------------------------------------------------------------------------------

const MAX_WAIT_MS = 3_000;
const CHECK_MS = 50;
/** A watch that breaks is resumed at once; this long it is not worth a line. */
const QUIET_MS = 3_000;

function isForbidden({ lastError }: Reflector): boolean {
  return isApiError(lastError, 'forbidden');
}

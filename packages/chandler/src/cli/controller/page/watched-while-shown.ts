/** Objects that the page shows and the controller itself does not watch, watched while somebody looks: events, and what is kept. */
import { isApiError, KubeClient, Reflector, type Store, type Transport, type World } from '@chandler/kube';
import type { SelectedKind } from '../../top/top-objects.ts';

export interface WatchedWhileShownOptions {
  readonly transport: Transport;
  readonly world: World;
  /** As kubectl names them. */
  readonly resource: string;
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
    await Promise.race([all, clock.sleep(MAX_WAIT_MS, waiting.signal).catch(() => undefined)]);
    waiting.abort();
  }

  /** Why they are not up to date; undefined: they are. */
  problem(): string | undefined {
    const failing = this.#reflectors.find(({ failingMs }) => failingMs > QUIET_MS);
    if (failing === undefined) return undefined;
    const { lastError } = failing;
    if (isApiError(lastError, 'forbidden'))
      return `the controller lacks the permission "list" on "${this.#options.resource}"; apply deploy/rbac-page.yaml`;
    return lastError instanceof Error ? lastError.message : String(lastError);
  }
}

// ---------------------------------------------------------------------------------------------------

const MAX_WAIT_MS = 3_000;
/** A watch that breaks is resumed at once; this long it is not worth a line. */
const QUIET_MS = 3_000;

/**
 * Defects of the page, logged. They must not reach others: the process may be a controller that leads, and who changes a
 * store would take what a listener throws for a failure of its own.
 */
import { type Log, withoutSecrets } from '@chandler/kube';

export class PageProblems {
  readonly #log: Pick<Log, 'error'> | undefined;
  /** By what could not be done, the last error. */
  readonly #last = new Map<string, string>();

  constructor(log: Pick<Log, 'error'> | undefined) {
    this.#log = log;
  }

  /** The same error is logged once, until `worked`. */
  failed(what: string, error: unknown, values: Readonly<Record<string, string>> = {}): void {
    const text = withoutSecrets(error instanceof Error ? error.message : String(error));
    if (this.#last.get(what) === text) return;
    this.#last.set(what, text);
    this.#log?.error(what, { ...values, error: text });
  }

  worked(what: string): void {
    this.#last.delete(what);
  }

  /** For a store: a change that cannot be taken is logged. */
  guarded<T>(changed: (change: T) => void): (change: T) => void {
    return (change) => {
      try {
        changed(change);
      } catch (error) {
        this.failed('a change could not be taken for the page', error);
      }
    };
  }

  /** What is wrong with one object must not keep the rows of the others back. Undefined: its row stays as it was. */
  orKept<T>(name: string, make: () => T): T | undefined {
    try {
      return make();
    } catch (error) {
      this.failed('a row of the page could not be made', error, { name });
      return undefined;
    }
  }
}

/** What this program is: its version, and the commit and time of its build. */
import manifest from '../../package.json' with { type: 'json' };

export interface BuildFacts {
  readonly version: string;
  /** `sources` when it was not built but started from the sources. */
  readonly commit: string;
  /** Of the commit, ISO 8601. */
  readonly time: string;
}

/** The build puts it in place (`scripts/build.ts`). */
declare const CHANDLER_BUILD: BuildFacts | undefined;

export const BUILD: BuildFacts =
  typeof CHANDLER_BUILD === 'undefined'
    ? { version: manifest.version, commit: 'sources', time: 'unknown' }
    : CHANDLER_BUILD;

/** What the view Playground shows and changes. */

/**
 * `GET /api/v1/playground`, only in the playground. POST of `{ fault, on }` or `{ scenario }` or `{ speed }` needs the second token,
 * in the header `X-Playground-Token`; the address has both in its fragment: `#token=…&playground=…`.
 */
export interface PlaygroundAnswer {
  readonly cloud: string;
  /** How many seconds pass in the cluster in one of real time. */
  readonly speed: number;
  /** What the page offers. */
  readonly speeds: readonly number[];
  readonly faults: readonly { readonly name: string; readonly text: string; readonly on: boolean }[];
  readonly scenarios: readonly { readonly name: string; readonly text: string }[];
  readonly running: {
    readonly scenario: string;
    readonly step: string;
    readonly outcome: 'running' | 'passed' | 'failed';
  } | null;
}

/** What is live, beside the files. Its reader is loaded when it is needed: it loads clients of AWS, and most checks are of files. */
import type { Inputs, LiveAccount, Resource } from '../inputs.ts';

export interface Account {
  readonly resources: readonly Resource[];
  readonly live: LiveAccount;
}

export function withAccount(inputs: Inputs, { resources, live }: Account): Inputs {
  return { ...inputs, resources: [...inputs.resources, ...resources], live };
}

export function loadAccountReader(): Promise<typeof import('./read-account.ts')> {
  return import('./read-account.ts');
}

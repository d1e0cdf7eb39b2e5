/** A question of `chandler why`: what is asked, where the answer comes from and how it is printed. */
import type { Terminal } from '../verb.ts';
import type { OpenRequest } from './source.ts';

export type Question =
  | { readonly kind: 'object'; readonly words: readonly string[] }
  | { readonly kind: 'value'; readonly name: string; readonly nodeclaim: string }
  | { readonly kind: 'checklist'; readonly name: string };

export interface WhyRequest extends OpenRequest {
  readonly question: Question;
  readonly namespace: string | undefined;
  readonly json: boolean;
  /** Disks of nodes must be encrypted with a customer-managed key. */
  readonly byok: boolean;
  readonly verbose: boolean;
  readonly watch: boolean;
  /** Exit code when something is broken. */
  readonly failCode: number;
  readonly terminal: Terminal;
}

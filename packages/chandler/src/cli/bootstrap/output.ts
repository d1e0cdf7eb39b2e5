/** What the verb prints, whichever cloud rendered it. */
import type { RenderedVariable } from '../../bootstrap/index.ts';
import type { Explanation } from './explain.ts';

export interface BootstrapOutput {
  /** Lines above the table of values. */
  readonly head: readonly string[];
  readonly text: string;
  /** Base64, as the cloud expects it. */
  readonly encoded: string;
  readonly bytes: number;
  readonly variables: readonly RenderedVariable[];
  /** Each with file and field. */
  readonly warnings: readonly string[];
}

export function azureOutput({ claimName, size, zone, image, rendered }: Explanation): BootstrapOutput {
  return {
    head: [
      `NodeClaim ${claimName}: ${size} in ${zone === '0' ? 'no zone' : zone}, ${rendered.bytes} bytes of custom data`,
      `Image ${image}`,
    ],
    text: rendered.script,
    encoded: rendered.customData,
    bytes: rendered.bytes,
    variables: rendered.variables,
    warnings: [],
  };
}

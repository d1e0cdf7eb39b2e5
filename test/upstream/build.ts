/** The Go program in `karpenter/`: upstream's scheduler. */
import { join } from 'node:path';
import { type Built, buildGo } from './build-go.ts';

/** @throws when Go and the modules are there, and the program does not compile. */
export function buildUpstream(say: (line: string) => void): Promise<Built> {
  return buildGo(
    {
      name: 'upstream-solve',
      folder: join(import.meta.dirname, 'karpenter'),
      title: 'upstream Karpenter',
      module: 'sigs.k8s.io/karpenter',
    },
    say,
  );
}

/** The running build, as an info metric. */
import type { Metrics } from '@chandler/kube';

export interface Build {
  readonly version: string;
  readonly commit: string;
  /** `v24.1.0`; upstream's label for it is `goversion`. */
  readonly runtime: string;
  /** `x64`. */
  readonly arch: string;
}

export function recordBuildInfo(metrics: Metrics, { version, commit, runtime, arch }: Build): void {
  metrics
    .gauge({
      name: 'karpenter_build_info',
      help: 'Always 1; the labels say what runs. goversion holds the version of Node.js.',
      labels: ['version', 'goversion', 'goarch', 'commit'],
    })
    .set(1, { version, commit, goversion: `node${runtime}`, goarch: arch });
}

/**
 * Upstream's API specs that `npm run test:upstream-api` runs: test packages of Go modules. The go.mod and go.sum in the folder
 * pin the release. `specs` is the number of specs of the package; another number is an error, so that none is lost unnoticed.
 */
export interface UpstreamSuite {
  /** The folder with the go.mod, beside this file. */
  readonly folder: string;
  readonly package: string;
  readonly specs: number;
}

export const UPSTREAM_SUITES: readonly UpstreamSuite[] = [
  { folder: 'core', package: 'sigs.k8s.io/karpenter/pkg/apis/v1', specs: 190 },
  { folder: 'core', package: 'sigs.k8s.io/karpenter/pkg/apis/v1alpha1', specs: 70 },
  { folder: 'aws', package: 'github.com/aws/karpenter-provider-aws/pkg/apis/v1', specs: 268 },
];

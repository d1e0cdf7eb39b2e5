/** Examples of checks: files with which a check does not pass, and files with which it does, and what it was judged from. */
import type { AwsServer } from '@chandler/cloudsim/aws';

export interface Example {
  /** By name; a plan is `plan.json`, a state `state.json`, expectations `expectations.yaml`, a smoke test `smoke.json`, a live cluster `cluster.yaml`. */
  readonly files: Readonly<Record<string, string>>;
  /** Where the evidence of the judgement was read, in its order. */
  readonly sources: readonly string[];
  /** The live account is read as well: the simulated one, with a cluster `shop`, after this. */
  readonly live?: (aws: AwsServer) => void;
}

export interface Examples {
  readonly fails: Example & { readonly status: 'fail' | 'warn' };
  readonly passes: Example;
}

export type ExampleTable = Readonly<Record<string, Examples>>;

/** The spec begins in line 6. */
export function aNodeClass(spec: string, name = 'default'): string {
  return `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: ${name}
spec:
${spec}
`;
}

/** The spec begins in line 6. */
export function aNodePool(spec: string, name = 'default'): string {
  return `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: ${name}
spec:
${spec}
`;
}

/** The values begin in line 15. */
export function anApplication(values: string, name = 'karpenter'): string {
  return `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: ${name}
spec:
  destination:
    server: https://kubernetes.default.svc
    namespace: karpenter
  source:
    repoURL: public.ecr.aws/karpenter
    chart: karpenter
    targetRevision: 1.14.1
    helm:
      values: |
${values}
  syncPolicy:
    automated: {}
    syncOptions:
      - CreateNamespace=true
`;
}

export const CLUSTER = `resource "aws_eks_cluster" "this" {
  name    = "shop"
  version = "1.33"
}
`;

export function aPlan(...changes: readonly object[]): string {
  return JSON.stringify({ format_version: '1.2', terraform_version: '1.9.0', resource_changes: changes });
}

/** A resource of a state as `terraform show -json` prints it; each on a line of its own, from line 2 on. */
export function aState(...resources: readonly object[]): string {
  const lines = resources.map((resource) => JSON.stringify(resource)).join(',\n');
  return `{"format_version":"1.0","terraform_version":"1.9.0","values":{"root_module":{"resources":[\n${lines}\n]}}}`;
}

export function aChange(type: string, name: string, actions: readonly string[], after: object = {}) {
  return {
    address: `${type}.${name}`,
    mode: 'managed',
    type,
    name,
    change: { actions, after, after_unknown: {} },
  };
}

export function aResource(type: string, name: string, values: object) {
  return { address: `${type}.${name}`, mode: 'managed', type, name, values };
}

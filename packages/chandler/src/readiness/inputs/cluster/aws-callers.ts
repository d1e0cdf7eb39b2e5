/**
 * Workloads that call AWS, by their images and their environment, and the service account that they run as. Pods of the host network
 * reach the metadata of the instance whatever its hop limit is, and pods of other groups of nodes are not about NodePools: neither counts.
 */
import { OTHER_NODES } from '../../model/other-nodes.ts';
import { entriesAt, find, itemsAt, type Path, type Tree, textAt } from '../../model/tree.ts';
import type { Manifest } from '../inputs.ts';
import { isController } from './controller-deployment.ts';

export interface AwsCaller {
  /** What it is, for people. */
  readonly title: string;
  /** It asks for its region and its VPC, too. */
  readonly asksForVpc: boolean;
  readonly serviceAccount: { readonly namespace: string; readonly name: string };
  readonly containers: readonly Tree[];
}

/** Undefined: nothing says that its pods call AWS. @param template the path of its pod template. */
export function awsCallerOf(workload: Manifest, template: Path): AwsCaller | undefined {
  const spec = find(workload.tree, ...template, 'spec');
  if (isController(workload) || textAt(spec, 'hostNetwork') === 'true') return undefined;
  if (entriesAt(spec, 'nodeSelector').some(([label]) => OTHER_NODES.test(label))) return undefined;
  const containers = itemsAt(spec, 'containers');
  const known = KNOWN.find(
    ({ image, argument, kind }) =>
      (kind === undefined || kind === workload.kind) &&
      containers.some(
        (container) =>
          image.test(textAt(container, 'image') ?? '') &&
          (argument === undefined || argumentsOf(container).includes(argument)),
      ),
  );
  const isNamed = containers.some((container) =>
    REGION_VARIABLES.some((name) => hasVariable(container, name)),
  );
  if (known === undefined && !isNamed) return undefined;
  return {
    title: known?.title ?? 'It sets a region of AWS',
    asksForVpc: known?.asksForVpc === true,
    serviceAccount: {
      namespace: workload.namespace ?? 'default',
      name: textAt(spec, 'serviceAccountName') ?? 'default',
    },
    containers,
  };
}

export function argumentsOf(container: Tree): readonly string[] {
  return [...itemsAt(container, 'command'), ...itemsAt(container, 'args')].flatMap(
    (each) => textAt(each) ?? [],
  );
}

export function hasVariable(container: Tree, name: string): boolean {
  return itemsAt(container, 'env').some((each) => textAt(each, 'name') === name);
}

export const REGION_VARIABLES = ['AWS_REGION', 'AWS_DEFAULT_REGION'] as const;

// ---------------------------------------------------------------------------------------------------------------

interface KnownCaller {
  readonly image: RegExp;
  readonly title: string;
  /** Only with this argument. */
  readonly argument?: string;
  /** Only this kind: agents on nodes of the same image need no credentials. */
  readonly kind?: string;
  readonly asksForVpc?: true;
}

const KNOWN: readonly KnownCaller[] = [
  { image: /aws-load-balancer-controller/, title: 'The AWS Load Balancer Controller', asksForVpc: true },
  { image: /aws-ebs-csi-driver/, kind: 'Deployment', title: 'The EBS CSI driver' },
  { image: /aws-efs-csi-driver/, kind: 'Deployment', title: 'The EFS CSI driver' },
  { image: /external-dns/, argument: '--provider=aws', title: 'ExternalDNS' },
  { image: /cluster-autoscaler/, argument: '--cloud-provider=aws', title: 'The Cluster Autoscaler' },
  { image: /cloudwatch-agent/, title: 'The CloudWatch agent' },
  { image: /aws-for-fluent-bit/, title: 'Fluent Bit' },
];

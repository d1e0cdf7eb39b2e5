/**
 * The Node that a provisioned VM would register, from its environment and its size. Pure; throws the message of the
 * kubelet where it would exit instead.
 */
import type { NodeRegistration } from '../../node-host.ts';
import type { VmFacts } from '../compute/vm-hooks.ts';
import type { ClusterFacts } from './cse.ts';
import { decodeBase64, minorOf, trusts } from './cse.ts';
import { capacityOf, type GuestSize, resourcesOf } from './guest-size.ts';
import { KubeletExit, readKubeletConfig } from './kubelet-config.ts';

export interface NodePlan {
  readonly node: Omit<NodeRegistration, 'readyAfterMs'>;
  /** A cloud controller sets its provider ID and zone. */
  readonly externalCloud: boolean;
  /** With which it asks for its certificate. */
  readonly token: string;
}

export interface NodePlanInput {
  readonly environment: ReadonlyMap<string, string>;
  readonly vm: VmFacts;
  readonly size: GuestSize;
  readonly cluster: ClusterFacts;
  /** `1.34.2`. */
  readonly kubeletVersion: string;
}

/** @throws {KubeletExit} where the kubelet exits permanently before it registers. */
export function planNode(input: NodePlanInput): NodePlan {
  const { environment, vm, size, cluster, kubeletVersion } = input;
  const get = (name: string) => environment.get(name) ?? '';
  const config = readKubeletConfig(get('KUBELET_FLAGS'), get('KUBELET_NODE_LABELS'), minorOf(kubeletVersion));
  const token = get('TLS_BOOTSTRAP_TOKEN');
  if (token === '')
    throw new KubeletExit(
      'failed to run Kubelet: invalid configuration: [unable to read client-cert /etc/kubernetes/certs/client.crt: no such file or directory]',
    );
  if (!trusts(decodeBase64(get('KUBE_CA_CRT')), cluster.caPem))
    throw new KubeletExit(
      `failed to run Kubelet: cannot create certificate signing request: Post "https://${get('API_SERVER_NAME')}:443/apis/` +
        'certificates.k8s.io/v1/certificatesigningrequests": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
  const { capacity, allocatable } = resourcesOf(capacityOf(size), config.reserved, config.maxPods);
  return {
    externalCloud: config.externalCloud,
    token,
    node: {
      name: nodeNameOf(vm),
      capacity: {
        ...capacity,
        ...(size.gpus > 0 && get('GPU_NODE') === 'true' ? { 'nvidia.com/gpu': size.gpus } : {}),
      },
      allocatable,
      labels: config.labels,
      taints: [...config.taints, ...(config.externalCloud ? [UNINITIALIZED] : [])],
      architecture: size.architecture,
      kubeletVersion: `v${kubeletVersion}`,
    },
  };
}

/** The taint that a cloud controller removes. */
export const UNINITIALIZED = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

/** cloud-init sets the host name up to the first dot; a kubelet takes it in lower case. */
export function nodeNameOf(vm: Pick<VmFacts, 'computerName'>): string {
  return vm.computerName.toLowerCase().split('.', 1)[0]!;
}

/** As the cloud provider writes it: the id with its resource group in lower case. */
export function providerIdOf(vm: Pick<VmFacts, 'id'>): string {
  return `azure://${vm.id.replace(/(\/resourceGroups\/)([^/]+)/i, (_, key: string, group: string) => key + group.toLowerCase())}`;
}

/** What the cloud's controllers and its disk driver add to a node. */
export function cloudLabels(
  vm: Pick<VmFacts, 'location' | 'zone' | 'size'>,
): Readonly<Record<string, string>> {
  // Without a zone, the fault domain takes its place.
  const zone = vm.zone === undefined ? '0' : `${vm.location}-${vm.zone}`;
  return {
    'topology.kubernetes.io/region': vm.location,
    'topology.kubernetes.io/zone': zone,
    'failure-domain.beta.kubernetes.io/region': vm.location,
    'failure-domain.beta.kubernetes.io/zone': zone,
    'node.kubernetes.io/instance-type': vm.size,
    'beta.kubernetes.io/instance-type': vm.size,
    'topology.disk.csi.azure.com/zone': vm.zone === undefined ? '' : zone,
  };
}

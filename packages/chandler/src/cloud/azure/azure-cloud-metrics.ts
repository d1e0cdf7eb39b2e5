/** Upstream's counters of VM creation, by its names: requests, refusals, and sizes for which there is no image. */
import type { Metrics } from '@chandler/kube';
import type { VmFacts } from './vm/vm-facts.ts';

export interface LaunchCounters {
  started(machine: Counted): void;
  failed(machine: Counted, phase: 'sync' | 'async', errorCode: string): void;
  /** No image of the node class is for the chosen size. */
  noImage(family: string): void;
}

export type Counted = Pick<VmFacts, 'size' | 'zone' | 'capacityType' | 'imageId'> & {
  readonly nodePool: string | undefined;
};

export function launchCounters(metrics: Metrics): LaunchCounters {
  const started = metrics.counter({
    name: 'karpenter_instance_vm_create_start_total',
    help: 'VM creation requests sent to Azure',
    labels: MACHINE_LABELS,
  });
  const failed = metrics.counter({
    name: 'karpenter_instance_vm_create_failure_total',
    help: 'VM creations that failed: when requested (sync) or after Azure accepted the request (async)',
    labels: [...MACHINE_LABELS, 'phase', 'error_code'],
  });
  const noImage = metrics.counter({
    name: 'karpenter_image_selection_error_count',
    help: 'Launches for which no image of the node class matches the VM size',
    labels: ['family'],
  });
  return {
    noImage: (family) => noImage.add(1, { family }),
    started: (machine) => started.add(1, labelsOf(machine)),
    failed: (machine, phase, errorCode) =>
      failed.add(1, { ...labelsOf(machine), phase, error_code: errorCode }),
  };
}

// ---------------------------------------------------------------------------------------------------

const MACHINE_LABELS = ['image', 'size', 'zone', 'capacity_type', 'nodepool'] as const;

function labelsOf(machine: Counted) {
  return {
    image: machine.imageId ?? '',
    size: machine.size,
    zone: machine.zone,
    capacity_type: machine.capacityType,
    nodepool: machine.nodePool ?? '',
  };
}

/** The list of workloads, their sizes and their expectations. */
import { batchWorkload } from './batch-workload.ts';
import { fieldWorkload } from './field-workload.ts';
import { diverseWorkload, preferenceWorkload } from './karpenter-workloads.ts';
import { priceWorkload } from './price-workload.ts';
import type { Workload } from './shapes.ts';

export interface WorkloadPlan {
  readonly build: (pods: number) => Workload | Promise<Workload>;
  /** Pods that fit; the field shape has a twentieth more that do not. */
  readonly sizes: readonly number[];
  /** Upstream is cut off after this long, as its provisioner does after a minute. */
  readonly upstreamLimitSeconds?: number;
}

export const WORKLOADS: Readonly<Record<string, WorkloadPlan>> = {
  batch: { build: batchWorkload, sizes: [1, 30, 300] },
  diverse: {
    build: diverseWorkload,
    sizes: [1_000, 2_000, 5_000, 10_000, 20_000],
  },
  preferences: { build: preferenceWorkload, sizes: [4_000] },
  price: {
    build: (pods) => priceWorkload(pods, { hostAntiAffinity: false }),
    sizes: [5_000],
  },
  'price-anti-affinity': {
    build: (pods) => priceWorkload(pods, { hostAntiAffinity: true }),
    sizes: [5_000],
  },
  field: {
    build: fieldWorkload,
    sizes: [4_000, 40_000],
    upstreamLimitSeconds: 60,
  },
};

/** What upstream computed, as `record.ts` wrote it down. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Figures } from './figures.ts';

export interface Expected {
  readonly source: string;
  /** Of every type, for AL2023 with defaults (`vectorOf`). */
  readonly vectors: Readonly<Record<string, string>>;
  /** Labels of some types, for AL2023 with defaults. */
  readonly labels: Readonly<Record<string, Figures['labels']>>;
  /** All amounts of some types, by setup and type (`amountsOf`). */
  readonly amounts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export function readExpected(): Expected {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'expected.json'), 'utf8')) as Expected;
}

/** Pods, memory, reserved CPU and memory, allocatable CPU and memory: as the tables of upstream's documentation have them. */
export function vectorOf({ capacity, kubeReserved, allocatable }: Figures): string {
  return [
    capacity['pods'],
    capacity['memory'],
    kubeReserved['cpu'],
    kubeReserved['memory'],
    allocatable['cpu'],
    allocatable['memory'],
  ].join(' ');
}

/** Everything but labels, without zeros. */
export function amountsOf({ labels: _, ...parts }: Figures): string {
  return Object.entries(parts)
    .map(([part, amounts]) => {
      const some = Object.entries(amounts).filter(([, amount]) => amount !== '0');
      return `${part} ${some.map(([name, amount]) => `${name}=${amount}`).join(' ')}`.trim();
    })
    .join('; ');
}

/** Types of all kinds: old and new, small and large, metal, arm64, GPU, Neuron, EFA, local disks. */
export const CHOSEN: readonly string[] =
  `a1.medium c3.large c5.18xlarge c5n.metal c7g.large d3en.12xlarge g4dn.metal dl2q.24xlarge f2.6xlarge vt1.3xlarge
  g5.48xlarge g6.xlarge i3.large im4gn.4xlarge inf1.6xlarge inf2.48xlarge m1.small m5.24xlarge m5.large m6g.xlarge
  m6idn.32xlarge m7i-flex.large p4d.24xlarge p5.48xlarge t1.micro t2.nano t3.medium trn1.32xlarge u-6tb1.56xlarge
  u7i-12tb.224xlarge`.split(/\s+/);

/** Those whose amounts are recorded in every setup. */
export const CHOSEN_IN_SETUPS: readonly string[] = CHOSEN.filter((_, index) => index % 2 === 0);

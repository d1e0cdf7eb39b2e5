/** Texts in, report out: for the tests of this folder. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Catalogues } from './catalogues.ts';
import type { Report } from './report.ts';
import { runSimulation, type SimulationOptions } from './run-simulation.ts';

export interface Simulated {
  readonly report: Report;
  readonly complaints: readonly string[];
}

/** Simulates a manifest as if it was read from standard input. */
export async function simulateText(
  text: string,
  options: Partial<SimulationOptions> = {},
): Promise<Simulated> {
  const complaints: string[] = [];
  const report = await runSimulation({
    files: ['-'],
    readStandardInput: async () => text,
    live: undefined,
    catalogue: 'generic',
    zones: [],
    pools: [],
    bound: false,
    scheduling: {},
    complain: (line) => complaints.push(line),
    ...options,
  });
  return { report, complaints };
}

/** For tests that plan nothing. */
export const NO_CATALOGUES: Catalogues = {
  lists: {},
  wellKnownLabels: [],
  notes: [],
  storageClasses: [],
  nameFor: () => '',
};

/** A folder with these files, gone when the test is over. */
export async function withFiles(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'simulate-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function aDeployment(name: string, replicas: number, spec = ''): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: shop }
spec:
  replicas: ${replicas}
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers: [{ name: main, resources: { requests: { cpu: "1", memory: 1Gi } } }]
${spec}`;
}

export function aNodePool(name: string, more = ''): string {
  return `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: ${name} }
spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.azure.com, kind: AKSNodeClass, name: default }
      requirements: [{ key: kubernetes.io/arch, operator: In, values: [amd64] }]
${more}`;
}

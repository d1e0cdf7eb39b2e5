/** Runs the specs of one upstream package against an API server, and reads Ginkgo's report of them. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SpecRun {
  readonly binary: string;
  /** The folder that the specs run in. */
  readonly folder: string;
  /** `http://…` of the proxy. */
  readonly server: string;
  /** For the kubeconfig and the report. */
  readonly scratch: string;
}

export interface SpecResult {
  readonly passed: number;
  readonly skipped: number;
  /** One text per failed spec: its name, and what it says. */
  readonly failures: readonly string[];
}

/** @throws when the specs end without a report. */
export async function runSpecs({ binary, folder, server, scratch }: SpecRun): Promise<SpecResult> {
  const kubeconfig = join(scratch, 'kubeconfig');
  const report = join(scratch, 'report.json');
  writeFileSync(kubeconfig, kubeconfigText(server), { mode: 0o600 });
  const child = spawn(binary, [`-ginkgo.json-report=${report}`, '-test.timeout=30m'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, USE_EXISTING_CLUSTER: 'true', KUBECONFIG: kubeconfig },
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const result = resultOf(readReport(report, () => Buffer.concat(output).toString()));
  if (code !== 0 && result.failures.length === 0)
    throw new Error(
      `the specs ended with code ${code} and no failure:\n${Buffer.concat(output).toString().slice(-4000)}`,
    );
  return result;
}

// ---------------------------------------------------------------------------------------------------

/** The part of Ginkgo's report that is read here. */
interface GinkgoReport {
  readonly SpecReports: readonly SpecReport[] | null;
}

interface SpecReport {
  /** `It` for specs; others are the setup and cleanup of the suite. */
  readonly LeafNodeType: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
}

function resultOf(reports: readonly GinkgoReport[]): SpecResult {
  const all = reports.flatMap(({ SpecReports }) => SpecReports ?? []);
  const specs = all.filter(({ LeafNodeType }) => LeafNodeType === 'It');
  const inState = (...states: string[]) => specs.filter(({ State }) => states.includes(State)).length;
  const failed = all.filter(({ State }) => !['passed', 'skipped', 'pending'].includes(State));
  return { passed: inState('passed'), skipped: inState('skipped', 'pending'), failures: failed.map(textOf) };
}

function textOf({ ContainerHierarchyTexts, LeafNodeType, LeafNodeText, Failure }: SpecReport): string {
  const name = [...(ContainerHierarchyTexts ?? []), LeafNodeText || LeafNodeType].join(' ');
  return `${name}: ${Failure?.Message ?? 'no message'}`;
}

function readReport(file: string, output: () => string): readonly GinkgoReport[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as GinkgoReport[];
  } catch (error) {
    throw new Error(`the specs wrote no report:\n${output().slice(-4000)}`, { cause: error });
  }
}

function kubeconfigText(server: string): string {
  return `${JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server } }],
    users: [{ name: 'admin', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  })}\n`;
}

/**
 * `npm run test:upstream-api`: runs the API specs of Karpenter and of its AWS provider with Chandler's CRDs, on the embedded
 * API server and on a real kube-apiserver. Without Go it prints that the specs were skipped, and why, and succeeds.
 * Words after `--` choose targets and packages: `npm run test:upstream-api -- embedded aws`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '@chandler/apiserver';
import { realTimeWorld } from '@chandler/kube/testing';
import { builtinCrds } from '../../packages/chandler/src/api/kinds/index.ts';
import { findBinaries, KUBERNETES_VERSION } from '../cluster/control-plane/binaries.ts';
import { launchControlPlane } from '../cluster/control-plane/launch.ts';
import { type BuiltSpecs, buildSpecs } from './build-specs.ts';
import { startCrdProxy } from './crd-proxy.ts';
import { runSpecs } from './run-specs.ts';
import { compareWithUpstream } from './stricter.ts';
import { UPSTREAM_SUITES, type UpstreamSuite } from './suites.table.ts';

interface Target {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  stop(): Promise<void>;
}

const TARGETS: Readonly<Record<string, { title: string; start(): Promise<Target | { missing: string }> }>> = {
  embedded: { title: 'the embedded API server', start: startEmbedded },
  real: { title: `kube-apiserver ${KUBERNETES_VERSION}`, start: startReal },
};

const say = (line: string) => console.log(`test:upstream-api: ${line}`);
const words = process.argv.slice(2);
const chosenTargets = chosen(Object.keys(TARGETS), (name) => name);
const chosenSuites = chosen(UPSTREAM_SUITES, nameOf);
const unknown = words.filter(
  (word) => ![...Object.keys(TARGETS), ...UPSTREAM_SUITES.map(nameOf)].some((name) => name.includes(word)),
);
if (unknown.length > 0) {
  say(`no target and no package is named ${unknown.join(' or ')}`);
  process.exit(2);
}

let problems = 0;
const crdFolders = new Set<string>();
for (const suite of chosenSuites) {
  const specs = await buildSpecs(suite, say);
  if ('missing' in specs) {
    say(`*** SKIPPED: ${suite.package} *** ${specs.missing}`);
    say('install Go, and allow it to download modules, to run these specs');
    continue;
  }
  crdFolders.add(join(specs.folder, '..', 'crds'));
  for (const name of chosenTargets) await runOn(name, specs);
}
if (words.length === 0 && crdFolders.size > 0) {
  const { compared, problems: stricter } = await compareWithUpstream([...crdFolders]);
  say(`${compared} objects that Chandler's CRDs reject were tried on upstream's CRDs`);
  for (const each of stricter) problem(each);
}
if (problems > 0) say(`${problems} problems`);
process.exitCode = problems === 0 ? 0 : 1;

// ---------------------------------------------------------------------------------------------------

/** Each package gets a server of its own, as it would from envtest. */
async function runOn(name: string, specs: BuiltSpecs): Promise<void> {
  const { title, start } = TARGETS[name]!;
  const target = await start();
  if ('missing' in target) {
    say(`*** SKIPPED: ${specs.title} on ${title} *** ${target.missing}`);
    return;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'chandler-upstream-api-'));
  const proxy = await startCrdProxy({ ...target, crds: builtinCrds() });
  try {
    const startMs = performance.now();
    const { passed, skipped, failures } = await runSpecs({ ...specs, server: proxy.url, scratch });
    const seconds = Math.round((performance.now() - startMs) / 1000);
    const total = passed + failures.length;
    say(
      `${specs.title} on ${title}: ${passed} of ${total} specs pass, ${skipped} skipped, ${seconds} s; ` +
        `CRDs of Chandler: ${[...proxy.replaced].sort().join(', ')}`,
    );
    for (const failure of failures) problem(failure);
    if (failures.length === 0 && passed + skipped !== specs.suite.specs)
      problem(`${specs.title} has ${passed + skipped} specs; suites.table.ts says ${specs.suite.specs}`);
    if (!proxy.replaced.has('nodepools.karpenter.sh'))
      problem('the suite installed no CRD that Chandler has, so it tested something else');
  } finally {
    await proxy.close();
    await target.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function problem(text: string): void {
  problems++;
  say(`FAILED: ${text}`);
}

function nameOf({ package: path }: UpstreamSuite): string {
  return path;
}

/** Those that a word of the command line names; all, when no word names one. */
function chosen<T>(all: readonly T[], name: (each: T) => string): readonly T[] {
  const named = all.filter((each) => words.some((word) => name(each).includes(word)));
  return named.length === 0 ? all : named;
}

async function startEmbedded(): Promise<Target> {
  const server = await startApiServer({ world: realTimeWorld(), port: 0 });
  return {
    url: server.url!,
    caPem: server.caPem,
    token: server.adminToken,
    stop: () => server.close(),
  };
}

async function startReal(): Promise<Target | { missing: string }> {
  const binaries = await findBinaries(say);
  if ('missing' in binaries) return binaries;
  const plane = await launchControlPlane(binaries.folder, { controllers: 'none', scheduler: false });
  return {
    url: plane.url,
    caPem: readFileSync(plane.caFile, 'utf8'),
    token: plane.token,
    stop: () => plane.stop(),
  };
}

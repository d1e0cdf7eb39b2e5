/**
 * `npm run test:charts`: lints and renders charts/chandler with the values of `values/`, compares the renders with `golden/`, validates
 * them with kubeconform, and checks that wrong values are rejected and that migrated values of Karpenter are accepted.
 * `-- --record` writes the golden files. Without helm and Go it prints that it was skipped, and why, and succeeds.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REFUSED } from './refused.table.ts';
import { SCHEMA_LOCATION, writeSchemas } from './schemas.ts';
import { findTools } from './tools.ts';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '..', '..');
const CHART = join(ROOT, 'charts', 'chandler');
const GOLDEN = join(HERE, 'golden');
const recording = process.argv.includes('--record');
const say = (line: string) => console.log(`test:charts: ${line}`);

const tools = await findTools(say);
if ('missing' in tools) {
  say('*** SKIPPED: no helm and kubeconform ***');
  say(tools.missing);
  process.exit(0);
}

const failures: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'chandler-charts-'));
try {
  const valueFiles = filesIn(join(HERE, 'values'));
  const rendered = [
    ...valueFiles.map(lintAndRender),
    ...filesIn(join(HERE, 'karpenter')).map(migrateAndRender),
  ];
  lint(['lint', join(ROOT, 'charts', 'chandler-crd')], 'chandler-crd');
  validate([...rendered, join(ROOT, 'charts', 'chandler-crd', 'templates')]);
  validate(manifestsOf('examples/azure'), manifestsOf('examples/aws'));
  for (const refused of REFUSED) refuse(refused);
  say(`${valueFiles.length} value files, ${rendered.length} renders, ${REFUSED.length} refused values`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) say(`FAILED: ${failure}`);
process.exitCode = failures.length === 0 ? 0 : 1;

// ---------------------------------------------------------------------------------------------------

interface Outcome {
  readonly ok: boolean;
  readonly out: string;
  readonly said: string;
}

function run(program: string, args: readonly string[]): Outcome {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    // Nothing of the user's: no repositories, plugins or clusters.
    env: {
      ...process.env,
      HELM_CONFIG_HOME: folder,
      HELM_CACHE_HOME: folder,
      HELM_DATA_HOME: folder,
      KUBECONFIG: '/dev/null',
    },
  });
  return { ok: status === 0, out: stdout ?? '', said: `${stderr ?? ''}${error ?? ''}` };
}

function helm(...args: string[]): Outcome {
  return run((tools as { readonly helm: string }).helm, args);
}

function template(...args: string[]): Outcome {
  return helm('template', 'chandler', CHART, '--namespace', 'kube-system', '--kube-version', '1.34', ...args);
}

function lint(args: string[], name: string): void {
  const { ok, out, said } = helm(...args);
  if (!ok || /\[(WARNING|ERROR)\]/.test(out + said)) failures.push(`helm lint of ${name}: ${out}${said}`);
}

/** @returns the file with the manifests. */
function lintAndRender(file: string): string {
  const name = nameOf(file);
  lint(['lint', CHART, '--strict', '--values', file], name);
  const { ok, out, said } = template('--values', file);
  if (!ok) failures.push(`${name} is not rendered: ${said}`);
  const golden = join(GOLDEN, `${name}.yaml`);
  if (recording) writeFileSync(golden, out);
  else if (!existsSync(golden) || readFileSync(golden, 'utf8') !== out)
    failures.push(`${golden} differs from what helm renders; node test/charts/run.ts --record writes it`);
  return kept(name, out);
}

function migrateAndRender(file: string): string {
  const name = `karpenter-${nameOf(file)}`;
  const chandler = join(ROOT, 'packages', 'chandler', 'chandler.js');
  const migrated = run(process.execPath, [
    chandler,
    'migrate-values',
    file,
    '--image',
    'registry.example/chandler',
  ]);
  if (!migrated.ok) failures.push(`${name} is not migrated: ${migrated.said}`);
  const values = kept(`${name}-values`, migrated.out);
  const { ok, out, said } = template('--values', values);
  if (!ok) failures.push(`the migrated values of ${name} are rejected: ${said}`);
  return kept(name, out);
}

function validate(...lists: string[][]): void {
  const schemas = join(folder, 'schemas');
  writeSchemas(schemas);
  const { ok, out, said } = run((tools as { readonly kubeconform: string }).kubeconform, [
    '-strict',
    '-summary',
    '-schema-location',
    join(schemas, SCHEMA_LOCATION),
    ...lists.flat(),
  ]);
  say(out.trim().split('\n').at(-1) ?? '');
  if (!ok || /Valid: 0,/.test(out)) failures.push(`kubeconform: ${out}${said}`);
}

function refuse({ name, base, values, says }: (typeof REFUSED)[number]): void {
  const added = kept('refused', values);
  const { ok, said } = template('--values', join(HERE, 'values', `${base}.yaml`), '--values', added);
  if (ok) failures.push(`${name} is accepted: ${values}`);
  for (const pattern of says)
    if (!pattern.test(said)) failures.push(`${name}: helm does not say ${pattern}, but: ${said}`);
}

/** Of manifests in the examples those kinds that there are schemas for: ours. */
function manifestsOf(path: string): string[] {
  return filesIn(join(ROOT, path)).map((file) => {
    const documents = readFileSync(file, 'utf8').split(/^---$/m);
    const ours = documents.filter((text) => /^apiVersion: karpenter\./m.test(text));
    return kept(`${path.replaceAll('/', '-')}-${nameOf(file)}`, ours.join('\n---\n'));
  });
}

function kept(name: string, text: string): string {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, text);
  return file;
}

function filesIn(path: string): string[] {
  return readdirSync(path)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => join(path, name));
}

function nameOf(file: string): string {
  return file.replace(/^.*\//, '').replace(/\.yaml$/, '');
}

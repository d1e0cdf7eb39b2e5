/**
 * `npm run generate`: writes every file that is generated from a table or a schema. With `--check` it writes
 * nothing and fails when a file is out of date.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KUBE_YAML, type KubeObject } from '@chandler/kube';
import { parseAllDocuments } from 'yaml';
import { renderConditionsDoc } from '../packages/chandler/src/api/index.ts';
import { crdFiles } from '../packages/chandler/src/api/kinds/crd-files.ts';
import { renderCseCodesDoc, renderVariablesDoc } from '../packages/chandler/src/bootstrap/index.ts';
import { renderCausesDoc, renderCloudCausesDoc } from '../packages/chandler/src/causes/index.ts';
import { awsDiagnosis } from '../packages/chandler/src/cloud/aws/diagnosis.ts';
import { renderIamDoc } from '../packages/chandler/src/cloud/aws/testing.ts';
import { azureDiagnosis } from '../packages/chandler/src/cloud/azure/diagnosis.ts';
import { renderAzurePermissionsDoc } from '../packages/chandler/src/cloud/azure/permissions/index.ts';
import { CLOUD_NAMES, DEFAULT_CLOUD, loadCloudOptions } from '../packages/chandler/src/cloud/registry.ts';
import { causesOf } from '../packages/chandler/src/diagnose/index.ts';
import {
  renderConfigDoc,
  renderConfigSchema,
  renderFlexCausesDoc,
} from '../packages/chandler/src/flexnode/testing.ts';
import { renderRoles } from '../packages/chandler/src/playground/testing.ts';
import {
  CHECKS,
  RESULT_CONFIG_MAP,
  renderChecksDoc,
  renderWatchRbac,
} from '../packages/chandler/src/readiness/index.ts';
import { OPERATOR_OPTIONS } from '../packages/chandler/src/settings/index.ts';
import { renderOptionsDoc } from '../packages/chandler/src/settings/testing.ts';
import { motoVersion } from '../test/moto/install.ts';
import { renderMotoDoc } from '../test/moto/moto-doc.ts';
import { launcherText } from './build/launcher.ts';
import { CHART_OWNED_FOLDERS, chartFiles } from './chart/files.ts';
import { withPackageLines } from './package-lines.ts';

interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

const ROOT = join(import.meta.dirname, '..');

/** Folders with generated files only: other files are removed. */
const OWNED_FOLDERS = ['charts/chandler-crd/templates', ...CHART_OWNED_FOLDERS];

const optionPages = await Promise.all(
  CLOUD_NAMES.map(async (name) => {
    const { table, ownGroups, title: cloudTitle } = await loadCloudOptions(name);
    const page = name === DEFAULT_CLOUD ? 'options.md' : `options-${name}.md`;
    return { page, table: { ...OPERATOR_OPTIONS, ...table }, ownGroups, cloudTitle };
  }),
);

const files: GeneratedFile[] = [
  ...crdFiles(),
  { path: 'docs/conditions.md', text: renderConditionsDoc() },
  { path: 'docs/azure-permissions.md', text: renderAzurePermissionsDoc() },
  {
    path: 'docs/architecture.md',
    text: withPackageLines(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8'), ROOT),
  },
  ...optionPages.map((own) => ({
    path: `docs/${own.page}`,
    text: renderOptionsDoc({ ...own, others: optionPages.filter((each) => each !== own) }),
  })),
  { path: 'docs/bootstrap-variables.md', text: renderVariablesDoc() },
  { path: 'docs/causes.md', text: renderCausesDoc(azureDiagnosis(), causesOf(azureDiagnosis())) },
  { path: 'docs/causes-aws.md', text: renderCloudCausesDoc(awsDiagnosis(), awsDiagnosis().causes) },
  { path: 'docs/iam.md', text: renderIamDoc() },
  { path: 'docs/moto.md', text: renderMotoDoc(motoVersion()) },
  { path: 'docs/checks.md', text: renderChecksDoc(CHECKS) },
  { path: 'deploy/rbac-readiness-check.yaml', text: renderWatchRbac(RESULT_CONFIG_MAP) },
  ...chartFiles(ROOT),
  { path: 'docs/cse-codes.md', text: renderCseCodesDoc() },
  { path: 'docs/flexnode-causes.md', text: renderFlexCausesDoc() },
  { path: 'docs/flexnode-config.md', text: renderConfigDoc() },
  { path: 'docs/flexnode-config.schema.json', text: renderConfigSchema() },
  {
    path: 'packages/chandler/src/playground/roles.gen.ts',
    text: renderRoles(documentsOf('deploy/rbac.yaml')),
  },
  {
    path: 'packages/chandler/src/playground/roles-aws.gen.ts',
    text: renderRoles(documentsOf('deploy/rbac-aws.yaml'), 'rbac-aws.yaml'),
  },
  // From the sources `chandler` starts like the published package, so an old Node.js gets the same sentence.
  { path: 'packages/chandler/chandler.js', text: launcherText(nodeRange(), './src/cli/main.ts') },
];

const checking = process.argv.includes('--check');
const wanted = new Set(files.map((file) => file.path));
const stale = files.filter((file) => current(file.path) !== file.text).map((file) => file.path);
const leftOver = OWNED_FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .map((name) => `${folder}/${name}`)
    .filter((path) => !wanted.has(path)),
);

if (checking) {
  for (const path of [...stale, ...leftOver]) console.error(`${path} is out of date: run npm run generate`);
  process.exitCode = stale.length + leftOver.length === 0 ? 0 : 1;
} else {
  for (const file of files) write(file);
  for (const path of leftOver) rmSync(join(ROOT, path));
  console.log(`${files.length} files generated, ${stale.length} changed, ${leftOver.length} removed`);
}

function nodeRange(): string {
  const manifest = readFileSync(join(ROOT, 'packages/chandler/package.json'), 'utf8');
  return (JSON.parse(manifest) as { engines: { node: string } }).engines.node;
}

function documentsOf(path: string): KubeObject[] {
  return parseAllDocuments(readFileSync(join(ROOT, path), 'utf8'), KUBE_YAML).map(
    (each) => each.toJS() as KubeObject,
  );
}

function current(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return undefined;
  }
}

function write(file: GeneratedFile): void {
  mkdirSync(dirname(join(ROOT, file.path)), { recursive: true });
  writeFileSync(join(ROOT, file.path), file.text);
}

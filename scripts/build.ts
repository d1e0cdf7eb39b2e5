/**
 * `npm run build`: makes the published package in dist/ (the command line as one bundle, what is loaded lazily in chunks of
 * its own), and the flex node agent as one executable. With `--all-architectures` it also makes dist/flexnode/, which a
 * machine installs the agent from, with `--package-only` no executable. With `--with-operator` it bundles the operator in the same way into dist-test/, for the
 * fault suite (`npm run test:dist`).
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { bundlePage } from '../packages/chandler/src/dashboard/page-bundle.ts';
import { buildFacts } from './build/build-facts.ts';
import { PACKAGE_OPTIONS, packageOptions, sharedOptions } from './build/bundle-options.ts';
import { brokenChunks, lazyImportProblems } from './build/lazy-imports.ts';
import { foreignNode, nodePackage } from './build/node-package.ts';
import { writePackage } from './build/package.ts';
import { DIST, DIST_TEST, MAIN, MAIN_FLEXNODE, OPERATOR_ENTRY, ROOT } from './build/paths.ts';
import { buildExecutable } from './flexnode-executable.ts';
import { agentBill, BILL, packageBill } from './sbom/bills.ts';
import { type Lockfile, shippedPackages } from './sbom/shipped-packages.ts';

const facts = buildFacts(ROOT);
const shared = sharedOptions(facts);

for (const folder of [DIST, DIST_TEST]) rmSync(folder, { recursive: true, force: true });

const library = join(DIST, 'lib');
const outputs = await bundle(await packageOptions(facts, { main: MAIN }), library);
// The solver of the lower bound looks for its WebAssembly beside the bundle.
copyFileSync(join(ROOT, 'node_modules', 'highs', 'build', 'highs.wasm'), join(library, 'highs.wasm'));
const page = await bundledPage();
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile;
const shipped = shippedPackages({ outputs: { ...outputs.metafile.outputs, ...page } }, lock);
writePackage({ root: ROOT, folder: DIST, program: 'lib/main.js', bill: packageBill(shipped, facts) });
console.log(
  `dist/: ${facts.version}, commit ${facts.commit}, ${outputs.files} files, ${Math.round(outputs.bytes / 1024)} KiB, ${shipped.length} packages in it`,
);

if (process.argv.includes('--with-operator')) {
  const options = { ...shared, ...PACKAGE_OPTIONS, entryPoints: { operator: OPERATOR_ENTRY } };
  const { files } = await bundle(options, DIST_TEST);
  console.log(`dist-test/: the operator, ${files} files`);
}
if (process.argv.includes('--package-only')) process.exit();
if (process.platform === 'linux') {
  const metafile = await buildExecutable(MAIN_FLEXNODE, join(DIST, 'chandler-flexnode'), shared);
  if (process.argv.includes('--all-architectures')) await buildRelease(metafile);
} else console.log('dist/chandler-flexnode: is for Linux and is built there only');

// ---------------------------------------------------------------------------------------------------

/**
 * What `deploy/flexnode/install.sh` installs from: the executables of both architectures, the unit, and their hashes; and the
 * bill of materials.
 */
async function buildRelease(metafile: Metafile): Promise<void> {
  const folder = join(DIST, 'flexnode');
  mkdirSync(folder, { recursive: true });
  const names = { x64: 'chandler-flexnode-linux-amd64', arm64: 'chandler-flexnode-linux-arm64' } as const;
  for (const architecture of ['x64', 'arm64'] as const) {
    const file = join(folder, names[architecture]);
    if (architecture === process.arch) copyFileSync(join(DIST, 'chandler-flexnode'), file);
    else await buildExecutable(MAIN_FLEXNODE, file, shared, foreignNode(ROOT, architecture));
  }
  for (const name of ['install.sh', 'chandler-flexnode-bootstrap.service'])
    copyFileSync(join(ROOT, 'deploy', 'flexnode', name), join(folder, name));
  const sums = Object.values(names).map((name) => {
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return `${hash}  ${name}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  const nodes = (['x64', 'arm64'] as const).map((each) => nodePackage(ROOT, `node-linux-${each}`));
  writeFileSync(join(folder, BILL), agentBill(shippedPackages(metafile, lock), nodes, facts));
}

/** The app of the page, beside the program. @returns what it was made of. */
async function bundledPage(): Promise<Metafile['outputs']> {
  const sources = join(ROOT, 'packages/chandler/src/dashboard/web');
  const { files, metafile } = await bundlePage<Metafile>(
    { build: (options) => build({ ...options, absWorkingDir: ROOT }) },
    sources,
  );
  mkdirSync(join(library, 'page'), { recursive: true });
  for (const [name, content] of files) writeFileSync(join(library, 'page', name), content);
  return metafile?.outputs ?? {};
}

async function bundle(
  options: BuildOptions & { readonly metafile: true },
  folder: string,
): Promise<{ readonly files: number; readonly bytes: number; readonly metafile: Metafile }> {
  const { metafile } = await build({ ...options, outdir: folder });
  refuseBroken(metafile);
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  return { files: Object.keys(metafile.outputs).length, bytes, metafile };
}

function refuseBroken(metafile: Metafile): void {
  const problems = [...lazyImportProblems(metafile), ...brokenChunks(metafile, ROOT)];
  for (const problem of problems) console.error(`build: ${problem}`);
  if (problems.length > 0) process.exit(1);
}

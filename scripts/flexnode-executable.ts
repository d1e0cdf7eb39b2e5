/**
 * `dist/chandler-flexnode`: the flex node agent in one file, because its machines have no Node.js. It is the
 * Node.js binary of this build with two bundles inside: a small one for verbs that must start fast (kubelet
 * waits for `token`), and the complete one with the SDKs, compiled, which is loaded only for its own verbs.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { inject } from 'postject';

/**
 * Returns what is in it.
 * @param node the binary of another architecture. Code that V8 has compiled is of no use there and is left out.
 */
export async function buildExecutable(
  entry: string,
  executable: string,
  shared: BuildOptions,
  node: string = process.execPath,
): Promise<Metafile> {
  const isForeign = node !== process.execPath;
  const work = mkdtempSync(join(tmpdir(), 'chandler-build-'));
  try {
    const options: BuildOptions = {
      ...shared,
      entryPoints: [entry],
      format: 'cjs',
      target: `node${process.versions.node}`,
      // They would go into the executable; the licences stand in dist/*.LEGAL.txt.
      legalComments: 'none',
    };
    const [small, whole, main, blob, settings] = [
      'small.cjs',
      'whole.cjs',
      'main.cjs',
      'blob',
      'sea.json',
    ].map((name) => join(work, name)) as [string, string, string, string, string];
    await build({ ...options, outfile: small, plugins: [smallPart] });
    const { metafile } = await build({
      ...options,
      metafile: true,
      outfile: whole,
      banner: { js: '(function (exports, require, module) {' },
      footer: { js: '})' },
    });
    const compiled = isForeign ? undefined : compiledForm(work, whole);
    writeFileSync(main, mainText(readFileSync(small, 'utf8')));
    const sea = {
      main,
      output: blob,
      disableExperimentalSEAWarning: true,
      useCodeCache: !isForeign,
      assets: compiled === undefined ? { whole } : { whole, compiled },
    };
    writeFileSync(settings, JSON.stringify(sea));
    execFileSync(process.execPath, ['--experimental-sea-config', settings], { stdio: 'pipe' });
    copyFileSync(node, executable);
    chmodSync(executable, 0o755);
    await quietly(() =>
      inject(executable, 'NODE_SEA_BLOB', readFileSync(blob), {
        sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
      }),
    );
    const mebibytes = (file: string) => (statSync(file).size / 1024 / 1024).toFixed(1);
    console.log(
      `dist/${basename(executable)}: ${mebibytes(executable)} MiB, of which ${mebibytes(whole)} and ${mebibytes(small)} MiB are ours` +
        (compiled === undefined ? '' : `, ${mebibytes(compiled)} MiB compiled`),
    );
    return metafile;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

// ---------------------------------------------------------------------------------------------------

/** First words for which the small bundle is enough. */
const SMALL_VERBS = ['token', 'version', 'help', '--help', '-h', '--version', '-v'];

/** Modules that these verbs load when they need them; what any other verb loads is left to the whole bundle. */
const SMALL_MODULES = new Set(['failure-text.ts', 'exec-credential.ts']);

const smallPart: Plugin = {
  name: 'small-part',
  setup(part) {
    part.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !SMALL_MODULES.has(basename(path))
        ? { path, namespace: 'whole' }
        : undefined,
    );
    part.onLoad({ filter: /./, namespace: 'whole' }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is in the other part of this executable`)})`,
    }));
  },
};

/**
 * What V8 makes of the whole bundle, functions that a run needs included: taking it over takes a fifth of the time
 * that compiling takes. It is taken after a run that plans a bootstrap of an empty folder, which comes by most of the modules.
 */
function compiledForm(work: string, whole: string): string {
  const [file, warm, config, root] = ['compiled', 'warm.cjs', 'config.json', 'root'].map((name) =>
    join(work, name),
  ) as [string, string, string, string];
  mkdirSync(root);
  writeFileSync(config, JSON.stringify(SOME_CONFIG), { mode: 0o600 });
  writeFileSync(warm, warmText(whole, file));
  const plan = [
    'bootstrap',
    '--dry-run',
    '--offline',
    '--only',
    'installation',
    '--root',
    root,
    '--config',
    config,
  ];
  execFileSync(process.execPath, [warm, ...plan], { stdio: 'pipe', env: {} });
  return file;
}

const SOME_CONFIG = {
  azure: {
    subscriptionId: '11111111-2222-3333-4444-555555555555',
    tenantId: '99999999-8888-7777-6666-555555555555',
    arc: { machineName: 'edge-01', resourceGroup: 'rg', location: 'westus2' },
    targetCluster: {
      resourceId:
        '/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/c1',
      location: 'westus2',
    },
  },
  agent: { nodeName: 'edge-01' },
  kubernetes: { version: '1.32.7' },
};

function warmText(whole: string, file: string): string {
  return `
const { readFileSync, writeFileSync } = require('node:fs');
const { Script } = require('node:vm');
const module_ = { exports: {} };
const script = new Script(readFileSync(${JSON.stringify(whole)}, 'utf8'), { filename: 'chandler-flexnode' });
process.on('exit', () => writeFileSync(${JSON.stringify(file)}, script.createCachedData()));
script.runInThisContext()(module_.exports, require, module_);
`;
}

function mainText(small: string): string {
  return `
const word = process.argv[2];
if (word === undefined || ${JSON.stringify(SMALL_VERBS)}.includes(word)) {
${small}
} else {
  const { getAsset, getAssetKeys, getRawAsset } = require('node:sea');
  const { Script } = require('node:vm');
  const module = { exports: {} };
  const script = new Script(getAsset('whole', 'utf8'), {
    filename: 'chandler-flexnode',
    // Of another V8, or with other flags, it is not used, and the text is compiled.
    ...(getAssetKeys().includes('compiled') ? { cachedData: Buffer.from(getRawAsset('compiled')) } : {}),
  });
  script.runInThisContext()(module.exports, require, module);
}
`;
}

/** Rewriting the program prints a warning about its ELF notes, which has no effect. */
async function quietly(work: () => Promise<void>): Promise<void> {
  const { warn, error } = console;
  const without =
    (print: (...words: unknown[]) => void) =>
    (...words: unknown[]) => {
      if (!String(words[0]).includes("Can't find string offset for section name")) print(...words);
    };
  console.warn = without(warn);
  console.error = without(error);
  try {
    await work();
  } finally {
    Object.assign(console, { warn, error });
  }
}

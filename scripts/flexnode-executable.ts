/**
 * `dist/chandler-flexnode`: the agent of flex nodes in one file, since the machines it is for have no Node.js. It is the
 * Node.js that runs this build with two bundles inside: a small one for what must start at once (kubelet waits for
 * `token`), and the whole one with the SDKs, which is only looked at when one of its verbs is asked for.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { inject } from 'postject';

export async function buildExecutable(
  entry: string,
  executable: string,
  shared: BuildOptions,
): Promise<void> {
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
    await build({ ...options, outfile: whole });
    writeFileSync(main, mainText(readFileSync(small, 'utf8')));
    const sea = {
      main,
      output: blob,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      assets: { whole },
    };
    writeFileSync(settings, JSON.stringify(sea));
    execFileSync(process.execPath, ['--experimental-sea-config', settings], { stdio: 'pipe' });
    copyFileSync(process.execPath, executable);
    chmodSync(executable, 0o755);
    await quietly(() =>
      inject(executable, 'NODE_SEA_BLOB', readFileSync(blob), {
        sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
      }),
    );
    const sizes = [executable, whole, small].map((file) => (statSync(file).size / 1024 / 1024).toFixed(1));
    console.log(`dist/chandler-flexnode: ${sizes[0]} MiB, of which ${sizes[1]} and ${sizes[2]} MiB are ours`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

// ---------------------------------------------------------------------------------------------------

/** First words for which the small bundle is enough. */
const SMALL_VERBS = ['token', 'version', 'config', 'help', '--help', '-h', '--version', '-v'];

/** Modules that these verbs load when they need them; what any other verb loads is left to the whole bundle. */
const SMALL_MODULES = new Set(['load-config.ts', 'refusal.ts', 'failure-words.ts', 'exec-credential.ts']);

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

function mainText(small: string): string {
  return `
const word = process.argv[2];
if (word === undefined || ${JSON.stringify(SMALL_VERBS)}.includes(word)) {
${small}
} else {
  const { getAsset } = require('node:sea');
  const { compileFunction } = require('node:vm');
  const module = { exports: {} };
  const code = compileFunction(getAsset('whole', 'utf8'), ['exports', 'require', 'module'], { filename: 'chandler-flexnode' });
  code(module.exports, require, module);
}
`;
}

/** Rewriting the program warns about the names of its notes, which nobody reads. */
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

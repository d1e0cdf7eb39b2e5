/** What `.ci/run` runs, against what CONTRIBUTING.md and package.json say. */
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** Without their arguments. */
const steps = [...read('.ci/run').matchAll(/^step (?:env \S+ )?npm (.+)$/gm)].map(
  ([, step]) => step!.split(' -- ')[0]!,
);
const scripts = (JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }).scripts;

/** Commands of CONTRIBUTING.md that CI does not run, and why. */
const NOT_IN_CI: Readonly<Record<string, string>> = {
  'test:quick': 'a part of npm test',
  'test:why': 'npm test runs a sample of the corpus',
  'test:faults': 'one seed; CI runs test:faults:all',
  'test:deep': 'takes hours',
  'test:properties': 'npm test runs them with one seed; what other seeds find is not about the change',
  'test:upstream': 'takes minutes, and upstream gives other plans from run to run',
  format: 'check finds what it would change',
  generate: 'check finds what it would change',
  build: 'test:dist builds',
  pack: 'test:dist packs',
  image: 'test:image builds it',
  release: 'test:release runs it',
  bench: 'measures',
  'bench:disruption': 'measures',
  'bench:page': 'measures',
  'cases:record': 'records',
  lock: 'test/structure checks the lockfile',
};

test('.ci/run runs every command of CONTRIBUTING.md, or this file says why not', () => {
  const listed = [...read('CONTRIBUTING.md').matchAll(/^npm (?:run )?([a-z:-]+) +#/gm)].map(
    ([, name]) => name!,
  );
  expect(listed).toContain('test:coverage');
  const missing = listed.filter(
    (name) => !(name in NOT_IN_CI) && !steps.includes(`run ${name}`) && !steps.includes(name),
  );
  expect(missing).toEqual([]);
});

test('every step of .ci/run is a command of package.json', () => {
  expect(steps.length).toBeGreaterThan(4);
  const unknown = steps.filter((step) => !step.startsWith('ci ') && !(step.replace('run ', '') in scripts));
  expect(unknown).toEqual([]);
});

describe('what npm test leaves out (test/part.ts)', () => {
  const users = globSync('{packages,test,bench,scripts}/**/*.ts', {
    cwd: ROOT,
    exclude: (path) => /node_modules/.test(path),
  })
    .map((path) => path.split(sep).join('/'))
    .filter((path) =>
      /\b(?:RUNS_ALL|everyNth|someOf|inFull)\b[^;]* from '[./]+\/(?:test\/)?part\.ts'/.test(read(path)),
    )
    .sort();
  const inFull = [...read('.ci/run').matchAll(/^step env CHANDLER_TESTS=all npx vitest run (.+)$/gm)].flatMap(
    ([, paths]) => paths!.split(' '),
  );
  const isIn = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

  test('runs in .ci/run, which names every file that leaves something out, or its folder', () => {
    const files = users.filter((path) => path.endsWith('.test.ts'));
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((path) => !inFull.some((place) => isIn(path, place)))).toEqual([]);
  });

  test('is left out by test files themselves, so that it can be seen which', () => {
    // npm test runs none of test/page.
    expect(users.filter((path) => !path.endsWith('.test.ts'))).toEqual(['test/page/scenario-page.ts']);
  });

  test('is why .ci/run runs a file once more', () => {
    expect(inFull.filter((place) => !users.some((path) => isIn(path, place)))).toEqual([]);
  });
});

test('test:dist builds the package before it tests it', () => {
  expect(scripts['test:dist']).toBe('node test/dist/run.ts');
  expect(read('test/dist/run.ts')).toMatch(/scripts\/build\.ts/);
});

test('the coverage that CONTRIBUTING.md promises is the threshold of the command', () => {
  const promised = /test:coverage +# at least (\d+) % of the lines/.exec(read('CONTRIBUTING.md'))?.[1];
  expect(read('vitest.config.ts')).toContain(`thresholds: { lines: ${promised} }`);
  expect(scripts['test:coverage']).toContain('--coverage');
});

test.each(['ci.yml', 'release.yaml'])(
  '%s names every action by its commit, and says which version that is',
  (file) => {
    const used = [...read(`.github/workflows/${file}`).matchAll(/uses: (.*)$/gm)].map(
      ([, action]) => action!,
    );
    expect(used.length).toBeGreaterThan(2);
    expect(used.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  },
);

import { defineConfig } from 'vitest/config';

const NOT_HERE = ['test/cluster/**', 'test/moto/**', 'test/page/suites/**', '**/node_modules/**'];
/** They put their own clock and timers in place of the process's, before anything else is loaded. */
const ALONE = ['test/faults/**/*.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['{packages,test,bench,scripts}/**/*.test.ts'],
          exclude: [...NOT_HERE, ...ALONE],
          // Loading modules anew for every file took half of the time.
          isolate: false,
          setupFiles: ['test/property-seed.ts'],
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, exclude: NOT_HERE } },
    ],
    // On two cores the default is one. With two a third of the time is spent waiting: for processes, sockets and real time.
    maxWorkers: 3,
    // A golden file that is missing is a failure; `vitest run -u` writes it.
    update: 'none',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: {
      provider: 'v8',
      include: ['packages/chandler/src/api/**', 'packages/kube/src/**'],
      exclude: ['**/*.test.ts', '**/*.gen.ts', '**/*.table.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 90 },
    },
  },
});

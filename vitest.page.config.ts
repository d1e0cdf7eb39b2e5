import { configDefaults, defineConfig } from 'vitest/config';

const playsScenarios = process.env['CHANDLER_TESTS'] === 'all';

/** Suites that need a browser; `npm run test:page` says where it is. One after the other: they share the processors. */
export default defineConfig({
  test: {
    include: ['test/page/suites/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(playsScenarios ? [] : ['test/page/suites/scenarios-*.test.ts'])],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});

import { defineConfig } from 'vitest/config';

/** Suites that need moto's server, which has one account for all of them; `npm run test:moto` starts it and says where it is. */
export default defineConfig({
  test: {
    include: ['test/moto/**/*.moto.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    // So that the instance types are listed once.
    isolate: false,
  },
});

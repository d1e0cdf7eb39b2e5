import { defineConfig } from 'vitest/config';

/** Suites that need a real control plane; `npm run test:cluster` starts one and says where it is. */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.cluster.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
});

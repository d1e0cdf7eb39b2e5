import { defineConfig } from 'vitest/config';

/** Suites that need a browser; `npm run test:page` says where it is. One after the other: they share the processors. */
export default defineConfig({
  test: {
    include: ['test/page/suites/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});

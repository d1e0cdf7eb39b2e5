import { expect, test } from 'vitest';
import { CloudError } from './errors.ts';

test.each([
  [0, 1_000],
  [400, 1_000],
  [7_000, 7_000],
])('a cloud that asks for a wait of %i ms is asked again after %i ms', (asked, ms) => {
  const { advice } = new CloudError('Throttled', 'busy', { advice: { retry: 'after', ms: asked } });
  expect(advice).toEqual({ retry: 'after', ms });
});

import { describe, expect, test } from 'vitest';
import { throttlesClass } from './throttling.ts';

const answer = (error: unknown, status = 429) => ({ status, text: JSON.stringify({ error }) });

describe('an answer 429', () => {
  test.each([
    ['of ARM, for the subscription', { code: 'SubscriptionRequestsThrottled', message: 'exceeded' }],
    [
      'of Compute, for the subscription',
      {
        code: 'OperationNotAllowed',
        message: 'too many requests',
        details: [
          {
            code: 'TooManyRequests',
            target: 'PutVMSubscriptionMaximum',
            message: '{"operationGroup":"PutVMSubscriptionMaximum"}',
          },
        ],
      },
    ],
    ['of Network, for the subscription', { code: 'TooManyRequests', message: 'limit reached' }],
    ['of Resource Graph', { code: 'RateLimiting', message: 'Please provide below info' }],
  ])('%s throttles the class of calls', (_, error) => {
    expect(throttlesClass(answer(error))).toBe(true);
  });

  test.each([
    ['of Network: RetryableError', { code: 'RetryableError', message: 'A retryable error occurred.' }],
    [
      'of Network: RetryableErrorDueToAnotherOperation',
      { code: 'RetryableErrorDueToAnotherOperation', message: 'Operation on nic is preempted.' },
    ],
    [
      'of Network: ReferencedResourceNotProvisioned',
      { code: 'ReferencedResourceNotProvisioned', message: 'in Updating state' },
    ],
    [
      'of Compute, for one VM',
      {
        code: 'OperationNotAllowed',
        message: 'too many requests',
        details: [
          { code: 'TooManyRequests', target: 'PutVMResource', message: '{"operationGroup":"PutVMResource"}' },
        ],
      },
    ],
  ])('%s is about one resource, and throttles nothing else', (_, error) => {
    expect(throttlesClass(answer(error))).toBe(false);
  });

  test('without an error of Azure throttles the class: a gateway on the way sends it', () => {
    expect(throttlesClass({ status: 429, text: '<html>slow down</html>' })).toBe(true);
    expect(throttlesClass({ status: 429, text: '' })).toBe(true);
  });

  test('is the only one that does', () => {
    expect(throttlesClass(answer({ code: 'TooManyRequests', message: '' }, 503))).toBe(false);
  });
});

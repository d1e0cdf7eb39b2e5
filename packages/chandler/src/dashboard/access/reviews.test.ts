import { NODES, type ResourceRef, type Transport } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { Reviews } from './reviews.ts';

/** An API server that answers every review with this status. */
function reviewsOf(status: object): Reviews {
  const transport = (async () => ({
    status: 201,
    headers: {},
    text: async () => JSON.stringify({ status }),
  })) as unknown as Transport;
  return new Reviews({ transport, clock: virtualWorld().clock });
}

const mayList = (status: object) =>
  reviewsOf(status).mayList({ username: 'ann', groups: [] }, NODES as ResourceRef);

test('an authorizer that failed is no missing permission: nobody knows what it would have said', async () => {
  const evaluationError = 'failed to check access: 429 Too Many Requests';
  await expect(mayList({ allowed: false, evaluationError })).rejects.toThrow(
    `the API server could not check the permissions of this user: ${evaluationError}`,
  );
  expect(await mayList({ allowed: true, evaluationError })).toBe(true);
  expect(await mayList({ allowed: false, denied: true, evaluationError })).toBe(false);
  expect(await mayList({ allowed: false, reason: 'RBAC: clusterrole "x" not found' })).toBe(false);
});

test('an authenticator that did not answer is no wrong token, and a token that is not valid is no failure', async () => {
  const userOf = (error: string) => reviewsOf({ authenticated: false, error }).userOf('the-secret-token');
  for (const error of [
    'Post "https://guard.kube-system:443/": context deadline exceeded',
    'Post "https://guard.kube-system:443/the-secret-token": dial tcp: connection refused',
  ]) {
    const failure = await userOf(error).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(String(failure)).toContain('the API server could not check the token');
    expect(String(failure)).not.toContain('the-secret-token');
  }
  expect(await userOf('[invalid bearer token, service account token has expired]')).toBeUndefined();
});

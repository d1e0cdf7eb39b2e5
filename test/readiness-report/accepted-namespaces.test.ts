/** A suppression of an object with a namespace is about this one, not about one of the same name in another namespace. */
import { expect, test } from 'vitest';
import { CHECKS, judgeAccepted } from '../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../packages/chandler/src/readiness/testing.ts';

const RULE = 'K-21 until 2027-01-31: one replica';
const ANNOTATED = `  annotations: {readiness/ignore: "${RULE}"}\n`;

const aBudget = (namespace: string, more = '') => `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: api
  namespace: ${namespace}
${more}spec:
  maxUnavailable: 0
`;

/** The namespace and status of each finding, where the cluster has these budgets. */
async function statuses(cluster: string, files: Readonly<Record<string, string>> = {}) {
  const { findings } = await judgeAccepted(inputsOf({ ...files, 'cluster.yaml': cluster }), {
    checks: CHECKS.filter(({ id }) => id === 'K-21'),
    policy: { strict: false },
    nowMs: Date.UTC(2026, 10, 17),
  });
  return Object.fromEntries(
    findings.map(({ status, evidence: [first] }) => [
      first !== undefined && 'call' in first.at ? first.at.call.split('/')[5] : '',
      status,
    ]),
  );
}

test('an annotation of a live object is not about one of the same name in another namespace', async () => {
  const cluster = `${aBudget('shop', ANNOTATED)}---\n${aBudget('bank')}`;
  expect(await statuses(cluster)).toEqual({ shop: 'skip', bank: 'warn' });
});

test('an annotation in a file is not about a live object of the same name in another namespace', async () => {
  const files = { 'budget.yaml': aBudget('shop', ANNOTATED) };
  expect(await statuses(aBudget('bank'), files)).toMatchObject({ bank: 'warn' });
});

/**
 * The CRDs on a real API server: it takes them, it accepts what should be accepted, and it refuses what should be
 * refused, in the words that users of these kinds know.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtinCrds } from '../../packages/chandler/src/api/kinds/index.ts';
import { readCaseFiles, tryCase } from './crds/cases.ts';
import { expectAnswer } from './crds/expectation.ts';
import { serverFromEnvironment } from './crds/server.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const found = serverFromEnvironment(process.env);
if (found === undefined) throw new Error('CHANDLER_TEST_SERVER names no API server to test against');
const server = found;

interface CrdStatus {
  readonly status?: { readonly conditions?: readonly { type: string; status: string; message?: string }[] };
}

beforeAll(async () => {
  for (const crd of builtinCrds()) {
    const path = `${CRDS}/${crd.metadata.name}`;
    const answer = await server.send(
      'PATCH',
      `${path}?fieldManager=crds-test&force=true&fieldValidation=Strict`,
      crd,
    );
    expect(answer.code, JSON.stringify(answer.body)).toBeOneOf([200, 201]);
  }
  for (const crd of builtinCrds()) await established(crd.metadata.name);
}, 60_000);

afterAll(() => server.close());

test.each(builtinCrds().map((crd) => crd.metadata.name))('%s is structural and served', async (name) => {
  const conditions = await conditionsOf(name);
  expect(conditions).toMatchObject({ NamesAccepted: 'True', Established: 'True' });
  expect(conditions['NonStructuralSchema'] ?? 'False').toBe('False');
});

for (const { file, base, cases } of readCaseFiles()) {
  describe(file, () => {
    test.each(cases.map((row, index) => ({ row, index, name: row.name })))(
      '$name',
      async ({ row, index }) => {
        const prefix = `case-${file.replace('.yaml', '')}`;
        expectAnswer(row, await tryCase(server.send, base, row, `${prefix}-${index}`));
      },
    );
  });
}

// ---------------------------------------------------------------------------------------------------------------

async function conditionsOf(name: string): Promise<Record<string, string>> {
  const { body } = await server.send('GET', `${CRDS}/${name}`);
  const conditions = (body as CrdStatus).status?.conditions ?? [];
  return Object.fromEntries(conditions.map((condition) => [condition.type, condition.status]));
}

async function established(name: string): Promise<void> {
  while ((await conditionsOf(name))['Established'] !== 'True') await sleep(50);
}

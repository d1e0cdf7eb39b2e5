/** Compares the answer to a case with what the case expects. Any API server under test is held to the same. */
import type { Status } from '@chandler/kube';
import { expect } from 'vitest';
import type { Answer, CrdCase } from './cases.ts';

export function expectAnswer(row: CrdCase, answer: Answer): void {
  if (row.warning !== undefined) expect(answer.warning).toContain(row.warning);
  if (row.refused === undefined) {
    expect(answer.code, JSON.stringify(answer.body)).toBeOneOf([200, 201]);
    expect(answer.body).toMatchObject(row.stored ?? {});
    return;
  }
  const status = answer.body as Status;
  const code = row.code ?? 422;
  expect(answer.code, JSON.stringify(status)).toBe(code);
  expect(status.reason).toBe(code === 422 ? 'Invalid' : 'BadRequest');
  for (const part of row.refused) expect(status.message).toContain(part);
  if (row.field !== undefined) expect(status.details?.causes?.[0]?.field).toBe(row.field);
}

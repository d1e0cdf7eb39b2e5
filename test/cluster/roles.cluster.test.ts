/**
 * deploy/rbac.yaml and deploy/rbac-aws.yaml against what controllers requested in this run: the stories on the real control plane,
 * read from its audit log, and the suites of controllers, operator, takeover and scenarios on the embedded API server, all under
 * exactly these roles. A refused request fails its own suite; here a rule fails that nothing used.
 */
import { expect, test } from 'vitest';
import { type BaseRoles, covers, describe as describeRule, readRules } from '../e2e/role-rules.ts';
import { readRecords } from '../e2e/role-use.ts';

const { CHANDLER_ROLE_USE: folder } = process.env;
if (folder === undefined)
  throw new Error('CHANDLER_ROLE_USE names no records; `npm run test:cluster` sets it');
const requests = readRecords(folder);
const used = (rule: Parameters<typeof covers>[0]) => requests.some((request) => covers(rule, request));

const FILES: readonly BaseRoles[] = ['rbac.yaml', 'rbac-aws.yaml'];

test.each(FILES)('every rule of deploy/%s was used, or says why no request shows its use', (base) => {
  expect(requests.length).toBeGreaterThan(100);
  const idle = readRules(undefined, undefined, base).filter(
    (rule) => rule.excuse === undefined && !used(rule),
  );
  expect(idle.map(describeRule)).toEqual([]);
});

test.each(FILES)('a rule of deploy/%s that says why no request shows its use is not requested', (base) => {
  const stale = readRules(undefined, undefined, base).filter(
    (rule) => rule.excuse !== undefined && used(rule),
  );
  expect(stale.map(describeRule)).toEqual([]);
});

/** A cause of `why` names the checks that could have found it, and a check the causes. */
import { describe, expect, test } from 'vitest';
import { DIAGNOSES } from '../../packages/chandler/src/cloud/registry.ts';
import { causesOf } from '../../packages/chandler/src/diagnose/index.ts';
import {
  CHECKS_OF_CAUSES,
  checksLine,
} from '../../packages/chandler/src/readiness/checks-of-causes.table.ts';
import { CHECKS, explainCheck } from '../../packages/chandler/src/readiness/index.ts';

describe('causes of why and checks', () => {
  test('every id of the table is that of a cause and of checks that exist', async () => {
    const clouds = await Promise.all(DIAGNOSES.map((row) => row.diagnosis()));
    const causes = new Set(
      clouds.flatMap((cloud) => causesOf(cloud)).flatMap(({ causes }) => causes.map(({ id }) => id)),
    );
    const checks = new Set(CHECKS.map(({ id }) => id));
    expect(Object.keys(CHECKS_OF_CAUSES).filter((id) => !causes.has(id))).toEqual([]);
    const named = Object.values(CHECKS_OF_CAUSES).flat();
    expect(named.filter((id) => !checks.has(id))).toEqual([]);
  });

  test('why prints the checks below its answer', () => {
    expect(checksLine('ec2nodeclass.subnets-not-found')).toBe(
      '\nchandler check could have found it: S-07, S-10, S-26\n',
    );
    expect(checksLine('cloud.throttled')).toBe('');
  });

  test('check explain names the causes', () => {
    const text = explainCheck(CHECKS.find(({ id }) => id === 'S-26')!);
    expect(text).toContain(
      'Why:      it finds these causes of chandler why: ec2nodeclass.subnets-not-found, ec2nodeclass.security-groups-not-found\n',
    );
  });
});

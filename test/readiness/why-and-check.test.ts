/** A cause of `why` names the checks that could have found it, and a check the causes. */
import { describe, expect, test } from 'vitest';
import { CHECKS_OF_CAUSES, findingJson, findingText } from '../../packages/chandler/src/causes/index.ts';
import { DIAGNOSES } from '../../packages/chandler/src/cloud/registry.ts';
import { causesOf } from '../../packages/chandler/src/diagnose/index.ts';
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

  test('why prints the checks below the fix, and has them in JSON', () => {
    const finding = {
      id: 'ec2nodeclass.subnets-not-found',
      point: undefined,
      layer: 'configuration',
      specificity: 'exact',
      weight: 'broken',
      title: 'No subnet matches',
      summary: 'None.',
      fix: 'Tag them.',
      confirm: [],
      facts: {},
      seen: [],
    } as const;
    expect(findingText(finding)).toContain(
      '\n  check    chandler check could have found it: S-07, S-10, S-26',
    );
    expect(findingJson(finding).checks).toEqual(['S-07', 'S-10', 'S-26']);
    expect(findingText({ ...finding, id: 'cloud.throttled' })).not.toContain('chandler check');
  });

  test('check explain names the causes', () => {
    const text = explainCheck(CHECKS.find(({ id }) => id === 'S-26')!);
    expect(text).toContain(
      'Why:      it finds these causes of chandler why: ec2nodeclass.subnets-not-found, ec2nodeclass.security-groups-not-found\n',
    );
  });
});

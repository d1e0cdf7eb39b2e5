import { expect, test } from 'vitest';
import { DIAGNOSES } from '../cloud/registry.ts';
import { causesOf } from './causes/index.ts';
import { fixWithoutClaim } from './findings.ts';

/** Whoever follows one of these on a node that still runs damages data. */
const DANGEROUS = /out-of-service|--force|VolumeAttachment/;

test('on a node without a NodeClaim no cure that can damage data loses its condition', async () => {
  const causes = (
    await Promise.all(
      DIAGNOSES.map(async ({ diagnosis }) => causesOf(await diagnosis()).flatMap((table) => table.causes)),
    )
  ).flat();
  const dangerous = causes.filter(({ fix }) => DANGEROUS.test(fix));
  expect(dangerous.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['volumes.multi-attach', 'leaving.pod-stuck']),
  );
  for (const { id, fix } of dangerous) {
    const plain = fixWithoutClaim(fix);
    if (/make sure/.test(fix)) expect(plain, id).toMatch(/make sure that .*(stopped|deleted)/);
    expect(plain, id).not.toContain('NodeClaim deletes');
  }
});

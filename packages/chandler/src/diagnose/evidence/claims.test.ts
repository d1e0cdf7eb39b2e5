import { expect, test } from 'vitest';
import { ChandlerAnnotation } from '../../api/index.ts';
import { appendStages } from '../../journey/index.ts';
import { journeyEvidence } from './claims.ts';

const STAGES = appendStages(undefined, [{ name: 'extension', atMs: 0, outcome: 'failed', message: 'no' }]);
const context = { recorder: { reading: (source: string) => ({ source }) } };

function evidenceOf(annotations: Readonly<Record<string, unknown>>) {
  return journeyEvidence(context as never, { metadata: { name: 'a', annotations } } as never);
}

test('a kept log that is no text does not count', () => {
  const { journey, bootstrapLog } = ChandlerAnnotation;
  expect(evidenceOf({ [journey]: STAGES, [bootstrapLog]: '+ exit 50' })?.bootstrapLog).toBe('+ exit 50');
  for (const log of [50, null, ['+ exit 50'], { a: 1 }])
    expect(evidenceOf({ [journey]: STAGES, [bootstrapLog]: log })?.bootstrapLog).toBeUndefined();
});

test('a launch record that is no text does not count', () => {
  for (const record of [50, null, [STAGES], { a: 1 }])
    expect(evidenceOf({ [ChandlerAnnotation.journey]: record })).toBeUndefined();
});

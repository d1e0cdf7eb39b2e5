import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Claim } from '../lifecycle/claim-patch.ts';
import { type CommandRecord, commandIdOf, readRecord, recordText } from './command-record.ts';

/** The API server rejects annotations that are larger in sum. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

const RECORD: CommandRecord = {
  id: 'underutilized-x',
  method: 'multi-node',
  reason: 'Underutilized',
  decision: 'delete',
  startedAtMs: 0,
  candidates: [{ node: 'n', claim: 'c', uid: 'u', nodePool: 'default' }],
  replacements: [],
  priceBefore: 1,
  priceAfter: 0,
  podsMoved: 3000,
};

function owner(at: number) {
  const uid = createHash('sha256').update(`${at}`).digest('hex').slice(0, 36);
  return { kind: 'Deployment', namespace: `team-${at % 40}`, name: `service-${at}`, uid } as const;
}

function claimWith(text: string): Claim {
  return { metadata: { annotations: { 'chandler.sh/disruption-command': text } } } as unknown as Claim;
}

test('a command that rolls thousands of workloads fits into an annotation, and is read as it was', () => {
  const record = { ...RECORD, surges: Array.from({ length: 3000 }, (_, at) => owner(at)), rolledAtMs: 1 };
  const text = recordText(record);
  expect(text.length).toBeLessThan(MAX_ANNOTATIONS_BYTES);
  expect(readRecord(claimWith(text))).toEqual(record);
});

test('the ID of a command is read without decompressing its workloads', () => {
  const text = JSON.stringify({ ...JSON.parse(recordText(RECORD)), surges: 'no gzip' });
  expect(commandIdOf(claimWith(text))).toBe('underutilized-x');
  expect(commandIdOf(claimWith('no JSON'))).toBeUndefined();
  expect(commandIdOf({ metadata: {} } as Claim)).toBeUndefined();
});

test.each([[{}], [null], [[{}]], [[{ metadata: { name: 'a' } }]]])(
  'replacements that are not of ours make no command: %j',
  (replacements) => {
    const bodies = gzipSync(JSON.stringify(replacements)).toString('base64');
    const text = JSON.stringify({ ...JSON.parse(recordText(RECORD)), bodies });
    expect(readRecord(claimWith(text))).toBeUndefined();
  },
);

test('a list of workloads that is not one of ours makes no command', () => {
  const text = JSON.stringify({ ...JSON.parse(recordText(RECORD)), surges: 'no gzip' });
  expect(readRecord(claimWith(text))).toBeUndefined();
  expect(readRecord(claimWith(recordText({ ...RECORD, surges: [{ name: 'a' }] as never })))).toBeUndefined();
});

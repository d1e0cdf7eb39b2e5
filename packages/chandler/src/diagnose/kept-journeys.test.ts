import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeJourney } from '../journey/testing.ts';
import type { ClaimShape } from './evidence/shapes.ts';
import { failedAtMs, KEPT_LIMIT_BYTES, keptPatch, keptText, MAX_KEPT, readKept } from './kept-journeys.ts';

const AT_MS = Date.UTC(2026, 5, 1, 9);
const time = (offsetMs = 0) => new Date(AT_MS + offsetMs).toISOString();

interface Words {
  readonly name?: string;
  readonly conditions?: Readonly<Record<string, readonly [status: string, reason: string, message?: string]>>;
  readonly deleted?: boolean;
  readonly launchedMs?: number;
  readonly failedStage?: boolean;
}

function aClaim({
  name = 'a-1',
  conditions = {},
  deleted,
  launchedMs = 0,
  failedStage,
}: Words = {}): ClaimShape {
  const journey = encodeJourney([
    { name: 'vmRequest', atMs: AT_MS, outcome: failedStage ? 'failed' : 'ok', message: 'x' },
  ]);
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: time(),
      labels: { 'karpenter.sh/nodepool': 'a', other: 'x' },
      annotations: { 'chandler.sh/journey': journey, other: 'x' },
      ...(deleted ? { deletionTimestamp: time() } : {}),
    },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [],
    },
    status: {
      conditions: Object.entries(conditions).map(([type, [status, reason, message = '']]) => ({
        type,
        status,
        reason,
        message,
        lastTransitionTime: time(launchedMs),
      })),
    },
  } as unknown as ClaimShape;
}

describe('a claim has failed', () => {
  test.each<[string, Words]>([
    [
      'when its machine failed to become a node, while it is still kept',
      { conditions: { CSEProvisioned: ['False', 'CSEFailed'] } },
    ],
    [
      'when the cloud refused its machine, and it goes',
      { deleted: true, conditions: { Launched: ['Unknown', 'SubnetFull'] } },
    ],
    ['when a stage of its way failed, and it goes', { deleted: true, failedStage: true }],
    [
      'when its machine did not join in time, and it goes',
      { deleted: true, launchedMs: -15 * 60_000, conditions: { Launched: ['True', 'Launched'] } },
    ],
  ])('%s', (_, words) => expect(failedAtMs(aClaim(words))).toBeDefined());

  test.each<[string, Words]>([
    ['one that is in progress', { conditions: { Launched: ['True', 'Launched'] } }],
    ['one that is refused for now', { conditions: { Launched: ['Unknown', 'SubnetFull'] } }],
    [
      'a node that goes',
      { deleted: true, failedStage: true, conditions: { Registered: ['True', 'Registered'] } },
    ],
    [
      'one that is not needed any more',
      { deleted: true, launchedMs: -60_000, conditions: { Launched: ['True', 'Launched'] } },
    ],
  ])('not %s', (_, words) => expect(failedAtMs(aClaim(words))).toBeUndefined());
});

describe('what is kept of it', () => {
  test('is what why needs, without secrets, and always the same text', () => {
    const claim = aClaim({
      conditions: { Launched: ['Unknown', 'X', 'used token=abcdef.0123456789abcdef'] },
    });
    const text = keptText(claim, AT_MS);
    expect(text).toBe(keptText(claim, AT_MS));
    expect(text).not.toContain('0123456789abcdef');
    const kept = readKept(text);
    expect(kept?.atMs).toBe(AT_MS);
    expect(kept?.claim.metadata).toEqual({
      name: 'a-1',
      uid: 'uid-a-1',
      creationTimestamp: time(),
      labels: { 'karpenter.sh/nodepool': 'a' },
      annotations: { 'chandler.sh/journey': claim.metadata.annotations?.['chandler.sh/journey'] },
    });
  });

  test('the end of its log is kept, bounded and without secrets', () => {
    const token = ['abcdef', '0123456789abcdef'].join('.');
    const log = `${'+ a step\n'.repeat(1000)}the token ${token} was rejected`;
    const claim = aClaim({ conditions: { CSEProvisioned: ['False', 'CSEFailed'] } });
    const annotations = { ...claim.metadata.annotations, 'chandler.sh/bootstrap-log': log };
    const kept = keptText({ ...claim, metadata: { ...claim.metadata, annotations } }, AT_MS);
    expect(kept).not.toContain(token);
    const read = readKept(kept)?.claim.metadata.annotations?.['chandler.sh/bootstrap-log'];
    expect(read).toMatch(/\+ a step\nthe token \[redacted\] was rejected$/);
    expect(read!.length).toBeLessThanOrEqual(4096);
  });

  test('any text is read or is not ours', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => readKept(text)).not.toThrow();
      }),
    );
  });
});

describe('the last fifty are kept', () => {
  const textAt = (name: string, atMs: number, padding = 0) =>
    keptText(
      aClaim({
        name,
        conditions: Object.fromEntries(
          ['Launched', 'Registered', 'Initialized', 'CSEProvisioned'].map((type) => [
            type,
            ['False', 'X', 'ä'.repeat(padding)],
          ]),
        ),
      }),
      atMs,
    );
  const apply = (
    data: Readonly<Record<string, string>>,
    patch: Readonly<Record<string, string | null>> = {},
  ) =>
    Object.fromEntries(
      Object.entries({ ...data, ...patch }).filter((entry): entry is [string, string] => entry[1] !== null),
    );

  test('the oldest goes first', () => {
    let data: Record<string, string> = {};
    for (let index = 0; index < MAX_KEPT + 3; index++)
      data = apply(
        data,
        keptPatch(data, new Map([[`c-${index}`, textAt(`c-${index}`, AT_MS + index * 1000)]])),
      );
    expect(Object.keys(data)).toHaveLength(MAX_KEPT);
    expect(['c-0', 'c-1', 'c-2'].filter((name) => name in data)).toEqual([]);
  });

  test('and fewer where they are large', () => {
    const many = new Map(
      Array.from({ length: 80 }, (_, index) => [`c-${index}`, textAt(`c-${index}`, AT_MS + index, 600)]),
    );
    const data = apply({}, keptPatch({}, many));
    const bytes = Object.entries(data).reduce((sum, [name, text]) => sum + Buffer.byteLength(name + text), 0);
    expect(bytes).toBeLessThanOrEqual(KEPT_LIMIT_BYTES);
    expect(Object.keys(data).length).toBeGreaterThan(40);
    expect(Object.keys(data)).toContain('c-79');
  });

  test('what is there already is not written again', () => {
    const text = textAt('a', AT_MS);
    expect(keptPatch({ a: text }, new Map([['a', text]]))).toBeUndefined();
  });
});

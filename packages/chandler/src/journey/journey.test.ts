import { virtualWorld } from '@chandler/kube/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  appendStages,
  decodeJourney,
  encodeJourney,
  JOURNEY_LIMIT_BYTES,
  logStage,
  STAGE_OUTCOMES,
  type Stage,
} from './journey.ts';

const STAGE_NAMES = [
  'options',
  'offering',
  'image',
  'request',
  'operation',
  'result',
  'extension',
  'network',
  'template',
];

const AT = Date.UTC(2026, 10, 15);
const DES = { value: '/subscriptions/s/…/diskEncryptionSets/des', source: 'env' } as const;

const stage = (extra: Partial<Stage> = {}): Stage => ({
  name: 'vmRequest',
  atMs: AT,
  outcome: 'ok',
  ...extra,
});

describe('the annotation of a journey', () => {
  test('decodes to what was encoded: names, times, outcomes, messages, facts with their sources', () => {
    const stages: Stage[] = [
      stage({ name: 'options', facts: { diskEncryptionSet: DES, zones: 3, spot: false } }),
      stage({ name: 'vmOperation', outcome: 'waiting', message: 'Azure says: Creating' }),
    ];
    expect(decodeJourney(encodeJourney(stages))).toEqual(stages);
  });

  test('keeps the last outcome of a stage, in order of time', () => {
    const text = appendStages(
      encodeJourney([stage({ name: 'vmRequest', outcome: 'failed' }), stage({ name: 'image' })]),
      [stage({ name: 'vmRequest', atMs: AT + 1 })],
    );
    expect(decodeJourney(text)).toEqual([
      stage({ name: 'image' }),
      stage({ name: 'vmRequest', atMs: AT + 1 }),
    ]);
  });

  test('drops facts first when it is too long, from the oldest stage on', () => {
    const facts = { long: 'x'.repeat(1500) };
    const stages = STAGE_NAMES.slice(0, 4).map((name) => stage({ name, facts }));
    const kept = decodeJourney(encodeJourney(stages));
    expect(kept.map(({ name }) => name)).toEqual(STAGE_NAMES.slice(0, 4));
    expect(kept.map((one) => one.facts !== undefined)).toEqual([false, false, true, true]);
  });

  test('then drops whole stages, the oldest first; the last message stays', () => {
    const message = 'y'.repeat(900);
    const stages = STAGE_NAMES.map((name) => stage({ name, message, facts: { a: 1 } }));
    const kept = decodeJourney(encodeJourney(stages));
    expect(kept.length).toBeLessThan(STAGE_NAMES.length);
    expect(kept.map(({ name }) => name)).toEqual(STAGE_NAMES.slice(-kept.length));
    expect(kept.every((one) => one.message === message)).toBe(true);
  });

  test('a very long message does not displace all other stages', () => {
    const kept = decodeJourney(
      encodeJourney([stage({ name: 'image' }), stage({ outcome: 'failed', message: '"€'.repeat(50_000) })]),
    );
    expect(kept.map(({ name }) => name)).toEqual(['image', 'vmRequest']);
    expect(kept[1]!.message).toMatch(/…$/);
  });

  test('tokens that an error text repeats are not kept', () => {
    const token = ['abcdef', '0123456789abcdef'].join('.');
    const text = encodeJourney([
      stage({ message: `bad token ${token}; Bearer abcdefghij; https://blob/x?sig=s3cr3t%3D&se=1` }),
      stage({ name: 'bootstrap', facts: { token } }),
    ]);
    expect(text).not.toContain(token);
    expect(text).not.toContain('abcdefghij');
    expect(text).not.toContain('s3cr3t');
  });

  test.each([
    [undefined],
    [''],
    ['not json'],
    ['{"n":"image"}'],
    ['null'],
    ['[null, 1, "x", [], {}]'],
    ['[{"n":"image","t":"now","o":"ok"}]'],
    ['[{"n":"image","t":1e300,"o":"ok"}]'],
    ['[{"n":"tele port","t":1,"o":"ok"}]'],
    ['[{"n":"image","t":1,"o":"great"}]'],
  ])('%s decodes to no stages', (text) => {
    expect(decodeJourney(text)).toEqual([]);
  });

  test('of a damaged stage the readable facts are kept', () => {
    const text =
      '[{"n":"image","t":1,"o":"ok","m":7,"f":{"a":1,"b":null,"c":["v","moon"],"d":["v","flag"]}}]';
    expect(decodeJourney(text)).toEqual([
      { name: 'image', atMs: 1, outcome: 'ok', facts: { a: 1, d: { value: 'v', source: 'flag' } } },
    ]);
  });
});

describe('properties', () => {
  const anyFact = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.integer(),
    fc.boolean(),
    fc.record({
      value: fc.string({ maxLength: 80 }),
      source: fc.constantFrom('flag', 'env', 'NodeClass' as const),
    }),
  );
  const anyStage = fc.record(
    {
      name: fc.constantFrom(...STAGE_NAMES),
      atMs: fc.integer({ min: 0, max: 4e12 }),
      outcome: fc.constantFrom(...STAGE_OUTCOMES),
      message: fc.option(fc.string({ unit: 'binary', maxLength: 2000 }), { nil: undefined }),
      facts: fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), anyFact, { maxKeys: 8 }),
    },
    { requiredKeys: ['name', 'atMs', 'outcome'] },
  ) as unknown as fc.Arbitrary<Stage>;

  test('any journey fits, can be read, ends with its last stage, and stays the same when written again', () => {
    fc.assert(
      fc.property(fc.array(anyStage, { maxLength: 40 }), (stages) => {
        const text = encodeJourney(stages);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(JOURNEY_LIMIT_BYTES);
        const read = decodeJourney(text);
        expect(read.at(-1)?.name).toBe(stages.at(-1)?.name);
        expect(new Set(read.map(({ name }) => name)).size).toBe(read.length);
        expect(encodeJourney(read)).toBe(text);
      }),
    );
  });

  test('adding stages one by one equals adding them together, below the size limit', () => {
    const small = fc.array(
      anyStage.map(({ name, atMs, outcome }): Stage => ({ name, atMs, outcome })),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(small, (stages) => {
        let text: string | undefined;
        for (const one of stages) text = appendStages(text, [one]);
        expect(text ?? '[]').toBe(encodeJourney(stages));
      }),
    );
  });

  test('no text makes the reader fail', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(Array.isArray(decodeJourney(text))).toBe(true);
      }),
    );
  });
});

describe('the log', () => {
  test('has one line per stage: the claim, the outcome, each fact and its source', () => {
    const world = virtualWorld();
    logStage(world.log, stage({ facts: { diskEncryptionSet: DES, zone: 'westeurope-1' } }), {
      NodeClaim: 'default-x',
    });
    expect(world.lines).toEqual([
      {
        level: 'info',
        message: 'stage vmRequest: ok',
        fields: {
          NodeClaim: 'default-x',
          stage: 'vmRequest',
          outcome: 'ok',
          at: '2026-11-15T00:00:00.000Z',
          diskEncryptionSet: DES.value,
          diskEncryptionSetSource: 'env',
          zone: 'westeurope-1',
        },
      },
    ]);
  });

  test('logs a failure as an error, with its message', () => {
    const world = virtualWorld();
    logStage(world.log, stage({ outcome: 'failed', message: 'SkuNotAvailable' }));
    expect(world.lines).toMatchObject([{ level: 'error', fields: { detail: 'SkuNotAvailable' } }]);
  });
});

import type { KubeObject } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { type Answer, ask, golden, normalised } from './answer.fixture.ts';
import { resourcesOf } from './catalogue.ts';

interface Recorded<Case> {
  readonly definition: KubeObject;
  readonly cases: readonly Case[];
}

describe('a custom resource is answered as a real API server answered', () => {
  interface KeywordCase {
    readonly spec: unknown;
    readonly fieldValidation?: 'Strict';
    readonly code: number;
    readonly causes?: string[];
    readonly message?: string;
    readonly result?: unknown;
  }
  const { definition, cases } = golden<Recorded<KeywordCase>>('keywords');
  const [widgets] = resourcesOf(definition);

  test.each(cases.map((one) => [`${JSON.stringify(one.spec)} ${one.fieldValidation ?? ''}`, one] as const))(
    'to a widget with %s',
    (_name, recorded) => {
      const body = aBody('Widget', { spec: recorded.spec });
      const answer = ask(widgets!, body, { fieldValidation: recorded.fieldValidation ?? 'Warn' });
      expect(answer.code).toBe(recorded.code);
      if (recorded.causes !== undefined) expect(answer.causes).toEqual(normalised(recorded.causes));
      if (recorded.message !== undefined) expect(answer.message).toBe(recorded.message);
      if (recorded.result !== undefined) expect(answer.object?.['spec'] ?? null).toEqual(recorded.result);
    },
  );
});

describe('rules find what they found on a real API server', () => {
  interface ExpressionCase {
    readonly spec: unknown;
    readonly failed: readonly number[];
    readonly errors: readonly number[];
  }
  const { definition, cases } = golden<Recorded<ExpressionCase>>('expressions');
  const [evals] = resourcesOf(definition);

  test.each(cases.map((one) => [JSON.stringify(one.spec), one] as const))('about %s', (_name, recorded) => {
    const answer = ask(evals!, aBody('Eval', { spec: recorded.spec }));
    expect(rulesIn(answer, false)).toEqual(recorded.failed);
    expect(rulesIn(answer, true)).toEqual(recorded.errors);
  });

  function rulesIn(answer: Answer, isError: boolean): number[] {
    const texts = (answer.causes ?? []).filter(
      (cause) => /evaluating rule|signature for rule/.test(cause) === isError,
    );
    return texts.map((cause) => Number(/R(\d+): /.exec(cause)?.[1])).sort((one, two) => one - two);
  }
});

describe('an update may keep invalid values, and must not add new ones', () => {
  interface Part {
    readonly spec: unknown;
    readonly status?: unknown;
    readonly labels?: Record<string, string>;
  }
  interface UpdateCase {
    readonly subresource?: string;
    readonly generation: number;
    readonly old: Part;
    readonly next: Part;
    readonly code: number;
    readonly causes?: string[];
    readonly result?: { generation: number; warnings: string[] };
  }
  const { definition, cases } = golden<Recorded<UpdateCase>>('updates');
  const [ratchets] = resourcesOf(definition);

  test.each(cases.map((one, index) => [index, one] as const))(
    'as recorded in case %d',
    (_index, recorded) => {
      const current = aStored(recorded.old, recorded.generation);
      const body = aStored(recorded.next, recorded.generation);
      const { subresource } = recorded;
      const answer = ask(ratchets!, body, { current, ...(subresource === undefined ? {} : { subresource }) });
      expect(answer.code).toBe(recorded.code);
      if (recorded.causes !== undefined) expect(answer.causes).toEqual(normalised(recorded.causes));
      if (recorded.result === undefined) return;
      expect(answer.object?.metadata.generation).toBe(recorded.result.generation);
      expect([...answer.warnings].sort()).toEqual([...recorded.result.warnings].sort());
    },
  );

  function aStored({ labels, ...parts }: Part, generation: number): KubeObject {
    return aBody('Ratchet', {
      metadata: {
        name: 'one',
        uid: 'u',
        generation,
        creationTimestamp: '2026-01-01T00:00:00Z',
        ...(labels && { labels }),
      },
      ...parts,
    });
  }
});

function aBody(kind: string, parts: Record<string, unknown>): KubeObject {
  return { apiVersion: 'crdtest.example.com/v1', kind, metadata: { name: 'one' }, ...parts };
}

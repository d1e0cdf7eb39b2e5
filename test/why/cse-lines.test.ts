/**
 * Messages in which a line of the log decides what failed (`cse/lines.yaml`), as a condition has them, as `why` explains
 * them, and as `why` explains the condition when all else is gone.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  CSE_CAUSES,
  cseMessage,
  describeCseFailure,
  KEPT_LINES,
  logTail,
  MAX_LINE_LENGTH,
  MAX_MESSAGE_LENGTH,
  parseCseFailure,
} from '../../packages/chandler/src/bootstrap/index.ts';
import { type Evidence, findCauses } from '../../packages/chandler/src/causes/index.ts';
import {
  aClaim,
  aJoiningClaim,
  condition,
  evidence,
  reading,
} from '../../packages/chandler/src/causes/testing.ts';

interface Case {
  readonly name: string;
  readonly text: string;
  readonly image?: string;
  readonly code?: number;
  readonly constant?: string;
  readonly cause: string;
  readonly line?: string;
  readonly advice?: string;
  readonly never?: string;
  readonly deterministic?: boolean;
}

const { cases, others } = parse(readFileSync(join(import.meta.dirname, 'cse/lines.yaml'), 'utf8')) as {
  readonly cases: readonly Case[];
  readonly others: readonly string[];
};

const imageOf = ({ image = '202605.01.0' }: Case) =>
  `/CommunityGalleries/AKSUbuntu-1/images/2204gen2containerd/versions/${image}`;
const found = (...records: readonly Evidence[]) => findCauses([CSE_CAUSES], evidence(records))[0];

describe.each(cases)('$name', (each) => {
  const imageId = imageOf(each);
  const failure = parseCseFailure(each.text)!;
  const description = describeCseFailure(failure, { imageId });
  const message = cseMessage(description);

  test('the code, its name and the line are those of the message', () => {
    expect(failure.exitCode).toBe(each.code);
    expect(description.line).toBe(each.line);
    if (each.constant !== undefined) expect(description.constant).toBe(each.constant);
    if (each.deterministic !== undefined) expect(description.deterministic).toBe(each.deterministic);
  });

  test('the condition quotes the line, and says what to do', () => {
    if (each.line !== undefined) expect(message).toContain(`Log: "${each.line}"`);
    expect(message).toContain(each.advice ?? '');
    if (each.never !== undefined) expect(message).not.toContain(each.never);
    expect(message.length).toBeLessThanOrEqual(MAX_MESSAGE_LENGTH);
    expect(description.line?.length ?? 0).toBeLessThanOrEqual(MAX_LINE_LENGTH);
    expect(logTail(failure).length).toBeLessThanOrEqual(KEPT_LINES);
  });

  test('why names the cause and quotes the line', () => {
    const extension: Evidence = {
      kind: 'extension',
      reading: reading('extension', 'azure'),
      claim: 'default-x7k2p',
      name: 'cse-agent-karpenter',
      state: 'failed',
      message: each.text,
      imageId,
    };
    const finding = found(extension, aJoiningClaim(2));
    expect(finding?.id).toBe(each.cause);
    if (each.line !== undefined) expect(finding?.summary).toContain(`The log says: ${each.line}`);
  });

  test('why says the same from the condition alone', () => {
    const conditions = [
      condition('Launched', 'True'),
      condition('CSEProvisioned', 'False', 'CSEFailed', message),
    ];
    const finding = found(aClaim({ conditions, imageId }));
    expect(finding?.id).toBe(each.cause);
    expect(finding?.facts['line']).toBe(each.line);
  });
});

test.each(others)('it is not the bootstrap that failed: %s', (text) => {
  expect(parseCseFailure(text)).toBeUndefined();
});

import { describe, expect, test } from 'vitest';
import { checkTables, type Evidence, type EvidenceOf, findCauses } from '../../causes/index.ts';
import {
  aClaim,
  aJoiningClaim,
  aPod,
  aWaitingPod,
  cloudError,
  condition,
  evidence,
  reading,
  serialLog,
} from '../../causes/testing.ts';
import { TABLES } from '../../diagnose/testing.ts';

import { cseMessage, describeCseFailure } from './describe.ts';
import { allCodes } from './name-code.ts';
import { parseCseFailure } from './parse.ts';

const found = (...records: readonly Evidence[]) => findCauses(TABLES, evidence(records));
const message = (code: number, output = '+ exit') =>
  `Enable failed: failed to execute command: command terminated with exit status=${code}\n[stdout]\n${JSON.stringify({ ExitCode: String(code), Output: output, Error: '', ExecDuration: '3' })}\n[stderr]\n`;
const extension = (text: string, imageId?: string): EvidenceOf<'extension'> => ({
  kind: 'extension',
  reading: reading('extension of aks-default-x7k2p', 'azure'),
  claim: 'default-x7k2p',
  name: 'cse-agent-karpenter',
  state: 'failed',
  message: text,
  imageId,
});

test('the tables fit together: every id once', () => {
  expect(checkTables(TABLES)).toEqual([]);
});

describe('every exit code has a cause', () => {
  const linux = [...new Set(allCodes('linux').map(([code]) => code))];

  test.each(linux)('code %i is found on a claim that waits, and is the verdict', (code) => {
    const [top, ...others] = found(
      extension(message(code, '+ some step')),
      aJoiningClaim(2),
      aWaitingPod({ createdAtMs: 0 }),
    );
    expect(top).toMatchObject({
      id: `cse.${code}`,
      layer: 'bootstrap',
      weight: 'broken',
      facts: { code: String(code) },
    });
    expect(others).toEqual([]);
  });

  test.each(allCodes('windows').map(([code]) => code))('code %i of Windows', (code) => {
    const text = `ExitCode: |${code}|, Output: |X|, Error: |y|`;
    expect(found(extension(text), aJoiningClaim(2))[0]?.id).toBe(`cse.windows.${code}`);
  });

  test('an unknown one, and none at all', () => {
    expect(found(extension(message(199)), aJoiningClaim(2))[0]).toMatchObject({
      id: 'cse.unknown-code',
      facts: { code: '199' },
    });
    expect(found(extension('Enable failed: the handler is not ready.'), aJoiningClaim(2))[0]?.id).toBe(
      'cse.no-code',
    );
  });
});

describe('every source of the failure', () => {
  test('the extension, the operation, the serial log, the journey, the condition', () => {
    const journey: EvidenceOf<'journey'> = {
      kind: 'journey',
      reading: reading('journey'),
      claim: 'default-x7k2p',
      stages: [{ name: 'extension', atMs: 0, outcome: 'failed', message: message(50) }],
    };
    const own = cseMessage(describeCseFailure(parseCseFailure(message(50))!));
    const conditions = [
      condition('Launched', 'True'),
      condition('CSEProvisioned', 'False', 'CSEFailed', own),
    ];
    for (const witness of [
      extension(message(50)),
      cloudError('ExtensionFailed', { code: 'VMExtensionProvisioningError', message: message(50) }),
      serialLog(`[ 1.0] cloud-init[1]: {"ExitCode": "50", "Output": "+ exit 50"}\n`),
      journey,
      aClaim({ conditions }),
    ])
      expect(found(witness, aJoiningClaim(8, { name: 'other' }))[0], witness.kind).toMatchObject({
        id: 'cse.50',
        point: 'L5.5',
      });
  });

  test('the code of the extension goes before the guess from the log', () => {
    const log = serialLog(
      '[ 9.0] cloud-init[1]: curl: (6) Could not resolve host: x\nkubelet[1]: dial tcp 1.2.3.4:443: i/o timeout\n',
    );
    expect(found(extension(message(51)), log, aJoiningClaim())[0]?.id).toBe('cse.51');
  });

  test('the code of another extension on the console is none of the node', () => {
    const log = serialLog('[ 9.0] waagent: Enable failed: command terminated with exit status=51\n');
    expect(found(log, aJoiningClaim()).map(({ id }) => id)).not.toContain('cse.51');
  });

  test('a node that joined was provisioned, whatever its log says', () => {
    expect(
      found(serialLog('[ 1.0] cloud-init[1]: {"ExitCode": "50", "Output": ""}\n'), aClaim(), aPod()),
    ).toEqual([]);
  });

  test('a running or succeeded extension is no failure', () => {
    expect(found({ ...extension(message(50)), state: 'running' }, aClaim())).toEqual([]);
  });
});

describe('a misleading code is not the verdict', () => {
  test('211 without oras', () => {
    const [top, ...others] = found(extension(message(211, 'bash: oras: command not found')), aJoiningClaim());
    expect(top).toMatchObject({
      id: 'cse.really.oras-missing',
      facts: { code: '211', constant: 'ERR_ORAS_PULL_NETWORK_TIMEOUT' },
    });
    expect(top!.summary).toContain('oras binary is missing');
    expect(others).toEqual([]);
  });

  test('the same on the image that is known for it, and from our own condition when all else is gone', () => {
    const imageId = '/CommunityGalleries/AKSAzureLinux-1/images/V3gen2/versions/202601.27.0';
    expect(found(extension(message(211), imageId), aJoiningClaim())[0]?.id).toBe('cse.really.oras-missing');
    const own = cseMessage(
      describeCseFailure(parseCseFailure(message(211, 'bash: oras: command not found'))!),
    );
    const claim = aClaim({
      conditions: [condition('Launched', 'True'), condition('CSEProvisioned', 'False', 'CSEFailed', own)],
    });
    expect(found(claim)[0]?.id).toBe('cse.really.oras-missing');
  });

  test.each([211, 50])('for one claim does not hide the code %i of another claim', (code) => {
    const misled = extension(message(211, 'bash: oras: command not found'));
    const other = { ...extension(message(code)), claim: 'default-other' };
    const ids = found(misled, other, aJoiningClaim(), aJoiningClaim(8, { name: 'default-other' }));
    expect(ids.map(({ id, facts }) => [id, facts['claim']])).toEqual([
      [`cse.${code}`, 'default-other'],
      ['cse.really.oras-missing', 'default-x7k2p'],
    ]);
  });
});

test('what is shown of a message without a log has no half of a secret', () => {
  const token = ['abcdef', '0123456789abcdef'].join('.');
  const sentence = 'VMExtensionProvisioningError: Node provisioning failed. Exit code: 178, ';
  const words = 'word '.repeat(300).slice(0, 1000 - sentence.length - 16);
  const [finding] = found(extension(`${sentence}${words} ${token} and more`), aJoiningClaim(2));
  expect(finding?.id).toBe('cse.178');
  expect(JSON.stringify(finding)).toContain('Node provisioning failed');
  expect(JSON.stringify(finding)).not.toContain(token.slice(0, 12));
});

import { describe, expect, test } from 'vitest';
import { parseCseFailure } from './parse.ts';

const STATUS = {
  ExitCode: '50',
  Output:
    '+ retrycmd_if_failure 20 1 15 curl -v https://mcr.microsoft.com/v2/\ncurl: (28) timed out\n+ exit 50',
  Error: '',
  ExecDuration: '41',
  KernelStartTime: 'Tue 2026-01-27 14:30:02 UTC',
  CloudInitLocalStartTime: 'Tue 2026-01-27 14:30:06 UTC',
  CloudInitStartTime: 'Tue 2026-01-27 14:30:08 UTC',
  CloudFinalStartTime: 'Tue 2026-01-27 14:30:20 UTC',
  NetworkdStartTime: 'Tue 2026-01-27 14:30:07 UTC',
  CSEStartTime: 'Tue 2026-01-27 14:30:31 UTC',
  GuestAgentStartTime: 'Tue 2026-01-27 14:30:19 UTC',
  SystemdSummary: 'Startup finished in 2.1s (kernel) + 11.9s (userspace) = 14.0s',
  BootDatapoints: {
    KernelStartTime: 'a',
    CSEStartTime: 'b',
    GuestAgentStartTime: 'c',
    KubeletStartTime: 'd',
  },
};
const JSON_TEXT = JSON.stringify(STATUS);
const message = (code: number | string, stdout: string, stderr = '') =>
  `Enable failed: failed to execute command: command terminated with exit status=${code}\n[stdout]\n${stdout}\n[stderr]\n${stderr}`;
const operation = (inner: string) =>
  `VM has reported a failure when processing extension 'cse-agent-karpenter' (publisher 'Microsoft.Azure.Extensions' and type 'CustomScript'). Error message: '${inner}'. More information on troubleshooting is available at https://aka.ms/VMExtensionCSELinuxTroubleshoot`;

describe('what a whole message says', () => {
  test('code, trace and times are read from the status', () => {
    const failure = parseCseFailure(message(50, JSON_TEXT, 'curl: timed out'))!;
    expect(failure).toMatchObject({
      exitCode: 50,
      outerCode: 50,
      form: 'status',
      os: 'linux',
      truncated: false,
    });
    expect(failure.output).toContain('curl: (28) timed out');
    expect(failure.stderr).toBe('curl: timed out');
    expect(failure.execDurationSeconds).toBe(41);
    expect(failure.times).toEqual({
      kernelStart: 'Tue 2026-01-27 14:30:02 UTC',
      cloudInitLocalStart: 'Tue 2026-01-27 14:30:06 UTC',
      cloudInitStart: 'Tue 2026-01-27 14:30:08 UTC',
      cloudFinalStart: 'Tue 2026-01-27 14:30:20 UTC',
      networkdStart: 'Tue 2026-01-27 14:30:07 UTC',
      cseStart: 'Tue 2026-01-27 14:30:31 UTC',
      guestAgentStart: 'Tue 2026-01-27 14:30:19 UTC',
      kubeletStart: 'd',
    });
    expect(failure.systemdSummary).toContain('14.0s');
  });

  test('the code of the script goes before the code of what ran it', () => {
    expect(parseCseFailure(message(1, JSON_TEXT))).toMatchObject({
      exitCode: 50,
      outerCode: 1,
      form: 'status',
    });
  });

  test('a script that says all went well, in an extension that failed, leaves the code of the extension', () => {
    const text = message(124, JSON_TEXT.replace('"50"', '"0"'));
    expect(parseCseFailure(text)).toMatchObject({ exitCode: 124, form: 'exitStatus' });
  });

  test('the error of an operation, as text, as JSON, and as JSON in JSON', () => {
    const text = operation(message(1, JSON_TEXT));
    const body = JSON.stringify({ error: { code: 'VMExtensionProvisioningError', message: text } });
    const deployment = JSON.stringify({
      code: 'DeploymentFailed',
      details: [{ code: 'Conflict', message: body }],
    });
    for (const form of [text, body, deployment, JSON.stringify({ again: deployment })])
      expect(parseCseFailure(form)).toMatchObject({
        exitCode: 50,
        outerCode: 1,
        form: 'status',
        truncated: false,
      });
  });

  test('an error printed by an SDK, with method and rulers before the body', () => {
    const body = JSON.stringify(
      { error: { code: 'VMExtensionProvisioningError', message: operation(message(211, '')) } },
      null,
      2,
    );
    const text = `GET https://management.azure.com/subscriptions/x/operations/y\n${'-'.repeat(80)}\nRESPONSE 200: 200 OK\nERROR CODE: VMExtensionProvisioningError\n${'-'.repeat(80)}\n${body}\n${'-'.repeat(80)}`;
    expect(parseCseFailure(text)?.exitCode).toBe(211);
  });
});

describe('what is left of a message', () => {
  test('the head of the status is cut off: the sentence of the extension has the code', () => {
    const failure = parseCseFailure(message(50, JSON_TEXT.slice(30)))!;
    expect(failure).toMatchObject({ exitCode: 50, form: 'exitStatus', truncated: true });
    expect(failure.execDurationSeconds).toBe(41);
  });

  test('the status begins in the middle of its first key', () => {
    const cut = message(1, JSON_TEXT.slice(5));
    expect(parseCseFailure(cut)).toMatchObject({
      exitCode: 50,
      outerCode: 1,
      form: 'fragment',
      truncated: true,
    });
  });

  test('neither status nor sentence: the last exit of the trace', () => {
    const text = `[stdout]\n${JSON_TEXT.slice(60)}\n[stderr]\n`;
    expect(parseCseFailure(text)).toMatchObject({ exitCode: 50, form: 'trace' });
  });

  test('a number at the very end is not trusted while another digit could follow', () => {
    expect(
      parseCseFailure('Enable failed: failed to execute command: command terminated with exit status=21'),
    ).toMatchObject({
      exitCode: undefined,
      form: 'none',
    });
    expect(
      parseCseFailure('Enable failed: failed to execute command: command terminated with exit status=211')
        ?.exitCode,
    ).toBe(211);
    expect(
      parseCseFailure('Enable failed: failed to execute command: command terminated with exit status=50')
        ?.exitCode,
    ).toBe(50);
    expect(parseCseFailure('[stdout]\n{"ExitCode": "21')?.exitCode).toBeUndefined();
  });

  test('a code within the log of the script is not the code of the script', () => {
    const status = {
      ...STATUS,
      Output: 'helper said {"ExitCode": "7", "Output": ""} and command terminated with exit status=8',
    };
    expect(parseCseFailure(message(50, JSON.stringify(status)))?.exitCode).toBe(50);
    expect(parseCseFailure(message(50, JSON.stringify(status).slice(20)))?.exitCode).toBe(50);
    const beheaded = `[stdout]\n${JSON.stringify(status).slice(20)}\n[stderr]\n`;
    expect(parseCseFailure(beheaded)?.exitCode).toBeUndefined();
  });
});

describe('other forms', () => {
  test('a serial log, with the prefixes of kernel and cloud-init', () => {
    const log = [
      '[    0.000000] Linux version 5.15.0-1089-azure',
      `[   45.104418] cloud-init[1016]: ${JSON_TEXT.replace('"50"', '"215"')}`,
      '[   45.204418] cloud-init[1016]: [WARNING]: Failed running /var/lib/cloud/instance/scripts/part-001 [215]',
    ].join('\r\n');
    expect(parseCseFailure(log)).toMatchObject({ exitCode: 215, outerCode: 215, form: 'status' });
  });

  test('a serial log that has only the word of cloud-init', () => {
    const log =
      '[   45.2] cloud-init[1016]: [WARNING]: Failed running /var/lib/cloud/instance/scripts/part-001 [50]\n';
    expect(parseCseFailure(log)).toMatchObject({ exitCode: 50, form: 'cloudInit' });
  });

  test('of several boots in one log, the last counts', () => {
    const boot = (code: string) => `[   45.1] cloud-init[1]: ${JSON_TEXT.replace('"50"', `"${code}"`)}\n`;
    expect(parseCseFailure(boot('99') + boot('51'))?.exitCode).toBe(51);
    expect(parseCseFailure(boot('99') + boot('0'))).toBeUndefined();
  });

  test('a Windows node', () => {
    const text =
      'ExitCode: |5|, Output: |WINDOWS_CSE_ERROR_CHECK_API_SERVER_CONNECTIVITY|, Error: |no answer|';
    expect(parseCseFailure(text)).toMatchObject({
      exitCode: 5,
      os: 'windows',
      form: 'windows',
      error: 'no answer',
    });
    expect(parseCseFailure('ExitCode: |2')).toBeUndefined();
    expect(
      parseCseFailure('8|, Output: |WINDOWS_CSE_ERROR_DOWNLOAD_GMSA_PACKAGE|, Error: |x|')?.exitCode,
    ).toBe(38);
    expect(parseCseFailure('ExitCode: |0|, Output: |WINDOWS_CSE_SUCCESS|, Error: ||')).toBeUndefined();
  });

  test("AKS's own words", () => {
    const text = `Code="VMExtensionProvisioningError" Message="CSE failed with 'VMExtensionError_OutboundConnFail'. See the page."`;
    expect(parseCseFailure(text)).toMatchObject({ exitCode: 50, form: 'aksName' });
    expect(parseCseFailure('OrasPullUnauthorizedVMExtensionError')?.exitCode).toBe(212);
  });

  test('the state of the instance view, if there is no other source', () => {
    const view = JSON.stringify({
      statuses: [{ code: 'ProvisioningState/failed/50', level: 'Error', message: '' }],
    });
    expect(parseCseFailure(view)).toMatchObject({ exitCode: 50, form: 'stateCode' });
  });

  test('quotes as HTML, UTF-16 read byte by byte, colours', () => {
    const text = message(1, JSON_TEXT);
    expect(parseCseFailure(text.replaceAll('"', '&quot;'))?.exitCode).toBe(50);
    expect(parseCseFailure([...text].join('\u0000'))?.exitCode).toBe(50);
    expect(parseCseFailure(`\u001b[31m${text}\u001b[0m`)?.exitCode).toBe(50);
  });

  test('a status with its line breaks removed, or kept as line breaks', () => {
    const collapsed = JSON_TEXT.replaceAll('\\n', ' ').replaceAll(/ +/g, ' ');
    expect(parseCseFailure(message(1, collapsed))).toMatchObject({ exitCode: 50, form: 'status' });
    expect(parseCseFailure(message(1, JSON_TEXT.replaceAll('\\n', '\n')))).toMatchObject({
      exitCode: 50,
      form: 'status',
    });
  });
});

describe('what is no exit code', () => {
  test.each([
    ['nothing', ''],
    ['a success', 'Enable succeeded: \n[stdout]\nhello\n[stderr]\n'],
    ['a whole status of success', JSON_TEXT.replace('"50"', '"0"')],
    ['a log about something else', '[   12.0] systemd[1]: Started kubelet.\n+ exit 7\n'],
    ['JSON of others', '{"statusCode": "404", "ExitReason": "211"}'],
    [
      'another extension',
      operation('Enable failed').replace("'CustomScript'", "'Compute.AKS.Linux.Billing'"),
    ],
  ])('%s is no failure of a provisioning', (_, text) => {
    expect(parseCseFailure(text)).toBeUndefined();
  });

  test('an extension that timed out, or never ran the script, has failed without a code', () => {
    const timeout =
      'VMExtensionProvisioningTimeout: Provisioning of VM extension cse-agent-karpenter has timed out.';
    expect(parseCseFailure(timeout)).toMatchObject({ exitCode: undefined, timedOut: true, form: 'none' });
    const view =
      "ProvisioningState/failed/51 Enable failed: failed to get configuration: 'commandToExecute' is not specified";
    expect(parseCseFailure(view)).toMatchObject({ exitCode: undefined, timedOut: false, form: 'none' });
  });
});

test('secrets in the output are hidden, and the code is not', () => {
  const status = {
    ...STATUS,
    Output: [
      '+ TLS_BOOTSTRAP_TOKEN=abcdef.0123456789abcdef',
      "+ curl -H 'Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl'",
      '+ curl https://x.blob.core.windows.net/log?sv=2024&sig=AbC%2Fdef123&se=2026',
      '+ exit 50',
    ].join('\n'),
  };
  const failure = parseCseFailure(message(50, JSON.stringify(status), 'token abcdef.0123456789abcdef'))!;
  expect(failure.exitCode).toBe(50);
  for (const secret of ['0123456789abcdef', 'c2lnbmF0dXJl', 'AbC%2F'])
    expect(JSON.stringify(failure)).not.toContain(secret);
  expect(failure.output).toContain('+ exit 50');
});

test('a huge log is read in bounded time, and its end counts', () => {
  const log = `${'[    1.0] kernel: noise and more noise\n'.repeat(200_000)}[   45.1] cloud-init[1]: ${JSON_TEXT}\n`;
  expect(parseCseFailure(log)?.exitCode).toBe(50);
});

describe('a text that is cut has no half of a secret', () => {
  const TOKEN = ['abcdef', '0123456789abcdef'].join('.');
  const HALF = TOKEN.slice(0, 15);
  const SENTENCE = 'VMExtensionProvisioningTimeout ';

  test('at the end of what is reported without a code', () => {
    const words = 'word '.repeat(1000).slice(0, 4096 - SENTENCE.length - HALF.length - 1);
    const failure = parseCseFailure(`${SENTENCE}${words} ${TOKEN} and more`);
    expect(failure?.stderr).toContain('VMExtensionProvisioningTimeout word');
    expect(failure?.stderr).not.toContain(HALF);
  });

  test('at the beginning of what the extension quotes of the script', () => {
    const lines = `s3cretpart rest\n${'+ a step\n'.repeat(400)}`;
    const failure = parseCseFailure(message(50, lines, lines));
    expect(failure?.output).toMatch(/^… rest\n\+ a step/);
    expect(failure?.stderr).toMatch(/^… rest\n\+ a step/);
  });
});

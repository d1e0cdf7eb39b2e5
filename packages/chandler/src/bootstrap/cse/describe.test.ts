import { describe, expect, test } from 'vitest';
import { cseMessage, describeCseFailure } from './describe.ts';
import { parseCseFailure } from './parse.ts';

const AZURE_LINUX = (version: string) =>
  `/CommunityGalleries/AKSAzureLinux-1/images/V3gen2/versions/${version}`;
const UBUNTU = (version: string) =>
  `/CommunityGalleries/AKSUbuntu-1/images/2204gen2containerd/versions/${version}`;

function told(code: number, output: string, imageId = UBUNTU('202605.01.0'), stderr = '') {
  const status = JSON.stringify({ ExitCode: String(code), Output: output, Error: '', ExecDuration: '1' });
  const failure = parseCseFailure(
    `command terminated with exit status=${code}\n[stdout]\n${status}\n[stderr]\n${stderr}`,
  )!;
  return describeCseFailure(failure, { imageId });
}

describe('[002-AC2] the message has the code and a summary that people understand', () => {
  test('[002-AC3] with its constant, in the form of the proposal', () => {
    const message = cseMessage(told(211, '+ exit 211'));
    expect(message).toMatch(
      /^CSE exited with code 211 \(ERR_ORAS_PULL_NETWORK_TIMEOUT\): failed to get a registry token for oras login\. /,
    );
    expect(message).toContain('privatelink.azurecr.io');
  });

  test('the code comes first, so that a cut does not lose it', () => {
    expect(cseMessage(told(50, 'x'.repeat(2900))).slice(0, 60)).toContain('code 50 (ERR_OUTBOUND_CONN_FAIL)');
  });

  test('two names where two are possible, with the reason', () => {
    const message = cseMessage(told(231, 'no words', UBUNTU('202603.10.0')));
    expect(message).toContain('code 231 (ERR_ORAS_PULL_SYSEXT_FAIL or ERR_IMDS_FETCH_FAILED)');
    expect(message).toContain('Note:');
  });

  test('one name where the log decides', () => {
    const imds = told(231, '+ curl -s http://169.254.169.254/metadata/instance', UBUNTU('202603.10.0'));
    expect(imds).toMatchObject({
      constant: 'ERR_IMDS_FETCH_FAILED',
      group: 'metadata',
      ambiguous: undefined,
    });
    expect(imds.hint).toContain('metadata service');
    const sysext = told(231, '+ oras pull registry/sysext/kubelet:v1', UBUNTU('202603.10.0'));
    expect(sysext).toMatchObject({ constant: 'ERR_ORAS_PULL_SYSEXT_FAIL', group: 'registry' });
    expect(told(225, 'E: nvidia key', UBUNTU('202603.10.0')).constant).toBe(
      'ERR_NVIDIA_GPG_KEY_DOWNLOAD_TIMEOUT',
    );
  });

  test('a code without a name still says what it is', () => {
    expect(cseMessage(told(199, ''))).toContain(
      'CSE exited with code 199: a code that is unknown for this node image',
    );
    expect(cseMessage(told(124, '+ exit 124'))).toContain('time limit');
  });

  test('a failure without a code', () => {
    const failure = parseCseFailure('VMExtensionProvisioningTimeout: has timed out')!;
    const message = cseMessage(describeCseFailure(failure));
    expect(message).toContain('CSE failed without an exit code: Azure stopped waiting');
  });
});

describe('a code that misleads', () => {
  test('211 while the log shows that oras was not found', () => {
    const description = told(
      211,
      '+ oras login\n/opt/azure/containers/provision_source.sh: line 88: oras: command not found',
    );
    expect(description.misleading).toMatchObject({ id: 'oras-missing' });
    expect(description.misleading!.really).toContain('oras binary is missing');
    expect(description).toMatchObject({
      constant: 'ERR_ORAS_PULL_NETWORK_TIMEOUT',
      deterministic: true,
      page: undefined,
    });
    expect(cseMessage(description)).toContain('Actual cause: the oras binary is missing in the node image');
    expect(description.hint).not.toContain('private endpoint');
  });

  test('also when only stderr shows it', () => {
    expect(told(211, '+ exit 211', undefined, 'bash: oras: command not found').misleading?.id).toBe(
      'oras-missing',
    );
  });

  test('211 on the image that is known to lack oras, although the log is silent', () => {
    expect(told(211, '+ exit 211', AZURE_LINUX('202601.27.0')).misleading?.id).toBe(
      'oras-missing-in-known-image',
    );
    expect(told(211, '+ exit 211', AZURE_LINUX('202601.13.0')).misleading).toBeUndefined();
    expect(told(211, '+ exit 211', UBUNTU('202601.27.0')).misleading).toBeUndefined();
  });

  test.each([
    ['disk-full', 99, 'write error: No space left on device'],
    ['name-resolution', 31, 'curl: (6) Could not resolve host: packages.aks.azure.com'],
    ['clock', 211, 'x509: certificate has expired or is not yet valid: current time 2016'],
    ['intercepted', 50, 'x509: certificate signed by unknown authority'],
    ['proxy', 50, 'proxyconnect tcp: dial tcp 10.0.0.9:3128: i/o timeout'],
    ['package-lock', 102, 'E: Could not get lock /var/lib/dpkg/lock-frontend'],
    ['probe-tool-missing', 50, "timeout: failed to run command 'nc': No such file or directory"],
    ['out-of-memory', 137, 'Out of memory: Killed process 812 (apt-get)'],
    ['name-never-defined', 1, '+ systemctl restart kubelet\n+ exit'],
  ])('%s behind code %i', (id, code, output) => {
    expect(told(code, output).misleading?.id).toBe(id);
  });

  test.each([
    [50, 'curl: (6) Could not resolve host: mcr.microsoft.com'],
    [50, 'curl: (60) SSL certificate problem: unable to get local issuer certificate'],
    [50, 'curl: (56) Received HTTP code 407 from proxy after CONNECT'],
    [50, 'x509: certificate is not yet valid'],
    [99, 'E: Could not get lock /var/lib/dpkg/lock-frontend'],
    [99, 'Err:1 http://azure.archive Temporary failure resolving'],
  ])('an earlier attempt does not make code %i misleading: %s', (code, line) => {
    const last =
      code === 99
        ? 'E: Failed to fetch http://azure.archive.ubuntu.com Connection timed out'
        : 'curl: (28) Failed to connect to mcr.microsoft.com port 443: Connection timed out';
    expect(told(code, `${line}\n+ sleep 1\n${line}\n+ exit ${code}`).misleading).toBeDefined();
    const description = told(code, `${line}\n+ sleep 1\n${last}\n+ exit ${code}`);
    expect(description.misleading).toBeUndefined();
    expect(description.line).toContain('timed out');
  });

  test.each([
    ['Failed to add /run/systemd/ask-password to watch: No space left on device', 50],
    ["tail: cannot watch '/var/log/syslog': No space left on device", 50],
    ['inotify_add_watch: No space left on device', 34],
    ['mkdir /sys/fs/cgroup/cpuset/kubepods: no space left on device', 34],
    ['write /opt/bin/kubelet: No space left on device', 50],
  ])(
    'a disk is not full by a line about watches or cgroups, or one of before another result: %s',
    (line, code) => {
      const last =
        code === 34
          ? 'kubelet: failed to run Kubelet: unknown flag: --foo'
          : 'curl: (28) Failed to connect to mcr.microsoft.com port 443: Connection timed out';
      expect(told(code, `${line}\n+ systemctl start x\n${last}\n+ exit ${code}`).misleading).toBeUndefined();
    },
  );

  test.each([
    'tar: /opt/cni: No space left on device\ncurl: (23) Failure writing output to destination',
    'write /var/lib/kubelet/x: No space left on device\nfailed to run Kubelet: write /x: no space left on device',
  ])('a disk is full although the script goes on for a line: %s', (lines) => {
    expect(told(99, `+ tar -xzf x\n${lines}\n+ exit 99`).misleading?.id).toBe('disk-full');
  });

  test('a step that the script can do without does not make the code misleading', () => {
    const output =
      'curl: (60) SSL certificate problem: unable to get local issuer certificate\n+ echo retry\n+ systemctl start kubelet\nkubelet: failed to run Kubelet: unknown flag: --foo\n+ exit 34';
    const description = told(34, output);
    expect(description.misleading).toBeUndefined();
    expect(description.line).toContain('unknown flag');
  });

  test('an honest code is not called misleading', () => {
    expect(told(50, 'curl: (28) Connection timed out').misleading).toBeUndefined();
    expect(told(52, 'Could not resolve host').misleading).toBeUndefined();
  });

  test('a time limit names the step at which the time was up, without secrets', () => {
    const description = told(
      124,
      '+ apt_get_update\n+ curl -H "Authorization: Bearer abcdefghijkl" https://x\n+ sleep',
    );
    expect(description.misleading?.really).toContain('sleep');
    expect(told(124, '+ curl --token abcdefghijkl\n+ set +x').lastCommand).toBe('curl --token [redacted]');
  });
});

import { describe, expect, test } from 'vitest';
import { partsOf } from './mime.ts';
import { BootstrapError } from './node-settings.ts';
import { flagsOf, shellWords } from './shell-words.ts';
import { readUserData, type System, systemOf } from './user-data.ts';

const NODE_CONFIG = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: playground
    apiServerEndpoint: https://api.example.com
    certificateAuthority: Q0E=
    cidr: 172.20.0.0/16
  kubelet:
    config:
      maxPods: 42
      kubeReserved:
        cpu: 80m
      registerWithTaints:
        - key: karpenter.sh/unregistered
          effect: NoExecute
    flags:
      - --node-labels=karpenter.sh/nodepool=default,team=a
`;

function mime(...parts: readonly (readonly [type: string, body: string])[]): string {
  const rendered = parts.map(([type, body]) => `--//\nContent-Type: ${type}\n\n${body}\n`);
  return `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n${rendered.join('')}--//--\n`;
}

const EXPECTED = {
  clusterName: 'playground',
  endpoint: 'https://api.example.com',
  certificateAuthority: 'Q0E=',
  labels: { 'karpenter.sh/nodepool': 'default', team: 'a' },
  maxPods: 42,
};

test('quotes in the flags of a NodeConfig are those of a unit file', () => {
  const quoted = NODE_CONFIG.replace(/- --node-labels=(.*)/, `- '--node-labels="$1"'`);
  expect(quoted).not.toBe(NODE_CONFIG);
  expect(readUserData('al2023', quoted)).toMatchObject(EXPECTED);
});

test('a plain NodeConfig is read', () => {
  const settings = readUserData('al2023', NODE_CONFIG);
  expect(settings).toMatchObject({ ...EXPECTED, kubeReserved: { cpu: '80m' } });
  expect(settings.taints).toEqual([{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }]);
});

test('NodeConfigs of a MIME document are merged, the last one wins', () => {
  const own = NODE_CONFIG.replace('maxPods: 42', 'maxPods: 10').replace('team=a', 'zone=b');
  const settings = readUserData(
    'al2023',
    mime(
      ['text/x-shellscript', '#!/bin/bash\necho hello'],
      ['application/node.eks.aws', own],
      ['application/node.eks.aws', NODE_CONFIG],
    ),
  );
  expect(settings).toMatchObject(EXPECTED);
});

test('bootstrap.sh is read with its quotes and continued lines', () => {
  const script = `#!/bin/bash -xe
exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1
/etc/eks/bootstrap.sh 'playground' --apiserver-endpoint 'https://api.example.com' --b64-cluster-ca 'Q0E=' \\
--use-max-pods false \\
--kubelet-extra-args '--node-labels="karpenter.sh/nodepool=default,team=a" --register-with-taints="a=b:NoSchedule,karpenter.sh/unregistered:NoExecute" --max-pods=42'
`;
  const settings = readUserData('al2', mime(['text/x-shellscript; charset="us-ascii"', script]));
  expect(settings).toMatchObject(EXPECTED);
  expect(settings.taints).toEqual([
    { key: 'a', value: 'b', effect: 'NoSchedule' },
    { key: 'karpenter.sh/unregistered', value: '', effect: 'NoExecute' },
  ]);
});

test('settings of Bottlerocket are read', () => {
  const toml = `[settings.kubernetes]
api-server = 'https://api.example.com'
cluster-certificate = 'Q0E='
cluster-name = 'playground'
max-pods = 42
[settings.kubernetes.node-labels]
"karpenter.sh/nodepool" = 'default'
team = 'a'
[settings.kubernetes.node-taints]
"karpenter.sh/unregistered" = [':NoExecute']
`;
  const settings = readUserData('bottlerocket', toml);
  expect(settings).toMatchObject(EXPECTED);
  expect(settings.taints).toEqual([{ key: 'karpenter.sh/unregistered', value: '', effect: 'NoExecute' }]);
});

test('PowerShell is read', () => {
  const script = `<powershell>
[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"
& $EKSBootstrapScriptFile -EKSClusterName 'playground' -APIServerEndpoint 'https://api.example.com' -Base64ClusterCA 'Q0E=' -KubeletExtraArgs '--node-labels="karpenter.sh/nodepool=default,team=a" --max-pods=42'
</powershell>`;
  expect(readUserData('windows', script)).toMatchObject(EXPECTED);
});

describe('what a real machine cannot read', () => {
  const rows: readonly (readonly [what: string, system: System, text: string, message: string])[] = [
    ['nothing', 'al2023', '', 'could not find NodeConfig'],
    [
      'a script of AL2 on AL2023',
      'al2023',
      '#!/bin/bash\n/etc/eks/bootstrap.sh playground',
      'No such file or directory',
    ],
    ['YAML that is none', 'al2023', mime(['application/node.eks.aws', 'a: [']), 'error converting YAML'],
    [
      'another kind',
      'al2023',
      mime(['application/node.eks.aws', 'apiVersion: v1\nkind: Pod']),
      'no kind "Pod"',
    ],
    [
      'no cluster name',
      'al2023',
      NODE_CONFIG.replace('    name: playground\n', ''),
      'Name is missing in cluster configuration',
    ],
    [
      'no CIDR',
      'al2023',
      NODE_CONFIG.replace('    cidr: 172.20.0.0/16\n', ''),
      'CIDR is missing in cluster configuration',
    ],
    [
      'a script without bootstrap.sh',
      'al2',
      '#!/bin/bash\necho hello',
      'no script called /etc/eks/bootstrap.sh',
    ],
    ['an open quote', 'al2', "#!/bin/bash\n/etc/eks/bootstrap.sh 'playground", 'unexpected EOF'],
    ['TOML that is none', 'bottlerocket', '[settings', 'Error parsing TOML'],
    [
      'TOML without a certificate',
      'bottlerocket',
      "[settings.kubernetes]\napi-server='a'\ncluster-name='b'",
      'cluster-certificate is not set',
    ],
    ['no PowerShell', 'windows', '#!/bin/bash', 'no <powershell> tag'],
  ];

  test.each(rows)('%s', (_, system, text, message) => {
    expect(() => readUserData(system, text)).toThrow(BootstrapError);
    expect(() => readUserData(system, text)).toThrow(message);
  });
});

test('the system is known by the name of the image', () => {
  expect(systemOf('amazon-eks-node-al2023-x86_64-standard-1.36-v20261101')).toBe('al2023');
  expect(systemOf('amazon-eks-arm64-node-1.32-v20261101')).toBe('al2');
  expect(systemOf('bottlerocket-aws-k8s-1.36-x86_64-v1.50.0')).toBe('bottlerocket');
  expect(systemOf('Windows_Server-2022-English-Core-EKS_Optimized-1.36-2026.11.01')).toBe('windows');
  expect(systemOf('my-own-image')).toBe('al2023');
});

test('parts of a MIME document keep their types, encoded ones are decoded', () => {
  const encoded = `Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n${Buffer.from('hello').toString('base64')}`;
  const text = `MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=abc\r\n\r\n--abc\r\n${encoded}\r\n--abc--`;
  expect(partsOf(text)).toEqual([{ type: 'text/plain', body: 'hello' }]);
});

test('words and flags are split as a shell does', () => {
  expect(shellWords(`a 'b c' "d \\"e\\"" f\\ g`)).toEqual(['a', 'b c', 'd "e"', 'f g']);
  expect([...flagsOf(['--a', 'b', '--c=d=e', '--f'])]).toEqual([
    ['a', 'b'],
    ['c', 'd=e'],
    ['f', 'true'],
  ]);
});

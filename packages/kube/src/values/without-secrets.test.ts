import { describe, expect, test } from 'vitest';
import { HIDDEN, withoutSecrets } from './without-secrets.ts';

describe('what is secret is hidden', () => {
  test.each([
    ['a bootstrap token', 'using abcdef.0123456789abcdef to join', '0123456789abcdef'],
    ['a bearer token', "curl -H 'Authorization: Bearer abc.DEF-123456'", 'abc.DEF-123456'],
    ['a web token that was cut', '+ TOKEN=eyJhbGciOiJSUzI1NiJ9.eyJzdWIi', 'eyJhbGciOiJSUzI1NiJ9'],
    [
      'the signature of a signed address',
      'GET https://x.blob.core.windows.net/a?sv=1&sig=Zm9v%2BYmFy&se=2',
      'Zm9v',
    ],
    ['the same in JSON', 'https://x/a?sv=1\\u0026sig=Zm9vYmFy\\u0026se=2', 'Zm9vYmFy'],
    ['a token for EKS', 'token: k8s-aws-v1.aHR0cHM6Ly9zdHM', 'aHR0cHM6'],
    ['a token of GitHub', 'clone with ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'ghp_abc'],
    ['a client secret of Entra ID', 'using 3aB8Q~abcdefghijklmnopqrstuvwxyz0123', 'Q~abc'],
    ['a variable of YAML without a digit', 'AZURE_CLIENT_SECRET: abc~def.ghi', 'def.ghi'],
    ['a variable in a trace', '+ REFRESH_TOKEN=verysecretvalue', 'verysecretvalue'],
    ['a kubelet key', '+ KUBELET_CLIENT_CONTENT=LS0tLS1CRUdJTg==', 'LS0tLS1CRUdJTg'],
    ['a value of JSON', '{"access_token": "opaque-value", "expires_in": "1"}', 'opaque-value'],
    ['a value of JSON in JSON', '{\\"client_secret\\":\\"opaque-value\\"}', 'opaque-value'],
    ['protected settings', '"protectedSettings": {"commandToExecute": "KEY=\\"x y\\" bash run"}', 'bash run'],
    ['the command in them', '"commandToExecute":"A=1 B=two bash /opt/x.sh"', 'bash /opt/x.sh'],
    ['a flag', 'kubeadm join --token somethingsecret --v 5', 'somethingsecret'],
    ['a password in an address', 'https://me:pass123@proxy.example.com', 'pass123'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', 'MIIE'],
    ['a storage account key', 'AccountName=x;AccountKey=Zm9vYmFyYmF6;End', 'Zm9vYmFyYmF6'],
    [
      'a key of Service Bus',
      'Endpoint=sb://a.b/;SharedAccessKeyName=Root;SharedAccessKey=Zm9vYmE=',
      'Zm9vYmE',
    ],
    ['a key of AWS', 'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG', 'wJalr'],
    ['an access key', 'ACCESS_KEY=hunter2xyz99', 'hunter2'],
    ['a password of SQL Server', 'Server=tcp:x;User ID=sa;Pwd=hunter2xyz;Encrypt=True', 'hunter2'],
    ['a password of MySQL', '+ MYSQL_PWD=hunter2xyz mysqldump', 'hunter2'],
    ['a password called PASS', 'RABBITMQ_DEFAULT_PASS=hunter2xyz', 'hunter2'],
    ['a header', 'X-Api-Key: hunter2xyz99', 'hunter2'],
    ['a header in lower case', 'api-key: hunter2xyz99', 'hunter2'],
    ['a line of an INI file', 'password = hunter2xyz', 'hunter2'],
    ['a file with credentials of AWS', 'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG', 'wJalr'],
    ['a line of TOML', 'db.password = "correct horse hunter"', 'hunter'],
    ['a quoted value of YAML', "password: 'hunter2xyz99'", 'hunter2'],
    ['a quoted value with blanks', 'db_password: "correct horse hunter"', 'hunter'],
    ['a quoted value with blanks after =', 'level=info password="correct horse hunter"', 'hunter'],
    ['a quoted value with blanks in JSON', '{"password": "correct horse hunter"}', 'hunter'],
    ['a quoted value with a quote in JSON', '{"password": "correct\\"hunter"}', 'hunter'],
    ['a short value in JSON', '{"password":"abc"}', 'abc'],
    ['custom data', '{"customData":"IyEvYmluL2Jhc2g="}', 'IyEv'],
    ['a password with a domain', 'password=DOMAIN\\hunter2 was rejected', 'hunter2'],
    ['a password that begins with a backslash', 'password=\\nhunter2', 'hunter2'],
    ['a secret behind one with an open quote', `{"token":"k {'api_key': "hunter2"}`, 'hunter2'],
    ['a password with a slash in an address', 'postgres://u:pa/ss99@h/db', 'ss99'],
    ['a password with an at sign in an address', 'postgres://u:pa@ss99@h/db', 'ss99'],
    ['a password with an ampersand near its beginning', 'DB_PASSWORD=Ab1&cd2xyz9kQ', '2xyz9kQ'],
    ['a password that begins with an ampersand', 'DB_PASSWORD=&q>hhR!3*1aaDLh', 'hhR'],
    ['what looks like a parameter in a password', 'DB_PASSWORD=Ab&cd=2xyz9kQ', '2xyz9kQ'],
    ['a password with a comma', 'DB_PASSWORD=Ab,cdef12345', '12345'],
    ['a password with a brace', '--db-password=Ab1}cd2xyz9kQ', '2xyz9kQ'],
    ['a password with a brace in a line of YAML', 'password: Ab1}cd2xyz9kQ', '2xyz9kQ'],
    ['a password with an ampersand in a line of TOML', 'db.password = Ab1&cd2xyz9kQ', '2xyz9kQ'],
    ['a password with an ampersand after a flag', 'app --password Ab1&cd2xyz9kQ', '2xyz9kQ'],
    ['a password with all of these', 'User ID=u;Password=P@ss&}word,1xyz9;Encrypt=True', 'xyz9'],
    ['an ampersand as Go writes it', '{"msg":"User ID=u;Password=Ab1\\u0026cd2xyz9;x=1"}', 'xyz9'],
    ['angle brackets as Go writes them', '{"msg":"User ID=u;Password=Ab1\\u003ccd2xyz9;x=1"}', 'xyz9'],
    ['an ampersand as XML writes it', '<add value="User ID=u;Password=Ab1&amp;cd2xyz9;x=1"/>', 'xyz9'],
    ['what looks like a parameter in a connection string', 'User ID=u;Password=Ab1xyz&cd=2xyz9;x=1', '2xyz9'],
    ['a brace in protected settings', '"protectedSettings": {"script": "KEY=a}b9 bash run"}', 'bash run'],
    ['a brace in their command', '"commandToExecute":"KEY=a}b9 bash run"}', 'bash run'],
    ['a password in the file of Redis', ">>> 'requirepass hunter2'", 'hunter2'],
    ['the password of a replica of Redis', 'masterauth hunter2', 'hunter2'],
    ['a password of a database', 'DBPASS=hunter2xyz', 'hunter2'],
    ['a password of a database in camel case', 'dbPass: hunter2xyz', 'hunter2'],
    ['a flag of Go', 'web -password hunter2xyz -v', 'hunter2'],
    ['a header with another scheme', 'Authorization: Token hunter2xyz', 'hunter2'],
    ['a key in a header', "'authorization': 'ApiKey hunter2xyz'", 'hunter2'],
    ['a list of cookies', `'set-cookie': [ 'sid=hunter2; Path=/' ]`, 'hunter2'],
    ['a list of cookies in JSON', '"set-cookie":["sid=hunter2; Path=/"]', 'hunter2'],
    ['a webhook of Discord', 'https://discord.com/api/webhooks/1234/hunter2-xyz', 'hunter2'],
    ['a workflow of Slack', 'https://hooks.slack.com/triggers/T0/12/hunter2', 'hunter2'],
    ['a password of curl behind an address', 'curl "https://x/?a=1&b=2" -u 12345:67890', '67890'],
    ['a parameter of a signed address', 'https://x/y?X-Amz-Signature=99ab&a=1', '99ab'],
    ['a security token', 'https://x/y?X-Amz-Security-Token=IQo&a=1', 'IQo'],
  ])('%s', (_, text, secret) => {
    expect(withoutSecrets(text)).not.toContain(secret);
    expect(withoutSecrets(text)).toContain(HIDDEN);
  });
});

test('what is not secret stays readable', () => {
  const harmless = [
    'failed to retrieve refresh token: connection refused',
    '{"ExitCode": "211", "Output": "+ exit 211"}',
    'command terminated with exit status=50',
    '+ oras login --identity-token-stdin --registry-config /etc/oras/config.yaml',
    'secret "db-password" not found',
    'dial tcp 10.0.0.4:443: i/o timeout',
    'no token: AADSTS7000215: Invalid client secret provided',
    '{"error_description":"AADSTS700016: no such application","client_secret": "AADSTS7000222"}',
    'label kubernetes.io/pwd-like: value1234',
    'spec.taints[1]: Duplicate value: {"Key":"dedicated","Effect":"NoSchedule"}',
    '{"key":"karpenter.sh/nodepool","operator":"In"}',
    'key: topology.kubernetes.io/zone1',
    'key=kubernetes.io/arch2 operator=In',
    'AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE {"accessKeyId":"AKIAIOSFODNN7EXAMPLE"}',
    'SharedAccessKeyName=RootManageSharedAccessKey',
    '+ PWD=/var OLDPWD=/workspace',
    '--kubelet-client-key=/etc/kubernetes/pki/client.key --authorization-mode=Webhook',
    'if token == nil1 { token = nil }',
    'secret: "registry" not found',
    '{"secretName":"registry","tokenFile":"/var/run/token","password":""}',
    'https://h:8080/image@sha256:0123 oci://registry.test/image@sha256:0123 https://[fd00::1]:443/a@b',
    'total_tokens=12345 tokens: 123456789',
    'the option requirepass is not set',
    'authorization: token expired',
  ];
  for (const text of harmless) expect(withoutSecrets(text)).toBe(text);
});

test('keeps what follows a secret', () => {
  expect(withoutSecrets('password="a b c" user=me\nnext line')).toBe(
    'password="[redacted]" user=me\nnext line',
  );
  expect(withoutSecrets('{"token":"a b","x":1}')).toBe('{"token":"[redacted]","x":1}');
  expect(withoutSecrets('{\\"token\\":\\"a b\\",\\"x\\":1}')).toBe(
    '{\\"token\\":\\"[redacted]\\",\\"x\\":1}',
  );
  expect(withoutSecrets('username=u,password=hunter2,vers=3')).toBe('username=u,password=[redacted],vers=3');
  expect(withoutSecrets('"token": "never closed\nnext line')).toBe('"token": "[redacted]\nnext line');
  expect(withoutSecrets('PASSWORD=hunter2\\nNEXT=1')).toBe('PASSWORD=[redacted]\\nNEXT=1');
});

test.each([
  ['client_secret=a1b2c3&grant_type=x', 'client_secret=[redacted]&grant_type=x'],
  ['client_secret=a1b2c3\\u0026grant_type=x', 'client_secret=[redacted]\\u0026grant_type=x'],
  ['https://h/a?token=abc&x=1', 'https://h/a?token=[redacted]&x=1'],
  ['{token=abcd, x=1}', '{token=[redacted], x=1}'],
  ['{x=1, token=abcd}', '{x=1, token=[redacted]}'],
  ['{"a":["token=abcd"],"b":1}', '{"a":["token=[redacted]"],"b":1}'],
  ['PASSWORD=abcd&& curl x', 'PASSWORD=[redacted]&& curl x'],
  ['Server=db;Password=Ab1&cd2xyz9;Encrypt=True', 'Server=db;Password=[redacted];Encrypt=True'],
  ['token=&user=joe', 'token=&user=joe'],
])('keeps what follows the value: %s', (text, kept) => {
  expect(withoutSecrets(text)).toBe(kept);
});

describe('JSON inside of JSON strings', () => {
  const SECRET_VALUES = [
    'hunter2',
    'two words hunter2',
    'a "quoted" hunter2',
    "it's hunter2",
    'ends with a backslash hunter2\\',
    'a\\b hunter2 \\" x',
    'two\nlines hunter2',
    '{"a":"hunter2"}',
    '[redacted] hunter2',
    '/etc/hunter2 and more',
  ];
  const nested = (levels: number, secret: string): string => {
    const inner = JSON.stringify({ user: 'a', password: secret, after: 'kept' });
    return levels === 0
      ? inner
      : JSON.stringify({ level: 'error', body: nested(levels - 1, secret), z: 'end' });
  };

  for (const levels of [0, 1, 2, 3, 4, 5])
    test(`a secret ${levels} strings deep is hidden, all else is kept`, () => {
      for (const secret of SECRET_VALUES)
        expect(withoutSecrets(nested(levels, secret)), secret).toBe(nested(levels, HIDDEN));
    });

  test.each([
    ['behind text', '{"msg":"request body: {\\"client_secret\\":\\"hunter2 xyz\\",\\"user\\":\\"a\\"}"}'],
    [
      'in an error of a cloud',
      '{"error":{"message":"{\\"error\\":{\\"settings\\":{\\"adminPassword\\":\\"hunter2!\\"}}}"}}',
    ],
    ['in single quotes', `{'a': 'b', 'msg': 'sent {"token": "hunter2"}'}`],
    ['in logfmt', 'level=error msg="answer {\\"token\\":\\"a \\\\\\"b\\\\\\" hunter2\\"}"'],
    ['behind =, with a quote in it', 'msg="password=\\"a \\\\\\"b\\\\\\" hunter2\\""'],
    ['in a name with blanks', '{"db password":"hunter2"}'],
    ['with quotes of two kinds', `{"password": 'hunter2'}`],
    ['behind the code of an error', '{"token":"AADSTS70001: {\\"password\\":\\"hunter2\\"}"}'],
    ['in an annotation', '{"example.com/last":"{\\"stringData\\":{\\"password\\":\\"hunter2 x\\"}}"}'],
  ])('a secret %s is hidden', (_, text) => {
    expect(withoutSecrets(text)).not.toContain('hunter2');
  });

  test('names that only resemble one keep their values', () => {
    const line = (value: object) => JSON.stringify({ msg: JSON.stringify(value) });
    for (const value of [
      { key: 'topology.kubernetes.io/zone' },
      { secretName: 'registry', tokenFile: '/var/run/token' },
      { 'no authorization': 'of this kind' },
      { password: '' },
    ])
      expect(withoutSecrets(line(value))).toBe(line(value));
  });
});

test('long lines are redacted in a time that grows with their length', () => {
  // With the square of it, ten of each would take minutes.
  const lines = [
    'a.'.repeat(10_000),
    'token'.repeat(4_000),
    'token='.repeat(3_500),
    'token="'.repeat(3_000),
    "password: '".repeat(2_000),
    '\\'.repeat(20_000),
    `token=${'\\'.repeat(20_000)}`,
    `token${'\\'.repeat(20_000)}`,
    '\\"token\\":'.repeat(2_000),
    '"a'.repeat(10_000),
    `token${' '.repeat(20_000)}`,
    'a://'.repeat(5_000),
    'a://b:'.repeat(3_500),
    '://a:'.repeat(4_000),
    '?a-'.repeat(7_000),
    'bearer '.repeat(3_000),
    'eyJ'.repeat(7_000),
    '-----BEGIN PRIVATE KEY-----'.repeat(800),
    '"a":"'.repeat(4_000),
    '"token":"'.repeat(2_000),
    '"token":\\"'.repeat(2_000),
    '"token":\\"AADSTS1'.repeat(1_500),
    `"token":\\"/etc/`.repeat(1_500),
    `'a':'"b":"`.repeat(2_000),
    `"a":"${'\\"b\\":\\"'.repeat(2_500)}`,
    `"token":"${'\\'.repeat(20_000)}`,
    `"token"${'\\'.repeat(20_000)}`,
    `"a${'\\'.repeat(20_000)}`,
    `"token\\":${'\\'.repeat(20_000)}`,
    `"token" :${' '.repeat(20_000)}`,
    `"${'token'.repeat(4_000)}":"`,
    'chpasswd:\n '.repeat(2_000),
    'chpasswd:\n list:\n  - '.repeat(1_000),
    'chpasswd <<E\n'.repeat(1_500),
    '<<E | chpasswd\n\n'.repeat(1_500),
    ' -u 1'.repeat(4_000),
    'a:b@'.repeat(5_000),
    'token=a&'.repeat(2_500),
    `token=${'&,}'.repeat(7_000)}`,
    `token=${'&amp;a,b'.repeat(2_500)}`,
    `token=${'\\u0026\\u003c'.repeat(1_700)}`,
    `token=abcd&${'a.'.repeat(10_000)}`,
    'requirepass '.repeat(2_000),
    'authorization: token '.repeat(1_000),
  ];
  for (const line of lines) {
    for (let count = 0; count < 10; count++) withoutSecrets(line);
    expect(withoutSecrets(line).length).toBeGreaterThan(0);
  }
});

test('is idempotent', () => {
  for (const text of [
    'TOKEN=abcdef.0123456789abcdef Bearer abcdefghij',
    'password=\\nhunter2xyz',
    '{"a":"{\\"token\\":\\"b c\\"}"}',
  ]) {
    const once = withoutSecrets(text);
    expect(withoutSecrets(once)).toBe(once);
  }
});

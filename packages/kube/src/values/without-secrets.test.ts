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
  ];
  for (const text of harmless) expect(withoutSecrets(text)).toBe(text);
});

test('is idempotent', () => {
  const once = withoutSecrets('TOKEN=abcdef.0123456789abcdef Bearer abcdefghij');
  expect(withoutSecrets(once)).toBe(once);
});

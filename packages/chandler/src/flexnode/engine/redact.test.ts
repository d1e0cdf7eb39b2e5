import { describe, expect, test } from 'vitest';
import { redact, redactedJson } from './redact.ts';

describe('[004-SEC-16] values that look like credentials are redacted', () => {
  test.each([
    ['token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl was refused', 'c2lnbmF0dXJl'],
    ['Authorization: Bearer abcdefgh12345678', 'abcdefgh12345678'],
    ['    client-key-data: LS0tLS1CRUdJTiBFQyBQUklWQVRF', 'LS0tLS1CRUdJTiBFQyBQUklWQVRF'],
    ['"client_secret": "pa~ss.word"', 'pa~ss.word'],
    ['client_secret=pa~ss.word&grant_type=x', 'pa~ss.word'],
    ['the body was {\\"password\\":\\"hunter2\\"}', 'hunter2'],
    ['the body was {\\\\\\"password\\\\\\":\\\\\\"hunter2\\\\\\"}', 'hunter2'],
    ['password="correct horse hunter2"', 'hunter2'],
    ['"password": "correct\\"hunter2"', 'hunter2'],
    ['{"error":{"message":"{\\"client_secret\\":\\"ab\\\\\\"cd hunter2\\"}"}}', 'hunter2'],
    ['password=DOMAIN\\hunter2 was rejected', 'hunter2'],
    ['AWS_SECRET_ACCESS_KEY=hunter2xyz', 'hunter2'],
    ['Endpoint=sb://a;SharedAccessKey=hunter2xyz=', 'hunter2'],
    ['X-Api-Key: hunter2xyz99', 'hunter2'],
    ['+ MYSQL_PWD=hunter2', 'hunter2'],
    ['kubeadm join --token hunter2xyz', 'hunter2'],
    ['joined with abcdef.0123456789abcdef', '0123456789abcdef'],
    ['proxy http://me:hunter2@proxy.test:3128 refused', 'hunter2'],
    ['https://mirror.test/a.tgz?sv=1&sig=hunter2 is gone', 'hunter2'],
    ['-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----', 'MHcCAQEE'],
  ])('%s', (text, secret) => {
    expect(redact(text)).not.toContain(secret);
  });

  test.each([
    'Could not write /etc/kubernetes/certs/ca.crt: https://dl.k8s.io/release/v1.32.7 (EROFS), sha256 abc',
    'No token: AADSTS7000215: Invalid client credentials. PWD=/var/lib',
    'The token is in /var/lib/chandler/token; accessKeyId: AKIA1234',
  ])('and nothing else: %s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('[004-SEC-16] JSON without values that look like credentials', () => {
  const TEXTS = [
    'secret="hunter2"',
    "password='hunter2'",
    '{"password":"hunter2"}',
    '{"log":"{\\"password\\":\\"hunter2\\"}"}',
    'proxy http://me:hunter2@proxy.test:3128 refused',
  ];

  test.each(TEXTS)('stays valid with %s in it', (text) => {
    const json = redactedJson({ type: 'progress', message: text, lines: [text], fields: { text } });
    expect(json).not.toContain('hunter2');
    expect(JSON.parse(json)).toEqual({
      type: 'progress',
      message: redact(text),
      lines: [redact(text)],
      fields: { text: redact(text) },
    });
  });

  test('has no text of a field with the name of a credential', () => {
    const secrets = { adminPassword: 'hunter2', a: { 'client-key-data': 'aGk=', sharedAccessKey: 'aGk=' } };
    expect(JSON.parse(redactedJson({ ...secrets, key: 'a' }))).toEqual({
      adminPassword: '<redacted>',
      a: { 'client-key-data': '<redacted>', sharedAccessKey: '<redacted>' },
      key: 'a',
    });
  });

  test('keeps other values as they are', () => {
    const value = { count: 1, ok: true, none: null, text: 'a "quoted" word', list: ['https://dl.k8s.io/a'] };
    expect(redactedJson(value, 2)).toBe(JSON.stringify(value, null, 2));
  });
});

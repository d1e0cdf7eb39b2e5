import { describe, expect, test } from 'vitest';
import { redact } from './redact.ts';

describe('[004-SEC-16] values that look like credentials are redacted', () => {
  test.each([
    ['token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl was refused', 'c2lnbmF0dXJl'],
    ['Authorization: Bearer abcdefgh12345678', 'abcdefgh12345678'],
    ['    client-key-data: LS0tLS1CRUdJTiBFQyBQUklWQVRF', 'LS0tLS1CRUdJTiBFQyBQUklWQVRF'],
    ['"client_secret": "pa~ss.word"', 'pa~ss.word'],
    ['client_secret=pa~ss.word&grant_type=x', 'pa~ss.word'],
    ['proxy http://me:hunter2@proxy.test:3128 refused', 'hunter2'],
    ['https://mirror.test/a.tgz?sv=1&sig=hunter2 is gone', 'hunter2'],
    ['-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----', 'MHcCAQEE'],
  ])('%s', (text, secret) => {
    expect(redact(text)).not.toContain(secret);
  });

  test('and nothing else', () => {
    const text =
      'Could not write /etc/kubernetes/certs/ca.crt: https://dl.k8s.io/release/v1.32.7 (EROFS), sha256 abc';
    expect(redact(text)).toBe(text);
  });
});

import { describe, expect, test } from 'vitest';
import { HIDDEN, withoutSecrets } from './without-secrets.ts';

describe('secrets in the output of commands', () => {
  test.each([
    ['+ curl -u admin:S3cr3tPass https://reg.corp/v2/', 'S3cr3tPass'],
    ['docker login -u bob -p hunter2hunter reg.corp', 'hunter2hunter'],
    ['token k8s-aws-v1.aHR0cHM6Ly9zdHMuYW1hem9uYXdz', 'aHR0cHM6'],
    ['remote ghp_abcdefghijklmnopqrstuvwxyz0123', 'ghp_abc'],
    ['id 3aB8Q~abcdefghijklmnopqrstuvwxyz', 'Q~abcdef'],
  ])('%s', (text, secret) => {
    expect(withoutSecrets(text)).not.toContain(secret);
    expect(withoutSecrets(text)).toContain(HIDDEN);
  });

  test('a date format and a unit of systemd are none', () => {
    for (const text of ['date -u +%H:%M', 'journalctl -u kubelet -p err'])
      expect(withoutSecrets(text)).toBe(text);
  });
});

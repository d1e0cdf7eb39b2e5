/** The time that it takes to hide secrets grows with the length of the text, also where it is written to make it grow faster. */
import { expect, test } from 'vitest';
import { withoutSecrets } from './without-secrets.ts';

const KIB = 1024;

/** A beginning, and what is repeated behind it. */
const TEXTS: readonly (readonly [string, string])[] = [
  ['token=a', '"'],
  ['--password a', '"'],
  ['DB_PASSWORD=x', `"'`],
  ['DB_PASSWORD=x', '"-'],
  ['token=x', '="'],
  ['db_token: a"b', '"'],
  ['', 'token=a"" '],
  ['token='.repeat(20), '"'],
  ['', `token${' '.repeat(80)}`],
  ['', 'account.key.'],
  ['', '"login",'],
  ['', '"login","-p'],
  ['', 'Authorization: a'],
  ['', 'Authorization: Negotiate a'],
  ['', 'auth = "a'],
  ['', 'aB'],
  ['', 'UFJJVkFUR'],
  ['', '-----BEGIN PRIVATE KEY-----\n'],
  ['-----BEGIN PRIVATE KEY-----', 'a '],
  ['-----BEGIN PRIVATE KEY-----', 'a\n'],
  ['-----BEGIN PRIVATE KEY-----', '%0a'],
  ['-----BEGIN PRIVATE KEY-----', '\n'],
  ['', 'Secret:  a-'],
  ['', '-----BEGIN PRIVATE KEY-----\n-----END '],
  ['', 'token: {"a":"b","error":'],
  ['', '"token":{"error":'],
  ['', 'PASSWORD $$'],
  ['', "password: a'9"],
  ['token=', 'a;'],
  ['token=', ';a '],
  ['', 'token=a;b'],
  ['', '["--token=a'],
  ['', '["--token=a -'],
  ['["--token=', 'a '],
  ['["--token=a', '\\'],
  ['', '["A_TOKEN=a b"'],
  ['', '- --token\n'],
  ['', '- --token\n- a'],
  ['- --token\n- ', '\\'],
  ['', '- --token\\n- '],
  ['', '{name: token, value: '],
  ['', '"value":"'],
  ['', '"value":"a","name":'],
  ['', '{value: '],
  ['', '\n  password: a'],
  ['password: ', 'a@'],
  ['', 'password: a@'],
  ['', ' -u 1:1 '],
  ['', '-u chpasswdeyJkey+ '],
  ['curl', ' -u 1'],
  ['', ' -uuu "a'],
  ['', '"-u","'],
  ['', ' --src-creds a'],
  ['', 'a/'],
  ['', 'login '],
  ['', 'login -'],
  ['', 'login "'],
  ['', "mysql 'a;' "],
  ['', 'login "mysql mysql mysql mysql" \''],
  ['', 'login [::1] '],
  ['', 'login -p \\"'],
  ['login -p ', '\\'],
  ['', ' -u a:a'],
  ['', 'mysql'],
  ['', 'ldapsearch '],
  ['', 'redis-cli -a'],
  ['', 'config set a'],
  ['', 'machine x login '],
  ['', ' /pass:"'],
  ['', 'net use \\\\'],
  ['', 'net user a '],
  ['', 'ConvertTo-SecureString -a "'],
  ['', 'echo a | '],
  ['', '\n+ echo a'],
  ['', '<password><Value>'],
  ['', `token =${' '.repeat(80)}`],
  ['', `A_TOKEN:${' '.repeat(80)}`],
];

test.each(TEXTS)('%j and many of %j', (head, part) => {
  const short = timeMs(head, part, 16 * KIB);
  // It has eight times the length: with the square of it, this would be sixty-four times.
  expect(timeMs(head, part, 128 * KIB)).toBeLessThan(24 * short + 2_000);
});

function timeMs(head: string, part: string, length: number): number {
  const text = head + part.repeat(length / part.length);
  const startMs = performance.now();
  expect(withoutSecrets(text).length).toBeGreaterThan(0);
  return performance.now() - startMs;
}

/** Passwords in commands of Redis, as clients print them in errors and traces; and what only looks like one. */
import { describe, expect, test } from 'vitest';
import { HIDDEN, withoutSecrets } from './without-secrets.ts';

describe('the password of a command of Redis is hidden', () => {
  test.each([
    ['of ioredis', "command: { name: 'auth', args: [ 'default', 'Hunter2xyz9!' ] }"],
    [
      'of ioredis over several lines',
      "  command: {\n    name: 'auth',\n    args: [\n      'default',\n      'Hunter2xyz9!'\n    ]\n  }",
    ],
    ['of ioredis with its name behind it', "command: { args: [ 'Hunter2xyz9' ], name: 'auth' }"],
    ['of ioredis in JSON', '"command":{"name":"auth","args":["default","Hunter2xyz9"]}'],
    [
      'of ioredis in JSON in a message',
      String.raw`{"m":"{\"command\":{\"name\":\"auth\",\"args\":[\"default\",\"Hunter\\\"2 ]xyz\"]}}"}`,
    ],
    ['with brackets and quotes in it', `command: { name: 'auth', args: [ "Hun]ter's, xyz" ] }`],
    ['that is cut', "command: { name: 'auth', args: [ 'default', 'Hunterxyz"],
    ['of node-redis', "command: 'AUTH',\n  args: [ 'Hunter2xyz9' ]"],
    ['of node-redis in one line', 'command: "AUTH" "Hunter2xyz9"'],
    ['with its user', '1700000000.1 [0 10.0.0.1:1] "AUTH" "default" "Hunter2 xyz"'],
    ['behind hello', '"hello" "3" "AUTH" "default" "Hunter2xyz9"'],
    ['in a list behind hello', "{ name: 'hello', args: [ '3', 'AUTH', 'default', 'Hunter2xyz9' ] }"],
    ['that is set for a user', "{ name: 'acl', args: [ 'SETUSER', 'shop', 'on', '>Hunter2xyz9', '~*' ] }"],
    ['in a trace of ioredis', "write command[10.0.0.1:6379]: 0 -> auth([ 'Hunterxyz' ])"],
    ['in a trace of hello', "0 -> hello([ '3', 'AUTH', 'default', 'Hunterxyz' ])"],
  ])('%s', (_, text) => {
    const safe = withoutSecrets(text);
    expect(safe).not.toMatch(/Hun|xyz/);
    expect(safe).toContain(HIDDEN);
    expect(withoutSecrets(safe)).toBe(safe);
  });
});

test.each([
  [
    '{"command":{"name":"auth","args":["a","b]c"]},"code":"NOAUTH"}',
    '{"command":{"name":"auth","args":["[redacted]","[redacted]"]},"code":"NOAUTH"}',
  ],
  ["0 -> auth([ 'a' ])\n0 -> info([])", "0 -> auth([ '[redacted]' ])\n0 -> info([])"],
  ['"AUTH" "a" "b"\n"INFO" "c"', '"AUTH" "[redacted]" "[redacted]"\n"INFO" "c"'],
])('keeps what follows the password: %j', (text, kept) => {
  expect(withoutSecrets(text)).toBe(kept);
});

test.each([
  "command: { name: 'get', args: [ 'session:1' ] }",
  "{ name: 'hello', args: [ '3' ] } { name: 'hello', args: [ 'world' ] }",
  "{ name: 'acl', args: [ 'WHOAMI' ] }",
  '{"name":"auth","args":["--listen=:8080","--upstream=shop"]}',
  '{"name":"auth","image":"x","args":["serve"]}',
  '{"name":"author","args":["serve"]}',
  'EHLO answers "AUTH", "STARTTLS" and "AUTH" is missing',
  'resource "auth" "shop" is not known',
  "const admin = auth(['admin', 'editor']);",
  'NOAUTH Authentication required. WRONGPASS invalid username-password pair or user is disabled.',
  'ERR AUTH <password> called without any password configured for the default user',
])('what is none stays: %s', (text) => {
  expect(withoutSecrets(text)).toBe(text);
});

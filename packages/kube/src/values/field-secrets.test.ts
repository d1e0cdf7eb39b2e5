/** Fields of which the name alone says too little: `pass`, and `token` and `secret` as structs, maps and options have them. */
import { describe, expect, test } from 'vitest';
import { HIDDEN, withoutSecrets } from './without-secrets.ts';

describe('is hidden', () => {
  test.each([
    "{ auth: { user: 'u', pass: 'Hunter2xyz9!' } }",
    "auth: {\n    user: 'u',\n    pass: 'Hunter xyz'\n  }",
    `{"m":"auth: {\\n  user: 'u',\\n  pass: 'Hunter xyz'"}`,
    "{ smtpUser: 'u', smtpPass: 'Hunter2xyz9' }",
    '{"smtpPass":"Hunter2","keystorePass":"Hunter2"}',
    '{"m":"{\\"smtpPass\\":\\"Hunter2\\"}"}',
    'smtpPass=Hunter2xyz9',
    'app --smtpPass=Hunterxyz -x',
    'app --smtpPass Hunterxyz -x',
    'smtpPass: Hunter2xyz9',
    'mail.smtpPass = Hunter2xyz9',
    'smtpPass="Hunter xyz"',
    '{Host:smtp User:u Pass:Hunter2xyz9}',
    '{Host:smtp SmtpPass:Hunterxyz}',
    'map[user:u pass:Hunter2xyz9]',
    'Config(user=u, pass=Hunterxyz)',
    'level=info user=u pass="Hunter xyz"',
    '{host: h, pass: Hunter2xyz9}',
    'smtp:\n  user: u\n  pass: Hunter2xyz9\n',
    'https://x.example/login?user=u&pass=Hunterxyz&x=1',

    '{url:https://api.example.com token:Hunter2xyz9abc timeout:10s}',
    '{url:x token:550e8400-e29b-41d4-a716-xyz655440000}',
    'map[jwt:map[secret:Hunter2xyz9]]',

    'Config { host: "db", password: Some("Hunterxyz!") }',
    'Config { secret: Some("Hunterxyz"), token: Some("Hunter \\"xyz") }',
    'Config {\n    password: Some(\n        "Hunter2xyz9!",\n    ),\n    port: 1,\n}',
    String.raw`{"msg":"Config { password: Some(\"Hunter xyz\") }"}`,
    String.raw`{"msg":"Config {\n    api_key: Some(\n        \"Hunterxyz\",\n    ),\n"}`,
    'Config(password: Optional("Hunterxyz"))',

    '    [DB_PASSWORD] => Hunter xyz\n    [PORT] => 80\n',
    '[{user,"u"},{password,<<"Hunterxyz">>}]',
    '[{user,"u"},{password,"Hunterxyz"}]',
    String.raw`{"m":"{db_password, <<\"Hunter xyz\">>}"}`,
  ])('%j', (text) => {
    const safe = withoutSecrets(text);
    expect(safe).not.toMatch(/Hunter|xyz/);
    expect(safe).toContain(HIDDEN);
    expect(withoutSecrets(safe)).toBe(safe);
  });
});

test('of a Secret that Go prints all values are hidden', () => {
  const value = btoa('hunter2xyz9');
  const text = `map[apiVersion:v1 data:map[api-key:${value} password:${value} token:${value}] kind:Secret]`;
  expect(withoutSecrets(text)).toBe(
    `map[apiVersion:v1 data:map[api-key:${HIDDEN} password:${HIDDEN} token:${HIDDEN}] kind:Secret]`,
  );
});

test.each([
  ["{ pass: 'a b', user: 'u' }", "{ pass: '[redacted]', user: 'u' }"],
  ['Config { password: Some("a b"), port: 1 }', 'Config { password: Some("[redacted]"), port: 1 }'],
  ['Config(pass=abcd, port=80)', 'Config(pass=[redacted], port=80)'],
  ['{User:u Pass:abcd1 Port:1}', '{User:u Pass:[redacted] Port:1}'],
  ['[DB_PASSWORD] => a b\n[PORT] => 80', '[DB_PASSWORD] => [redacted]\n[PORT] => 80'],
  ['{password,<<"a b">>},{port,1}', '{password,<<"[redacted]">>},{port,1}'],
])('keeps what follows the value: %j', (text, kept) => {
  expect(withoutSecrets(text)).toBe(kept);
});

test.each([
  'bypass: 12345678, {bypass:Hunter2xyz9} byPass=always compass: 12345678 bypass="true"',
  'tests pass: 3, the checks pass: all1234567 of them',
  'pass: 12 fail: 0\nPASS: TestShop1234\n--- PASS: TestShop12345 (0.00s)',
  '{pass:12 fail:0} map[fail:0 pass:1234] {took:1s pass:12.5s} (fail=0, pass=1234) {pass:true}',
  'PASS=3 FAIL=0 pass=1234 pass=all1234567',
  '<stat pass="12" fail="0"> pass="true"',
  "{ pass: '✅', fail: '❌' } { pass: 'passed', fail: 'failed' } { pass: '12' }",
  'firstPass: 12345678ms secondPass=done1234 onPass=continue',
  '{ pass: undefined } { smtpPass: null } smtpPass=undefined',
  "f('smtpPass:') smtpPass= smtpPass: ",
  'the pass of the mountain: 2000m, pass = true',
  '  pass: 12345678\n  pass: required\n',

  'the secret:web-tls-2024 is missing, {name:web secret:web-tls-2024} map[secret:shop/web2024]',
  'map[token:map[name:x1]] map[secret:map[secretName:web-tls-2024]] {max:1 tokens:12345678}',
  '{path:/run/secrets/token token:/run/secrets/token1}',
  "{ secret: 'registry' } { token: 'expired' }",

  'password: Some(\n    field,\n) password: None, Some("text") is there',
  'Config { password: Some(""), token: Some([redacted]) }',
  '[DB_PASSWORD] => \n[PORT] => 80\n[PASSWORD_FILE] => /run/x',
  '{password,<<>>} {password, is, wrong} {token,undefined}',
])('what is none stays: %j', (text) => {
  expect(withoutSecrets(text)).toBe(text);
});

/** What programs print where a secret is not set or not valid: the reason, which nobody must hide. */
import { describe, expect, test } from 'vitest';
import { HIDDEN, withoutSecrets } from './without-secrets.ts';

describe('the answer of a validator stays', () => {
  test.each([
    "{ NEXTAUTH_SECRET: [ 'Required' ] }",
    "{\n  ENCRYPTION_KEY: [ 'Invalid input' ],\n  JWT_SECRET: [\n    'Required'\n  ]\n}",
    "JWT_SECRET: [ 'Invalid input: expected string, received undefined' ]",
    "JWT_SECRET: [ 'String must contain at least 32 character(s)' ]",
    "JWT_SECRET: [ 'Too small: expected string to have >=32 characters' ]",
    "JWT_SECRET: [ 'Expected string, received undefined' ]",
    '{"fieldErrors":{"JWT_SECRET":["Required"]}}',
    String.raw`{"m":"{\"fieldErrors\":{\"JWT_SECRET\":[\"Required\",\"Too short\"]}}"}`,
    "{'password': ['Missing data for required field.']}",
    "{'password': ['Field required'], 'token': ['Not a valid string.']}",
    "{'password': ['Shorter than minimum length 8.']}",
    '{"password":["Input should be a valid string"],"token":["String should have at least 8 characters"]}',
  ])('%s', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  test.each([
    "{ SESSION_TOKEN: [ 'Hunter2xyz', 'Hunter3xyz' ] }",
    '{"tokens":["RequiredHunterxyz","Hunterxyz"]}',
    '{"password":["expectedHunterxyz"]}',
  ])('and a list of secrets is hidden: %s', (text) => {
    expect(withoutSecrets(text)).not.toMatch(/Hunter|xyz/);
    expect(withoutSecrets(text)).toContain(HIDDEN);
  });
});

describe('that it is not set stays', () => {
  test.each([
    'DB_PASSWORD: undefined',
    'Config(user=u, password=null)',
    'Config{user=u, password=null, x=1}',
    'db_password=None',
    'password=<nil>',
    'password=(null)',
    'JWT_SECRET: Required',
    'DB_PASSWORD: missing',
    'DB_PASSWORD=undefined',
    '+ export DB_PASSWORD=undefined',
    'with DB_PASSWORD=None, PORT=80 and A_TOKEN=missing.',
    '"Env":["DB_PASSWORD=undefined","PATH=/bin"]',
    '["app","--password=undefined","--port"]',
    'app --password undefined --port 80',
    'Server=db;Password=null;Encrypt=yes',
    'client_secret=undefined&grant_type=x',
    String.raw`{"m":"DB_PASSWORD=undefined\nPORT=80"}`,
    'smtpPass=undefined',
  ])('%s', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  test.each([
    'DB_PASSWORD=undefined1xyz',
    'DB_PASSWORD=null,Hunterxyz',
    'password=none;Hunterxyz',
    'DB_PASSWORD: missingHunterxyz',
    'app --password null-Hunterxyz',
    '["--password=none Hunterxyz"]',
    'db_password=None&Hunterxyz',
  ])('and what begins like it is hidden: %s', (text) => {
    expect(withoutSecrets(text)).not.toMatch(/Hunter|xyz/);
    expect(withoutSecrets(text)).toContain(HIDDEN);
  });
});

/** Values of secrets that begin like JSON or with a quote, in all forms in which programs print them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { HIDDEN, withoutSecrets } from './without-secrets.ts';

/** Letters that no form has, and signs that end a value elsewhere. */
const LETTERS = [...'QZJ47'];
const SIGNS = [...'{}[],"\';&!#'];
const PASSWORD = fc
  .tuple(
    fc.constantFrom('{', '[', '"', '{"', '["', '{Q"', '[{"', '"Q"'),
    fc.constantFrom(...LETTERS),
    fc.array(fc.oneof(fc.constantFrom(...LETTERS), fc.constantFrom(...SIGNS)), {
      minLength: 4,
      maxLength: 16,
    }),
    fc.constantFrom(...LETTERS),
  )
  .map(([first, second, more, last]) => `${first}${second}${more.join('')}${last}`)
  .filter((text) => !/[;&,]Q?[A-Z]\w*[=:]/.test(text));

const json = JSON.stringify;
const inMessage = (text: string) => json({ level: 'error', msg: text, after: 'kept' });

/** What follows the value in a document stays; in a line of prose nobody knows where it ends. */
const DOCUMENTS: readonly (readonly [string, (password: string) => string, string])[] = [
  ['in a list of variables', (it) => `PATH=/bin\nDB_PASSWORD=${it}\nHOME=/root`, '\nHOME=/root'],
  ['of a trace', (it) => `+ export DB_PASSWORD=${it}\n+ run`, '\n+ run'],
  ['in JSON', (it) => json({ user: 'u', password: it, after: 'kept' }), '"after":"kept"'],
  ['in JSON in a message', (it) => inMessage(`sent ${json({ password: it, x: 1 })}`), '"after":"kept"'],
  ['in JSON over several lines', (it) => JSON.stringify({ password: it, after: 'kept' }, null, 2), 'kept'],
  ['in JSON of variables', (it) => json({ Env: [`DB_PASSWORD=${it}`, 'HOME=/root'] }), '"HOME=/root"'],
  [
    'in JSON of variables in a message',
    (it) => inMessage(json({ Env: [`DB_PASSWORD=${it}`, 'HOME=/root'] })),
    'HOME=/root',
  ],
  [
    'in a variable of a container',
    (it) => json({ env: [{ name: 'DB_PASSWORD', value: it }, { name: 'PORT' }] }),
    'PORT',
  ],
  ['in arguments', (it) => json(['app', '--password', it, '--port', '80']), '"--port","80"'],
  ['in an argument', (it) => json(['app', `--password=${it}`, '--port', '80']), '"--port","80"'],
  ['in YAML', (it) => stringify({ db: { password: it, after: 'kept' } }), 'after: kept'],
  ['in YAML in a message', (it) => inMessage(stringify({ password: it, after: 'x' })), '"after":"kept"'],
  ['in a block of YAML', (it) => `password: |-\n  ${it}\nafter: kept`, '\nafter: kept'],
  [
    'in variables in YAML',
    (it) => stringify([{ name: 'DB_PASSWORD', value: it }, { name: 'PORT' }]),
    'name: PORT',
  ],
];

const LINES: readonly (readonly [string, (password: string) => string])[] = [
  ['in the middle of a line', (it) => `started with DB_PASSWORD=${it} in 3 s`],
  ['in a message', (it) => inMessage(`started with DB_PASSWORD=${it} in 3 s`)],
  ['in a message with quotes', (it) => `level=error msg=${json(`bad DB_PASSWORD=${it} was given`)}`],
  ['of a flag', (it) => `+ app --db-password=${it} --port 80`],
  ['behind a flag', (it) => `+ app --db-password ${it} --port 80`],
  ['behind a flag in a message', (it) => inMessage(`app --db-password ${it} --port 80`)],
  ['behind a name', (it) => `error: bad password: ${it}`],
  ['behind a name in a message', (it) => inMessage(`error: bad password: ${it}`)],
  ['in a variable as Go prints it', (it) => `[{Name:DB_PASSWORD Value:${it} ValueFrom:nil}]`],
];

describe('a password that begins like JSON or with a quote is hidden whole', () => {
  test.each(DOCUMENTS)('%s', (_, form, after) => {
    fc.assert(
      fc.property(PASSWORD, (password) => {
        const text = form(password);
        const safe = withoutSecrets(text);
        expect(safe, text).not.toMatch(/[QZJ47]/);
        expect(safe, text).toContain(HIDDEN);
        expect(safe, text).toContain(after.replace('"after":"kept"', 'kept'));
        expect(withoutSecrets(safe), text).toBe(safe);
      }),
      { numRuns: 500 },
    );
  });

  test.each(LINES)('%s', (_, form) => {
    fc.assert(
      fc.property(PASSWORD, (password) => {
        const text = form(password);
        const safe = withoutSecrets(text);
        expect(safe, text).not.toMatch(/[QZJ47]/);
        expect(safe, text).toContain(HIDDEN);
        expect(withoutSecrets(safe), text).toBe(safe);
      }),
      { numRuns: 500 },
    );
  });
});

/** Names in it that are not those of secrets. */
const OBJECTS: readonly unknown[] = [
  { user: 'hunter', pin: '2xyz', nested: { list: ['hunter two', 'xyz'] } },
  ['hunter, two', 'xyz'],
  { a: 'hunter "two" xyz', b: "it's xyz", c: '{"x":"hunter"}' },
  [{ hunter: 'xyz' }, { xyz: 1, b: true, c: null }],
];

describe('JSON as the value of a secret is hidden whole', () => {
  const forms: readonly (readonly [string, (it: string, value: unknown) => string, string])[] = [
    [
      'of a variable',
      (it) => `A=b\nDB_CREDENTIALS=${it}\nHOME=/root`,
      'A=b\nDB_CREDENTIALS=[redacted]\nHOME=/root',
    ],
    ['in a line', (it) => `with DB_CREDENTIALS=${it}, port=80`, 'with DB_CREDENTIALS=[redacted], port=80'],
    ['of a flag', (it) => `app --credentials ${it} --port 80`, 'app --credentials [redacted] --port 80'],
    ['behind a name', (it) => `db_credentials: ${it} is wrong`, 'db_credentials: [redacted] is wrong'],
    ['in a struct of Go', (it) => `{Host:db Password:${it} Port:1}`, '{Host:db Password:[redacted] Port:1}'],
    ['in a file', (it) => `db.password = ${it}\nport = 80`, 'db.password = [redacted]\nport = 80'],
    [
      'in JSON',
      (_, value) => json({ a: 1, credentials: value, b: 2 }),
      '{"a":1,"credentials":"[redacted]","b":2}',
    ],
    [
      'in JSON in a message',
      (_, value) => json({ m: json({ apiToken: value, b: 2 }), c: 3 }),
      json({ m: json({ apiToken: HIDDEN, b: 2 }), c: 3 }),
    ],
    [
      'in JSON of variables',
      (it) => json({ Env: [`A_TOKEN=${it}`, 'B=c'] }),
      json({ Env: ['A_TOKEN=[redacted]', 'B=c'] }),
    ],
    [
      'over several lines',
      (_, value) => `A_TOKEN=${JSON.stringify(value, null, 2)}\nHOME=/root`,
      'A_TOKEN=[redacted]\nHOME=/root',
    ],
  ];
  test.each(forms)('%s', (_, form, safe) => {
    for (const value of OBJECTS) {
      expect(withoutSecrets(form(json(value), value))).toBe(safe);
      expect(withoutSecrets(safe)).toBe(safe);
    }
  });

  test.each([
    ['as JavaScript prints it', "db_credentials: { login: 'hunter', pin: 'xyz' } was given"],
    ['as Python prints it', "db_credentials={'login': 'hunter two', 'pin': None, 'x': ['xyz']}"],
    ['as Ruby prints it', '{"password"=>{"login"=>"hunter", "pin"=>"xyz"}}'],
    ['in YAML', 'db_credentials: {login: hunter, pin: xyz}'],
    ['that is cut', 'DB_CREDENTIALS={"login":"hunter","pin":"two xyz'],
    ['that is cut over several lines', 'DB_CREDENTIALS={\n  "login": "hunter",\n  "pin": "xyz'],
    ['with a list of tokens', '{"tokens":["hunter","xyz"]}'],
    ['with blanks behind a flag', 'app --password "hunter two xyz" --port 80'],
    ['that a shell puts together', `DB_PASSWORD='hunter'"'"'two'\\''xyz'`],
    ['that YAML quotes', "password: 'hunter''xyz'"],
    ['with a quote in it in JSON of variables', json(['DB_PASSWORD=a"hunter"xyz', 'PATH=/bin'])],
    ['with a quote in it', 'app --password=hun"hunter"xyz, and DB_PASSWORD=a"hunter,xyz now'],
  ])('%s', (_, text) => {
    expect(withoutSecrets(text)).not.toMatch(/hunter|xyz/);
    expect(withoutSecrets(withoutSecrets(text))).toBe(withoutSecrets(text));
  });
});

test.each([
  '{"volumes":[{"name":"tls","secret":{"secretName":"web-tls","defaultMode":420}}]}',
  '{"imagePullSecrets":[{"name":"regcred"}],"secrets":[{"name":"default-token-x"}]}',
  '{"imagePullSecrets":["regcred"]}',
  '{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}]}',
  '{"tokenRequests":[{"audience":"api://x","expirationSeconds":3600}]}',
  '{"passwordSecretRef":{"name":"db","key":"password"},"password":{"valueFrom":{"secretKeyRef":{"name":"db","key":"pw"}}}}',
  'password: {secretName: db}',
  '{"authorization":{"mode":"Webhook","webhook":{"cacheAuthorizedTTL":"0s"}}}',
  '  userData: |\n    echo hello\n  x: 1',
  'password: {}, token: [], Secrets:[] and credentials={}',
  'Password: [y/N], password: [string], password: {password}',
  'secret: ["web"] not found',
  '{"max_tokens":[1,2],"tokens":{"used":12,"left":3}}',
  '{"cmd":"app --token","args":["--token","--port"]}',
])('what only looks like it stays: %s', (text) => {
  expect(withoutSecrets(text)).toBe(text);
});

test('long texts are searched in a time that grows with their length', () => {
  for (const part of [
    'TOKEN={',
    'TOKEN={"a":',
    'TOKEN=["a",',
    'token: {a: ',
    '"token":{',
    '"token":{"a":',
    '"token":["',
    '--token {"',
    '--token "',
    'TOKEN=a"',
    'TOKEN="a"b',
    "TOKEN='a''",
    'db_token: a"b',
    '"--token","',
    `TOKEN={'a'`,
    'TOKEN={\\"a',
    'TOKEN={\\n',
    'db_token: |\n  a\n',
  ]) {
    const text = part.repeat(40_000 / part.length);
    const startMs = performance.now();
    expect(withoutSecrets(text).length, part).toBeGreaterThan(0);
    // With the square of it, this would be tens of seconds.
    expect(performance.now() - startMs, part).toBeLessThan(5_000);
  }
});

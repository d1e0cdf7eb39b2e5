import { expect, test } from 'vitest';
import { aPod } from '../dashboard.fixture.ts';
import type { Session, Snapshot } from '../wire.ts';
import { SECOND_TOKEN, TestStream, TOKEN, withServer } from './server.fixture.ts';

const PATHS = [
  '/api/v1/session',
  '/api/v1/snapshot',
  '/api/v1/stream?epoch=epoch-1&after=0',
  '/api/v1/pending',
  '/api/v1/claims',
  '/api/v1/savings',
  '/api/v1/timeline',
  '/api/v1/object?subject=Node/x',
  '/api/v1/what-if',
  '/api/v1/playground',
];

test('the token is in the fragment of the address, which a browser sends nobody', async () => {
  await withServer(async ({ server }) => {
    expect(server.address).toBe(`http://127.0.0.1:${server.port}/#token=${TOKEN}&playground=${SECOND_TOKEN}`);
    expect(server.url).not.toContain(TOKEN);
  });
});

test.each([
  ['no token', {}],
  ['another token', { authorization: 'Bearer another' }],
  ['the token and more', { authorization: `Bearer ${TOKEN}x` }],
  ['the token as a password', { authorization: `Basic ${TOKEN}` }],
  ['the second token alone', { authorization: `Bearer ${SECOND_TOKEN}` }],
  ['the token in a cookie', { cookie: `token=${TOKEN}` }],
])('with %s no path has an answer', async (_, headers) => {
  await withServer(async ({ ask }) => {
    for (const path of PATHS) {
      const { status, text } = await ask(`${path}${path.includes('?') ? '&' : '?'}token=${TOKEN}`, {
        token: false,
        headers,
      });
      expect([path, status]).toEqual([path, 401]);
      expect(Object.keys(JSON.parse(text)).sort()).toEqual(['cure', 'error']);
    }
  });
});

test.each([
  ['a name that points here', { host: 'evil.example:PORT' }],
  ['another port', { host: '127.0.0.1:1' }],
  ['no port', { host: 'localhost' }],
  ['another origin', { origin: 'http://evil.example' }],
  ['the origin of another port', { origin: 'http://127.0.0.1:1' }],
  ['a sandboxed page', { origin: 'null' }],
  ['another site', { 'sec-fetch-site': 'cross-site' }],
])('a request through %s is refused, also for the files of the app', async (_, headers) => {
  await withServer(async ({ ask, server }) => {
    const given = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(server.port))]),
    );
    for (const path of ['/', '/main.js', ...PATHS])
      expect([path, (await ask(path, { headers: given })).status]).toEqual([path, 403]);
  });
});

test('the names of loopback are ours, and so is our own origin', async () => {
  await withServer(async ({ ask, server }) => {
    for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]']) {
      const name = `${host}:${server.port}`;
      const headers = { host: name, origin: `http://${name.toLowerCase()}`, 'sec-fetch-site': 'same-origin' };
      expect([host, (await ask('/api/v1/session', { headers })).status]).toEqual([host, 200]);
    }
  });
});

test('every answer forbids framing, sniffing, scripts of others and keeping of data', async () => {
  await withServer(async ({ ask }) => {
    for (const path of [
      '/',
      '/main.js',
      '/nothing',
      '/api/v1/session',
      '/api/v1/nothing',
      '/api/v1/snapshot',
    ]) {
      const { headers } = await ask(path);
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers['access-control-allow-origin']).toBeUndefined();
      if (path.startsWith('/api')) expect(headers['cache-control']).toBe('no-store');
    }
  });
});

test('files of the app need no token, are bundled, and are not sent again unchanged', async () => {
  await withServer(async ({ ask }) => {
    const page = await ask('/', { token: false });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const script = await ask('/main.js', { token: false });
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.text).toContain('document.title');
    expect((await ask('/style.css', { token: false })).text).toContain('color');
    const again = await ask('/main.js', { headers: { 'if-none-match': script.headers.etag ?? '' } });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});

test.each([
  '/nothing',
  '/main.tsx',
  '/../package.json',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/api/v1/__proto__',
  '/api/v1/constructor',
  '/api/v2/session',
  '/api/v1/session/',
  '//evil.example/api/v1/session',
])('there is nothing at %s', async (path) => {
  await withServer(async ({ ask }) => {
    expect((await ask(path)).status).toBe(404);
  });
});

test.each([
  ['POST', '/api/v1/session', 'GET'],
  ['DELETE', '/api/v1/snapshot', 'GET'],
  ['PUT', '/api/v1/what-if', 'POST'],
  ['GET', '/api/v1/what-if', 'POST'],
  ['PATCH', '/api/v1/playground', 'GET, POST'],
  ['OPTIONS', '/api/v1/session', 'GET'],
  ['POST', '/', 'GET'],
])('%s %s is not possible', async (method, path, allow) => {
  await withServer(async ({ ask }) => {
    const { status, headers } = await ask(path, { method });
    expect([status, headers.allow]).toEqual([405, allow]);
  });
});

test('who asks too often waits; who guesses tokens does not make others wait', async () => {
  await withServer(async ({ ask }) => {
    const guesses = await Promise.all(
      Array.from({ length: 60 }, () => ask('/api/v1/session', { token: false })),
    );
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect((await ask('/api/v1/session')).status).toBe(200);
    const asked = [];
    for (let round = 0; round < 5; round++)
      asked.push(...(await Promise.all(Array.from({ length: 50 }, () => ask('/api/v1/session')))));
    const refused = asked.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers['retry-after']).toBe('1');
  });
});

test('manifests up to a size are taken, larger ones refused', async () => {
  await withServer(async ({ ask }) => {
    const fits = await ask('/api/v1/what-if', { method: 'POST', body: 'x'.repeat(1024 * 1024) });
    expect(JSON.parse(fits.text)).toMatchObject({ onExisting: 1024 * 1024 });
    const body = 'x'.repeat(1024 * 1024 + 1);
    expect((await ask('/api/v1/what-if', { method: 'POST', body })).status).toBe(413);
    const headers = { 'transfer-encoding': 'chunked' };
    expect((await ask('/api/v1/what-if', { method: 'POST', body, headers })).status).toBe(413);
    expect((await ask('/api/v1/what-if', { method: 'POST', body: ' ' })).status).toBe(400);
  });
});

test('changes of the playground need both tokens', async () => {
  await withServer(async ({ ask }) => {
    const change = (headers: Record<string, string>, token = true) =>
      ask('/api/v1/playground', { method: 'POST', body: '{}', headers, token });
    expect((await ask('/api/v1/playground')).status).toBe(200);
    expect((await change({})).status).toBe(403);
    expect((await change({ 'x-playground-token': TOKEN })).status).toBe(403);
    expect((await change({ 'x-playground-token': SECOND_TOKEN }, false)).status).toBe(401);
    expect(JSON.parse((await change({ 'x-playground-token': SECOND_TOKEN })).text)).toMatchObject({
      speed: 2,
    });
    const text = await ask('/api/v1/playground', {
      method: 'POST',
      body: 'no json',
      headers: { 'x-playground-token': SECOND_TOKEN },
    });
    expect(text.status).toBe(400);
  });
});

test('an answer that cannot be given says why; a bug says nothing and is logged', async () => {
  await withServer(async ({ ask, made }) => {
    const missing = await ask('/api/v1/object?subject=Node/x');
    expect([missing.status, JSON.parse(missing.text)]).toEqual([404, { error: 'there is no Node/x' }]);
    expect((await ask('/api/v1/object')).status).toBe(400);
    expect((await ask(`/api/v1/object?subject=${'x'.repeat(1_000)}`)).status).toBe(400);
    expect((await ask('/api/v1/timeline?from=yesterday')).status).toBe(400);
    const bug = await ask('/api/v1/savings');
    expect(bug.status).toBe(500);
    expect(bug.text).not.toContain('hunter2');
    expect(made.world.lines.some(({ message }) => message === 'the page could not answer')).toBe(true);
  });
});

test('an API server that does not answer is said to be that', async () => {
  await withServer(async ({ ask, made }) => {
    const { status, text } = await ask('/api/v1/claims');
    expect([status, JSON.parse(text)]).toEqual([
      503,
      { error: 'GET /api/v1/nodes: connect ECONNREFUSED', cure: 'check the connection to the API server' },
    ]);
    expect(made.world.lines).toEqual([]);
  });
});

test('the snapshot is the same compressed and not', async () => {
  await withServer(async ({ ask }) => {
    const plain = await ask('/api/v1/snapshot');
    const packed = await ask('/api/v1/snapshot', { headers: { 'accept-encoding': 'gzip, br' } });
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([
      undefined,
      'gzip',
    ]);
    const withoutTime = (text: string) => ({ ...(JSON.parse(text) as Snapshot), atMs: 0 });
    expect(withoutTime(packed.text)).toEqual(withoutTime(plain.text));
    expect((await ask('/api/v1/snapshot', { method: 'HEAD' })).text).toBe('');
  });
});

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'; DROP TABLE nodes; --",
  '\u2028\u2029\r\ndata: injected\r\nevent: reset\r\n',
  '\u0000\u001b[31m\u202e',
  '__proto__',
  '{{7*7}}<%= 7*7 %>',
  '🙂\ud800',
];

test('hostile names and labels stay data: in the snapshot and in the stream', async () => {
  await withServer(async ({ server, made, ask }) => {
    const stream = new TestStream(server.port, '/api/v1/stream?epoch=epoch-1&after=0');
    for (const name of HOSTILE) made.put(made.pods, aPod(name, undefined));
    await stream.until((text) => text.includes('"totals"'));
    const events = stream.text.split('\n\n').filter((each) => each !== '' && !/^event: time\n/.test(each));
    expect(events.every((each) => /^id: epoch-1:\d+\nevent: changes\ndata: \[[^\n\r]*\]$/.test(each))).toBe(
      true,
    );
    const changes = events.flatMap(
      (each) => JSON.parse(each.slice(each.indexOf('data: ') + 6)) as unknown[][],
    );
    const names = changes.filter(([kind]) => kind === 'pod').map(([, row]) => (row as string[])[1]);
    const wellFormed = HOSTILE.map((name) => name.toWellFormed());
    expect(names.map((name) => name?.toWellFormed())).toEqual(wellFormed);
    const { text, headers } = await ask('/api/v1/snapshot');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const { pods } = JSON.parse(text) as Snapshot;
    expect(pods.map(([, name]) => name.toWellFormed())).toEqual(['web-1', ...wellFormed]);
    stream.leave();
  });
});

test('a stream goes on where its reader stopped, by the query or by its last event', async () => {
  await withServer(async ({ server, made }) => {
    made.put(made.pods, aPod('a', undefined));
    const first = new TestStream(server.port, '/api/v1/stream?epoch=epoch-1&after=0');
    await first.until((text) => text.includes('"a"'));
    const id = /id: (\S+)/.exec(first.text)![1]!;
    first.leave();
    made.put(made.pods, aPod('b', undefined));
    const second = new TestStream(server.port, '/api/v1/stream', { 'last-event-id': id });
    await second.until((text) => text.includes('"b"'));
    expect(second.text).not.toContain('"a"');
    second.leave();
  });
});

test.each([
  ['of another run', 'epoch=epoch-0&after=0'],
  ['that was never given', 'epoch=epoch-1&after=99'],
])('a number %s resets the stream and ends it', async (_, query) => {
  await withServer(async ({ server }) => {
    const stream = new TestStream(server.port, `/api/v1/stream?${query}`);
    await stream.ended;
    expect(stream.text).toBe('event: reset\ndata: {}\n\n');
  });
});

test('a stream without a number is a bad question, and there are only so many', async () => {
  await withServer(async ({ server, ask }) => {
    expect((await ask('/api/v1/stream')).status).toBe(400);
    const path = '/api/v1/stream?epoch=epoch-1&after=0';
    const open = Array.from({ length: 20 }, () => new TestStream(server.port, path));
    await Promise.all(
      open.map(async (stream) => {
        while (stream.status === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      }),
    );
    expect((await ask(path)).status).toBe(429);
    for (const stream of open) stream.leave();
  });
});

test('the session and the stream have the time of the cluster, and the stream has a new speed at once', async () => {
  await withServer(async ({ server, made, ask }) => {
    const { time } = JSON.parse((await ask('/api/v1/session')).text) as Session;
    expect(time.speed).toBe(1);
    expect(Math.abs(time.nowMs - made.world.clock.now())).toBeLessThan(5_000);
    const stream = new TestStream(server.port, '/api/v1/stream?epoch=epoch-1&after=0');
    // At rest, too.
    await stream.until((text) => /^event: time\ndata: \{"nowMs":\d+,"speed":1\}\n\n/.test(text));
    const headers = { 'x-playground-token': SECOND_TOKEN };
    await ask('/api/v1/playground', { method: 'POST', body: '{"speed":2}', headers });
    await stream.until((text) => text.includes('"speed":2}'));
    stream.leave();
  });
});

test('when the server ends, its streams end without an error', async () => {
  let stream: TestStream | undefined;
  await withServer(async ({ server, made }) => {
    made.put(made.pods, aPod('a', undefined));
    stream = new TestStream(server.port, '/api/v1/stream?epoch=epoch-1&after=0');
    await stream.until((text) => text.includes('"a"'));
  });
  await stream?.ended;
  expect(stream?.text.endsWith('\n\n')).toBe(true);
});

test('a link on another page opens the page, and gets no data', async () => {
  await withServer(async ({ ask }) => {
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await ask('/', { headers, token: false })).status).toBe(200);
    expect((await ask('/api/v1/session', { headers, token: false })).status).toBe(401);
    expect((await ask('/api/v1/session', { headers })).status).toBe(403);
    expect((await ask('/', { headers: { ...headers, 'sec-fetch-dest': 'iframe' } })).status).toBe(403);
  });
});

test('one simulation runs at a time, and ends when its reader leaves', async () => {
  await withServer(async ({ ask, server }) => {
    const leaving = new AbortController();
    const slow = fetch(`${server.url}api/v1/what-if`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: 'slow',
      signal: leaving.signal,
    }).catch(() => 'left');
    const another = async () => (await ask('/api/v1/what-if', { method: 'POST', body: 'x' })).status;
    await expect.poll(another).toBe(429);
    leaving.abort();
    expect(await slow).toBe('left');
    await expect.poll(another).toBe(200);
  });
});

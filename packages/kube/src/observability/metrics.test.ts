import { describe, expect, test } from 'vitest';
import { healthRoutes, metricsRoutes, serve } from './health.ts';
import { promMetrics } from './metrics.ts';

describe('metrics', () => {
  test('are written in the Prometheus text format', async () => {
    const metrics = promMetrics({ processMetrics: false });
    const counter = metrics.counter({ name: 'things_total', help: 'Things.', labels: ['kind'] });
    counter.add(2, { kind: 'a' });
    metrics.counter({ name: 'things_total', help: 'Things.', labels: ['kind'] }).add(1, { kind: 'a' });
    const gauge = metrics.gauge({ name: 'level', help: 'Level.', labels: ['pool'] });
    gauge.set(5, { pool: 'x' });
    gauge.set(6, { pool: 'y' });
    gauge.remove({ pool: 'y' });
    metrics.histogram({ name: 'took_seconds', help: 'Took.', buckets: [1, 2] }).observe(1.5);
    metrics.histogram({ name: 'plain_seconds', help: 'Took.' }).observe(1.5);
    metrics.gauge({ name: 'bare', help: 'Bare.' }).set(1);
    metrics.counter({ name: 'bare_total', help: 'Bare.' }).add(1);
    metrics.beforeScrape(() => gauge.set(7, { pool: 'late' }));
    const text = await metrics.text();
    expect(text).toContain('things_total{kind="a"} 3');
    expect(text).toContain('level{pool="x"} 5');
    expect(text).toContain('level{pool="late"} 7');
    expect(text).not.toContain('pool="y"');
    expect(text).toContain('took_seconds_bucket{le="2"} 1');
    expect(() => metrics.gauge({ name: 'things_total', help: 'x' })).toThrow('another kind');
  });

  test('are complete but for a metric whose observer fails, which is counted', async () => {
    const metrics = promMetrics({ processMetrics: false });
    metrics.observableGauge({ name: 'broken', help: 'Broken.' }, function* () {
      yield [1, {}];
      throw new Error('no number');
    });
    metrics.observableGauge({ name: 'worse', help: 'Worse.' }, () => {
      throw new Error('no series');
    });
    metrics.observableGauge({ name: 'whole', help: 'Whole.' }, () => [[5, {}]]);
    expect(await metrics.text()).toContain('whole 5');
    const errors = /chandler_program_errors_total\{component="metrics\.(\w+)"\} 1/g;
    const counted = [...(await metrics.text()).matchAll(errors)].map(([, name]) => name);
    expect(counted).toEqual(['broken', 'worse']);
  });

  test('of a summary show its quantiles', async () => {
    const metrics = promMetrics({ processMetrics: false });
    const summary = metrics.summary({ name: 'took_seconds', help: 'Took.', labels: ['pool'] });
    for (const seconds of [1, 2, 3]) summary.observe(seconds, { pool: 'x' });
    const text = await metrics.text();
    expect(text).toContain('# TYPE took_seconds summary');
    expect(text).toContain('took_seconds{quantile="0.5",pool="x"} 2');
    expect(text).toContain('took_seconds{quantile="1",pool="x"} 3');
    expect(text).toContain('took_seconds_sum{pool="x"} 6');
    expect(text).toContain('took_seconds_count{pool="x"} 3');
  });

  test('with an observer are computed at each scrape and leave no series behind', async () => {
    const metrics = promMetrics({ processMetrics: false });
    let pods = ['a', 'quote"back\\slash\nline'];
    const spec = { name: 'pods_state', help: 'Pods.', labels: ['name'] };
    const stop = metrics.observableGauge(spec, () => pods.map((name) => [1, { name }]));
    metrics.observableGauge({ name: 'bare', help: 'Bare.' }, () => [[Number.POSITIVE_INFINITY]]);
    const text = await metrics.text();
    expect(text).toContain('# HELP pods_state Pods.\n# TYPE pods_state gauge\npods_state{name="a"} 1\n');
    expect(text).toContain('pods_state{name="quote\\"back\\\\slash\\nline"} 1');
    expect(text).toContain('bare +Inf');
    pods = ['b'];
    expect(await metrics.text()).not.toContain('name="a"');
    stop();
    expect(await metrics.text()).not.toContain('pods_state');
    metrics.counter({ name: 'things_total', help: 'x' });
    expect(() => metrics.observableGauge({ name: 'things_total', help: 'x' }, () => [])).toThrow(
      'another kind',
    );
  });

  test('yield to other work while a long response is written', async () => {
    const clock = {
      now: () => 0,
      after: () => ({ cancel: () => undefined }),
      monotonic: () => elapsedMs++,
      sleep: async () => void turns++,
    };
    let elapsedMs = 0;
    let turns = 0;
    const metrics = promMetrics({ processMetrics: false, clock });
    const names = Array.from({ length: 50_000 }, (_, at) => `pod-${at}`);
    metrics.observableGauge({ name: 'pods_state', help: 'Pods.', labels: ['name'] }, () =>
      names.map((name) => [1, { name }]),
    );
    expect((await metrics.text()).split('\n').filter((line) => line.startsWith('pods_state{'))).toHaveLength(
      50_000,
    );
    expect(turns).toBeGreaterThan(1);
  });

  test('include those of the process', async () => {
    expect(await promMetrics().text()).toContain('process_resident_memory_bytes');
  });
});

describe('the health server', () => {
  const get = async (port: number, path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return {
      status: response.status,
      text: await response.text(),
      type: response.headers.get('content-type'),
    };
  };

  test('answers ok while all checks pass, and names a check that fails', async () => {
    let synced = false;
    const ready = {
      crd: () => {
        if (!synced) throw new Error('a detail nobody outside needs');
      },
    };
    const routes = {
      ...healthRoutes({ ready }),
      '/broken': () => Promise.reject(new Error('secret detail')),
    };
    const server = await serve({ routes, port: 0, host: '127.0.0.1' });
    expect(await get(server.port, '/healthz')).toMatchObject({ status: 200, text: 'ok' });
    expect(await get(server.port, '/readyz')).toMatchObject({
      status: 500,
      text: '[+]ping ok\n[-]crd failed: reason withheld\nreadyz check failed\n',
    });
    expect(await get(server.port, '/readyz/ping')).toMatchObject({ status: 200, text: 'ok' });
    synced = true;
    expect(await get(server.port, '/readyz?verbose')).toMatchObject({
      status: 200,
      text: '[+]ping ok\n[+]crd ok\nreadyz check passed\n',
    });
    expect(await get(server.port, '/readyz', 'HEAD')).toMatchObject({ status: 200, text: '' });
    expect((await get(server.port, '/nowhere')).status).toBe(404);
    expect((await get(server.port, '/toString')).status).toBe(404);
    expect((await get(server.port, '/healthz', 'POST')).status).toBe(405);
    expect(await get(server.port, '/broken')).toMatchObject({ status: 500, text: 'internal error\n' });
    await server.close();
    await expect(get(server.port, '/healthz')).rejects.toThrow();
  });

  test('stops writing a response when the client disconnects', async () => {
    let over: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      over = resolve;
    });
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) {
          yield 'more\n'.repeat(10_000);
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        over();
      }
    }
    const routes = { '/endless': () => ({ status: 200, body: endless() }) };
    const server = await serve({ routes, port: 0, host: '127.0.0.1' });
    const hangUp = new AbortController();
    const response = await fetch(`http://127.0.0.1:${server.port}/endless`, { signal: hangUp.signal });
    expect((await response.body!.getReader().read()).value!.length).toBeGreaterThan(0);
    hangUp.abort();
    await ended;
    await server.close();
  });

  test('aborts a response that fails half way', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield 'some\n';
      throw new Error('secret detail');
    }
    const server = await serve({
      routes: { '/broken': () => ({ status: 200, body: broken() }) },
      port: 0,
      host: '127.0.0.1',
    });
    await expect(get(server.port, '/broken')).rejects.toThrow();
    await server.close();
  });

  test('serves metrics, and reports a port that is in use', async () => {
    const metrics = promMetrics({ processMetrics: false });
    metrics.gauge({ name: 'up', help: 'Up.' }).set(1);
    const server = await serve({ routes: metricsRoutes(metrics), port: 0, host: '127.0.0.1' });
    expect(await get(server.port, '/metrics')).toMatchObject({
      status: 200,
      text: expect.stringContaining('up 1'),
    });
    expect((await get(server.port, '/metrics')).type).toContain('version=0.0.4');
    await expect(serve({ routes: {}, port: server.port, host: '127.0.0.1' })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await server.close();
  });
});

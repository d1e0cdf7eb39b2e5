/** Lines about a Service that cannot be reached, in the log of a container that crashes, or runs and is not ready. */
import { describe, expect, test } from 'vitest';
import type { ContainerEnd, EvidenceOf } from '../../causes/index.ts';
import { aFailingPod, events, reading } from '../../causes/testing.ts';

import { isNoConnection } from '../connection-words.ts';
import { findings } from './verdict.fixture.ts';

const LINE = 'traces export: dial tcp: otel-collector.monitoring:4317: connection refused';
const WORK = Array.from({ length: 6 }, (_, index) => `handled request ${index}`);

const service: EvidenceOf<'service'> = {
  kind: 'service',
  reading: reading('Service monitoring/otel-collector'),
  name: 'monitoring/otel-collector',
  clusterIPs: [],
  ports: [4317],
  hasSelector: true,
  readyEndpoints: 1,
};

function log(lines: readonly string[], previous = true): EvidenceOf<'containerLog'> {
  const text = `${lines.join('\n')}\n`;
  return {
    kind: 'containerLog',
    reading: reading('log of web'),
    pod: 'shop/web-1',
    container: 'web',
    previous,
    text,
  };
}

function found(
  lines: readonly string[],
  ended: Partial<ContainerEnd> = {},
  about: Partial<typeof service> = {},
) {
  const pod = aFailingPod({
    waiting: { reason: 'CrashLoopBackOff', message: '' },
    started: false,
    restarts: 4,
    lastTerminated: { reason: 'Error', exitCode: 2, signal: undefined, message: '', ...ended },
  });
  return findings(pod, log(lines), { ...service, ...about }).map(({ id, weight }) => [id, weight]);
}

const OLD = [
  ['L7.2', 'broken'],
  ['L7.5', 'suspicious'],
];

describe('a line about a Service that could not be reached', () => {
  test('does not hide why the container ended, if it was written long before the end', () => {
    expect(found([LINE, ...WORK, 'FATAL: config key PAYMENT_URL is empty'])).toEqual(OLD);
  });

  test('does not hide it either in a termination message that repeats the log', () => {
    const message = [LINE, ...WORK, 'FATAL: config key PAYMENT_URL is empty'].join('\n');
    expect(found(['FATAL: config key PAYMENT_URL is empty'], { message })).toEqual(OLD);
  });

  test.each([
    ['in the last line', [...WORK, LINE]],
    ['shortly before the end', [...WORK, LINE, '', 'closing the database', 'good bye']],
    [
      'with the stack of the error after it',
      [LINE, ...WORK.map((line) => `    at ${line}`), '}', '', 'Node.js v22'],
    ],
    [
      'with goroutines after it',
      [LINE, '', 'goroutine 1 [running]:', ...WORK.flatMap((line) => [`main.${line}()`, '\t/app/main.go:1'])],
    ],
  ])('is the cause %s', (_, lines) => {
    expect(found(lines)).toEqual([['L7.5', 'broken']]);
  });

  test.each([
    [
      'Node.js',
      [
        "      throw er; // Unhandled 'error' event",
        '      ^',
        '',
        'Error: connect ECONNREFUSED otel-collector.monitoring:4317',
        '    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)',
        "Emitted 'error' event on Socket instance at:",
        '    at emitErrorNT (node:internal/streams/destroy:170:8) {',
        '  errno: -111,',
        "  code: 'ECONNREFUSED',",
        "  syscall: 'connect',",
        '}',
        '',
        'Node.js v22.11.0',
      ],
    ],
    [
      'Java',
      [
        '12:30:45.123 ERROR o.s.boot.SpringApplication - Application run failed',
        'org.postgresql.util.PSQLException: Connection to otel-collector.monitoring:4317 refused. Check that the hostname and port are correct.',
        '\tat org.postgresql.core.v3.ConnectionFactoryImpl.openConnectionImpl(ConnectionFactoryImpl.java:342)',
        'Caused by: java.net.ConnectException: Connection refused',
        '\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)',
        '\t... 12 more',
      ],
    ],
  ])('is the cause in an error of %s that repeats the code without the address', (_, lines) => {
    expect(found([...WORK, ...lines])).toEqual([['L7.5', 'broken']]);
  });

  test.each([
    'dial tcp 203.0.113.7:8443: connect: connection refused',
    'dial tcp: lookup api.example.com on 10.0.0.10:53: no such host',
    'Error: getaddrinfo ENOTFOUND api.example.com',
  ])('is not the cause if another address could not be reached after it: %s', (line) => {
    expect(found([...WORK, LINE, line])).toEqual([['L7.2', 'broken']]);
  });

  test.each([
    ['Python', 'socket.gaierror: [Errno -3] Temporary failure in name resolution: otel-collector.monitoring'],
    ['Java', 'Caused by: java.net.UnknownHostException: otel-collector.monitoring'],
    ['curl', 'curl: (6) Could not resolve host: otel-collector.monitoring'],
    ['psql', 'psql: error: could not translate host name "otel-collector.monitoring" to address: unknown'],
    ['MySQL', "ERROR 2005 (HY000): Unknown MySQL server host 'otel-collector.monitoring' (-2)"],
    [
      'MySQL, of a connection',
      "ERROR 2003 (HY000): Can't connect to MySQL server on 'otel-collector.monitoring' (110)",
    ],
    ['busybox', "wget: bad address 'otel-collector.monitoring'"],
    ['nslookup', "** server can't find otel-collector.monitoring: NXDOMAIN"],
    [
      'Rust on musl',
      'error: otel-collector.monitoring: failed to lookup address information: Name does not resolve',
    ],
    [
      'nginx',
      'nginx: [emerg] host not found in upstream "otel-collector.monitoring" in /etc/nginx/nginx.conf:9',
    ],
    ['.NET', 'Connection reset by peer (otel-collector.monitoring:4317)'],
    ['Kafka', "Couldn't resolve server otel-collector.monitoring:4317 from bootstrap.servers"],
  ])('is known in the words of %s', (_, line) => {
    expect(found([...WORK, line])).toEqual([['L7.5', 'broken']]);
    expect(isNoConnection(line)).toBe(true);
  });

  test.each([
    'Database: jdbc:postgresql://otel-collector.monitoring:5432/app?connectTimeout=10 (PostgreSQL 15.4)',
    'redis=otel-collector.monitoring:6379 dial-timeout=5s',
    'otel-collector.monitoring:4317: connect timeout 5s',
    'connectTimeout: 5000, otel-collector.monitoring:4317',
    'db connection established to otel-collector.monitoring:4317, statement timeout 30s',
    'connection pool to otel-collector.monitoring:4317 ready (idle timeout 60s)',
    'connection to otel-collector.monitoring:4317 is ready, idle timeout.',
    'connection established to otel-collector.monitoring:4317, statement timed out',
    'dial-timeout: 5s, otel-collector.monitoring:4317',
    '{"addr":"otel-collector.monitoring:4317","dial-timeout":"5s"}',
    String.raw`{\"addr\":\"otel-collector.monitoring:4317\",\"dial-timeout\":\"5s\"}`,
    "{'addr': 'otel-collector.monitoring:4317', 'connection timeout': 5}",
    '\u001b[36mdial-timeout\u001b[0m=5s otel-collector.monitoring:4317',
    'otel-collector.monitoring:4317: connection timeout (ms): 5000',
    'connection timeout from config, otel-collector.monitoring:4317',
    'connection timeout for otel-collector.monitoring:4317 is 5s',
    'connection timeout for otel-collector.monitoring:4317 = 5s',
    'connection timeout was set to 5s for otel-collector.monitoring:4317',
    'otel-collector.monitoring:4317 connect timeout - 5s',
    'connect timeout 30s for otel-collector.monitoring:4317',
    'otel-collector.monitoring:4317 : ok=3 changed=0 unreachable=0 failed=0',
    'Closing idle connection due to timeout: otel-collector.monitoring:4317',
    'Closing connection to otel-collector.monitoring:4317 due to timeout',
    'idle connection to otel-collector.monitoring:4317 timed out',
    'client connection otel-collector.monitoring:4317 closed: keepalive timeout',
    'serverSelectionTimeoutMS=5000 mongodb://otel-collector.monitoring:4317',
    'server selection timeout: 30s, otel-collector.monitoring:4317',
    'Connection to node 1 (otel-collector.monitoring/10.0.0.1:4317) established',
    'timeout connecting=5s otel-collector.monitoring:4317',
  ])('is not one that only has a timeout in it: %s', (line) => {
    expect(isNoConnection(line)).toBe(false);
    expect(found([...WORK, line])).toEqual([['L7.2', 'broken']]);
  });

  test.each([
    'ConnectTimeoutError: connect timeout: otel-collector.monitoring:4317',
    'java.net.http.HttpConnectTimeoutException: otel-collector.monitoring:4317',
    'otel-collector.monitoring:4317: Connection terminated due to connection timeout',
    'Connection timeout after 5000ms: otel-collector.monitoring:4317',
    'Connection timeout expired, otel-collector.monitoring:4317',
    'connect to otel-collector.monitoring:4317: context deadline exceeded',
    'connection to otel-collector.monitoring:4317 timed out',
    '{"msg":"connection timeout","host":"otel-collector.monitoring:4317"}',
    String.raw`log={\"msg\":\"connection timeout\",\"host\":\"otel-collector.monitoring:4317\"}`,
    '{"addr":"otel-collector.monitoring:4317","error":"dial timeout"}',
    'msg="connection timeout" addr=otel-collector.monitoring:4317',
    "Error('connection timeout') otel-collector.monitoring:4317",
    'connection timeout: otel-collector.monitoring:4317',
    'Connection timeout (30000ms) otel-collector.monitoring:4317',
    'connect timeout - otel-collector.monitoring:4317',
    'connection timeout for otel-collector.monitoring:4317',
    'connection timeout from otel-collector.monitoring:4317',
    'Connection timeout was reached: otel-collector.monitoring:4317',
    'dial timeout 30s exceeded: otel-collector.monitoring:4317',
    '\u001b[31mconnection timeout\u001b[0m otel-collector.monitoring:4317',
    'httpx.ConnectTimeout: otel-collector.monitoring:4317',
    'httpcore.ConnectTimeout: timed out (otel-collector.monitoring:4317)',
    'ConnectTimeout: otel-collector.monitoring:4317',
    'redis.exceptions.TimeoutError: Timeout connecting to server otel-collector.monitoring:4317',
    'Timed out connecting to otel-collector.monitoring:4317',
    'Connection to node -1 (otel-collector.monitoring/10.0.0.1:4317) could not be established. Broker may not be available.',
    'Bootstrap broker otel-collector.monitoring:4317 (id: -1 rack: null) disconnected',
    'pymongo.errors.ServerSelectionTimeoutError: otel-collector.monitoring:4317: timed out, Timeout: 30s',
    'MongoServerSelectionError: Server selection timed out after 30000 ms: otel-collector.monitoring:4317',
    'server selection error: server selection timeout, current topology: { Servers: [{ Addr: otel-collector.monitoring:4317 }] }',
    'Timed out after 30000 ms while waiting for a server that matches WritableServerSelector: otel-collector.monitoring:4317',
    'CommunicationsException: Communications link failure (otel-collector.monitoring:4317)',
    'A connection attempt failed because the connected party did not properly respond after a period of time, or established connection failed because connected host has failed to respond. (otel-collector.monitoring:4317)',
    'It was not possible to connect to the redis server(s). UnableToConnect on otel-collector.monitoring:4317/Interactive',
    'failed to establish a connection: otel-collector.monitoring:4317',
  ])('is one that says that a connection took too long: %s', (line) => {
    expect(found([...WORK, line])).toEqual([['L7.5', 'broken']]);
  });

  test.each([
    'It was not possible to connect to the redis server(s). There was an authentication failure; check that passwords are right. otel-collector.monitoring:4317',
    'failed to open connection: pq: password authentication failed for user "app" (otel-collector.monitoring:4317)',
    'cannot open connection to otel-collector.monitoring:4317: FATAL: database "app" does not exist',
    'unable to establish connection: https://otel-collector.monitoring:4317: x509: certificate signed by unknown authority',
    'The connection attempt failed: FATAL: password authentication failed (otel-collector.monitoring:4317)',
    'failed to connect to `host=otel-collector.monitoring user=app`: failed SASL auth (FATAL: password authentication failed)',
    'could not connect to otel-collector.monitoring:4317: FATAL: sorry, too many clients already',
    'cannot connect to http://otel-collector.monitoring:4317: HTTP 503',
    'failed to reach http://otel-collector.monitoring:4317/health: 503 Service Unavailable',
    'failed to connect to otel-collector.monitoring:4317: server error (FATAL: no pg_hba.conf entry for host "10.0.0.1")',
    'could not connect to otel-collector.monitoring:4317: FATAL: the database system is starting up',
    'could not connect to otel-collector.monitoring:4317: FATAL: remaining connection slots are reserved',
    'Unable to connect to otel-collector.monitoring:4317: self-signed certificate in certificate chain',
    'failed to connect to otel-collector.monitoring:4317: unable to verify the first certificate',
    'failed to connect to otel-collector.monitoring:4317: unable to get local issuer certificate',
    'cannot connect to otel-collector.monitoring:4317: certificate is valid for foo, not for this name',
    "cannot connect to otel-collector.monitoring:4317: it does not match certificate's altnames",
    'failed to connect to otel-collector.monitoring:4317: remote error: tls: handshake failure',
    'failed to connect to otel-collector.monitoring:4317: Received fatal alert: handshake_failure',
    'unable to connect to otel-collector.monitoring:4317: ssh: handshake failed: ssh: unable to authenticate',
    'cannot connect to otel-collector.monitoring:4317: login was refused using authentication mechanism PLAIN',
    'failed to connect to http://otel-collector.monitoring:4317: Forbidden',
    'error connecting to http://otel-collector.monitoring:4317: HTTP 503',
    'Error connecting to otel-collector.monitoring:4317: status code 503',
    'Error connecting to http://otel-collector.monitoring:4317: 503 Service Unavailable',
    'failed to establish a connection to otel-collector.monitoring:4317: HTTP 502',
    'connection failed: otel-collector.monitoring:4317: Unexpected response code: 403',
  ])('is not one that a server that was reached has answered: %s', (line) => {
    expect(found([...WORK, line])).toEqual([['L7.2', 'broken']]);
  });

  test.each([
    'failed to connect to `host=otel-collector.monitoring user=app password=*** database=x`: dial error: connection refused',
    'cannot connect to otel-collector.monitoring:4317 with the password of app: i/o timeout',
    'unable to connect to otel-collector.monitoring:4317 for authentication',
    'could not connect to host=otel-collector.monitoring port=5432 user=app password=xxx dbname=app',
    'failed to connect to otel-collector.monitoring:4317 to read credentials',
    'failed to connect to otel-collector.monitoring:4317 using SASL/PLAIN',
    '"status":500,"error":"Unable to connect to otel-collector.monitoring:4317"',
    'health check: status 503: unable to connect to otel-collector.monitoring:4317',
    'cannot connect to otel-collector.monitoring:4317: 500 ms are over',
    'cannot connect to otel-collector.monitoring:4317: 500 milliseconds are over',
    '{"msg": "unable to connect to server", "host": "otel-collector.monitoring", "port": 443}',
    'Failed to connect to host: otel-collector.monitoring, port: 443',
    '{"message": "Failed to connect to otel-collector.monitoring:4317", "lineno": 412}',
    'FATAL: could not connect to otel-collector.monitoring:4317, retry in: 500 millis',
  ])('is one where no server answered, whatever it names: %s', (line) => {
    expect(found([...WORK, line])).toEqual([['L7.5', 'broken']]);
  });

  test.each([
    'redis.exceptions.TimeoutError: Timeout connecting to server',
    'Connection to node -1 (kafka/10.0.0.1:9092) could not be established. Broker may not be available.',
    'ServerSelectionTimeoutError: mongo:27017: timed out',
    'Server selection timed out',
    'Communications link failure',
    'A network-related or instance-specific error occurred while establishing a connection to SQL Server.',
    'ORA-12541: TNS:no listener',
    'kafka.errors.NoBrokersAvailable: NoBrokersAvailable',
    'Get "http://auth:8080/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    'upstream connect error or disconnect/reset before headers. reset reason: connection failure, transport failure reason: delayed connect error: 111',
    'network is unreachable',
    'Host unreachable',
    'wait: cannot connect to authentication-service:8080, retrying',
    'Could not connect to password-service:80',
    'failed to connect to certificate-manager:443',
    'A connection attempt failed because the connected party did not properly respond after a period of time',
  ])('is known without the name of a Service: %s', (line) => {
    expect(isNoConnection(line)).toBe(true);
  });

  test.each([
    'GET /unreachable 404',
    'taint node.kubernetes.io/unreachable',
    'internal error: entered unreachable code',
    'ORA-01017: invalid username/password; logon denied',
    'upstream connect error, transport failure reason: TLS error: CERTIFICATE_VERIFY_FAILED',
  ])('is no failed connection: %s', (line) => {
    expect(isNoConnection(line)).toBe(false);
  });

  test.each([
    'connection ',
    'connection to ',
    'connection x',
    'server selection timeout',
    'timeout connecting ',
    'bootstrap broker x',
    'broker ',
    'failed to establish a ',
    'timed out after ',
    'closing ',
    'a',
    'a.',
  ])('is looked for in a long line in a short time: %j', (part) => {
    const line = part.repeat(Math.ceil(65_536 / part.length));
    const beganMs = performance.now();
    isNoConnection(line);
    found([`${line} connection refused`]);
    expect(performance.now() - beganMs).toBeLessThan(1000);
  });

  describe('and whose answer only did not come in time', () => {
    const slow = `Get "http://otel-collector.monitoring:4317/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;

    const SUSPICIOUS = [
      ['L7.2', 'broken'],
      ['L7.5', 'suspicious'],
    ];

    test.each([1, undefined])('is only suspicious with %s ready endpoints: it may be slow', (count) => {
      expect(found([...WORK, slow], {}, { readyEndpoints: count })).toEqual(SUSPICIOUS);
      expect(found([...WORK, LINE, slow], {}, { readyEndpoints: count })).toEqual(SUSPICIOUS);
      const named = 'otel-collector.monitoring: Client.Timeout exceeded while awaiting headers';
      expect(found([...WORK, named], {}, { readyEndpoints: count })).toEqual(SUSPICIOUS);
    });

    test('is the cause without ready endpoints, or if no connection was made', () => {
      expect(found([...WORK, slow], {}, { readyEndpoints: 0 })).toEqual([['L7.5', 'broken']]);
      const dialled = slow.replace('context deadline exceeded', 'dial tcp 10.0.0.9:4317: i/o timeout');
      expect(found([...WORK, dialled])).toEqual([['L7.5', 'broken']]);
    });
  });

  test('is the cause in the termination message, whatever the log says first', () => {
    expect(found([LINE, ...WORK, 'bye'], { message: LINE })).toEqual([['L7.5', 'broken']]);
  });

  describe('while the container runs and is not ready', () => {
    const failed = events({ reason: 'Unhealthy', message: 'Readiness probe failed: statuscode: 503' });
    const inRunning = (lines: readonly string[], readyEndpoints: number | undefined) =>
      findings(aFailingPod({ running: true }), failed, log(lines, false), { ...service, readyEndpoints }).map(
        ({ id, weight }) => [id, weight],
      );
    const requests = WORK.map(() => 'GET /ready 503');

    test('is the cause if the Service has no ready endpoints: requests of its probes follow it', () => {
      expect(inRunning([LINE, ...requests], 0)[0]).toEqual(['L7.5', 'broken']);
    });

    test.each([1, undefined])('is suspicious if the program went on, with %s ready endpoints', (count) => {
      expect(inRunning([LINE, 'connected', ...requests], count)).toEqual([
        ['L7.3', 'broken'],
        ['L7.5', 'suspicious'],
      ]);
    });

    test.each([0, 1, undefined])('is the cause at the end of its log, with %s ready endpoints', (count) => {
      expect(inRunning([...requests, LINE], count)[0]).toEqual(['L7.5', 'broken']);
    });
  });
});
